"""Logical forms (KAG): a question as steps, each with an operator, its arguments and a variable for its result."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from polyadic.llm.replies.json_fields import LONGEST_NAME, list_of, record_of, reply_values, text_of
from polyadic.llm.replies.parsed_reply import Problems

_VARIABLE = re.compile(r"\?[^\W\d]\w*")
_MOST_STEPS = 50
_LONGEST_QUESTION = 500
_LONGEST_VARIABLE = 60

Results = Mapping[str, Sequence[str]]
"""Answers by variable, as far as they are known."""


class Operator(StrEnum):
    """What a step does."""

    RETRIEVAL = "retrieval"
    DEDUCE = "deduce"
    MATH = "math"
    OUTPUT = "output"


# Names of operators in the plans of KAG, and of similar ones that a model may use.
_OPERATORS: Mapping[str, Operator] = {
    **{operator.value: operator for operator in Operator},
    **dict.fromkeys(("retrieve", "get_spo", "search", "lookup"), Operator.RETRIEVAL),
    **dict.fromkeys(("deduction", "compare", "sort"), Operator.DEDUCE),
    **dict.fromkeys(("count", "sum", "calculate"), Operator.MATH),
    **dict.fromkeys(("get", "finish"), Operator.OUTPUT),
}


@dataclass(frozen=True, slots=True)
class LogicalStep:
    """One step of a plan.

    Parameters
    ----------
    operator
        What the step does.
    question
        The step as a question; may contain variables.
    subject, predicate, object
        Arguments of a retrieval: names or variables; empty if unknown.
    result
        Variable that gets the answer, such as ``?director``; empty if there is none.

    >>> str(LogicalStep(Operator.RETRIEVAL, "Who directed Jaws?", "Jaws", "director", "", "?director"))
    'Retrieval(s=Jaws, p=director, o=) → ?director'
    """

    operator: Operator
    question: str
    subject: str = ""
    predicate: str = ""
    object: str = ""
    result: str = ""

    def __str__(self) -> str:
        result = f" → {self.result}" if self.result else ""
        if self.operator is Operator.RETRIEVAL:
            return f"Retrieval(s={self.subject}, p={self.predicate}, o={self.object}){result}"
        return f"{self.operator.capitalize()}({self.question}){result}"

    @property
    def needs(self) -> frozenset[str]:
        """Variables that the step uses; its result is not one of them."""
        used = {name for text in (self.question, self.subject, self.object) for name in _VARIABLE.findall(text)}
        return frozenset(used - {self.result})

    def substituted(self, results: Results) -> "LogicalStep":
        """Replace the variables in the question by their answers."""
        return LogicalStep(
            self.operator, substituted(self.question, results), self.subject, self.predicate, self.object, self.result
        )

    def names(self, results: Results) -> tuple[str, ...]:
        """Return the known subjects and objects: names of the step, and answers of earlier ones.

        >>> step = LogicalStep(Operator.RETRIEVAL, "Where was ?x born?", "?x", "place of birth", "?place", "?place")
        >>> step.names({"?x": ["Ada", "Byron"]})
        ('Ada', 'Byron')
        """
        named: list[str] = []
        for argument in (self.subject, self.object):
            if _VARIABLE.fullmatch(argument):
                named += results.get(argument, ())
            elif argument:
                named.append(substituted(argument, results))
        return tuple(dict.fromkeys(named))


def substituted(text: str, results: Results) -> str:
    """Replace the variables in a text by their answers; unknown ones stay.

    >>> substituted("Where were ?x and ?y born?", {"?x": ["Ada", "Byron"]})
    'Where were Ada, Byron and ?y born?'
    """
    return _VARIABLE.sub(lambda found: ", ".join(results.get(found[0], ())) or found[0], text)


def read_plan(reply: str) -> tuple[LogicalStep, ...]:
    """Read the steps of a reply; steps without a known operator or a question are left out.

    >>> read_plan('{"steps": [{"operator": "Retrieval", "question": "Who?", "s": "Jaws", "result": "?x"}, {}]}')
    (LogicalStep(operator=<Operator.RETRIEVAL: 'retrieval'>, question='Who?', subject='Jaws', predicate='', object='', \
result='?x'),)
    >>> read_plan("I cannot plan this.")
    ()
    """
    listed: list[object] = []
    for value in reply_values(reply, Problems()):
        # Earlier lists may be drafts.
        listed = (value if isinstance(value, list) else list_of(record_of(value), "steps", "plan")) or listed
    steps = (_step(record_of(value)) for value in listed[:_MOST_STEPS])
    return tuple(step for step in steps if step)


def _step(record: Mapping[str, object]) -> LogicalStep | None:
    operator = _OPERATORS.get(text_of(record, "operator", "function", "type", "action").lower())
    question = text_of(record, "question", "step", "sub_question", longest=_LONGEST_QUESTION)
    if operator is None or not question:
        return None
    subject, predicate, object_ = (
        text_of(record, name, name[0], longest=LONGEST_NAME) for name in ("subject", "predicate", "object")
    )
    result = _VARIABLE.search(text_of(record, "result", "target", "output", longest=_LONGEST_VARIABLE))
    if result is None and _VARIABLE.fullmatch(object_):
        result = _VARIABLE.search(object_)
    return LogicalStep(operator, question, subject, predicate, object_, result[0] if result else "")
