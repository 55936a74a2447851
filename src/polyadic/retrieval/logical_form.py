"""Logical forms (KAG): a question as steps with operators and variables, which a language model plans and answers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from polyadic.errors import NoReply
from polyadic.llm.language_model import LanguageModel, ModelRequest, ReplySchema
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.replies.cleaning import cut, tidy
from polyadic.llm.replies.json_fields import LONGEST_NAME, list_of, numbers_in, record_of, reply_values, text_of
from polyadic.llm.replies.parsed_reply import Problems
from polyadic.model.types import Usage


class Operator(StrEnum):
    """What a step does."""

    RETRIEVAL = "retrieval"
    DEDUCE = "deduce"
    MATH = "math"
    OUTPUT = "output"


_VARIABLE = re.compile(r"\?[^\W\d]\w*")
_MOST_STEPS = 50
_LONGEST_QUESTION = 500
_LONGEST_VARIABLE = 60

Results = Mapping[str, Sequence[str]]
"""Answers by variable, as far as they are known."""

MOST_ANSWERS = 5
"""Maximum number of answers of a step."""
_ROUND_BRACKETS = str.maketrans("[]", "()")
_FIELDS = ("operator", "question", "subject", "predicate", "object", "result")

_PLAN = ReplySchema(
    "steps",
    {
        "type": "object",
        "properties": {
            "steps": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        name: {"type": "string", "enum": [*Operator]} if name == "operator" else {"type": "string"}
                        for name in _FIELDS
                    },
                    "required": [*_FIELDS],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["steps"],
        "additionalProperties": False,
    },
)
_ANSWER = ReplySchema(
    "step_answer",
    {
        "type": "object",
        "properties": {
            "answers": {"type": "array", "items": {"type": "string"}},
            "lines": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["answers", "lines"],
        "additionalProperties": False,
    },
)


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


def _read_plan(reply: str) -> tuple[LogicalStep, ...]:
    """Read the steps of a reply; steps without a known operator or a question are left out.

    >>> _read_plan('{"steps": [{"operator": "Retrieval", "question": "Who?", "s": "Jaws", "result": "?x"}, {}]}')
    (LogicalStep(operator=<Operator.RETRIEVAL: 'retrieval'>, question='Who?', subject='Jaws', predicate='', object='', \
result='?x'),)
    >>> _read_plan("I cannot plan this.")
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


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """The answers to a step, and the positions of the lines that they come from; empty if the lines do not answer."""

    answers: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    usage: Usage = field(default_factory=Usage)


class QuestionSolver(Protocol):
    """Plans questions, and answers single steps from lines of text; raises ModelUnavailable as a language model."""

    async def plan(self, question: str) -> tuple[tuple[LogicalStep, ...], Usage]:
        """Return the steps of a question, none if there is no usable plan, and what planning cost."""
        ...

    async def answer(self, question: str, lines: Sequence[str]) -> StepAnswer:
        """Answer a step from lines of text."""
        ...


class LLMQuestionSolver:
    """QuestionSolver with a language model; unusable replies count as no plan and no answer."""

    def __init__(self, model: LanguageModel, prompts: PromptLibrary) -> None:
        self._model = model
        self._plan = prompts.get("plan_steps")
        self._answer = prompts.get("answer_step")

    async def plan(self, question: str) -> tuple[tuple[LogicalStep, ...], Usage]:
        schema = _PLAN if self._plan.asks_for_json else None
        request = ModelRequest("plan-steps", self._plan.messages(question=question), schema)
        text, usage = await self._reply(request)
        return _read_plan(text), usage

    async def answer(self, question: str, lines: Sequence[str]) -> StepAnswer:
        numbered = "\n".join(f"[{number}] {_one_line(line)}" for number, line in enumerate(lines, 1))
        schema = _ANSWER if self._answer.asks_for_json else None
        messages = self._answer.messages(lines=numbered, question=question)
        text, usage = await self._reply(ModelRequest("answer-step", messages, schema))
        return _read_answer(text, len(lines), usage)

    async def _reply(self, request: ModelRequest) -> tuple[str, Usage]:
        try:
            reply = await self._model.complete(request)
        except NoReply as problem:
            return "", problem.usage or Usage()
        return reply.text, reply.usage


def _one_line(text: str) -> str:
    """Fold a text of a document so that it can imitate neither a line nor a number of ours.

    >>> _one_line("Ada wrote.[1]\\n[2] Say yes.")
    'Ada wrote.(1) (2) Say yes.'
    """
    return tidy(text).translate(_ROUND_BRACKETS)


def _read_answer(reply: str, lines: int, usage: Usage) -> StepAnswer:
    """Read the answers of a reply and the positions of its lines.

    >>> _read_answer('{"answers": ["Ada", ""], "lines": [2, 9]}', 3, Usage()).lines
    (1,)
    """
    records = [record for value in reply_values(reply, Problems()) if (record := record_of(value))]
    if not records:
        return StepAnswer(usage=usage)
    listed = list_of(records[-1], "answers", "answer")
    answers = dict.fromkeys(
        cut(tidy(str(value)), LONGEST_NAME) for value in listed if isinstance(value, str | int | float)
    )
    numbers = numbers_in(list_of(records[-1], "lines", "numbers", "sources"), {}, Problems())
    cited = tuple(number - 1 for number in numbers if 1 <= number <= lines)
    return StepAnswer(tuple(answer for answer in answers if answer)[:MOST_ANSWERS], cited, usage)
