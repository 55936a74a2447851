"""A question that follows up on a conversation, made to be understood without it."""

import re
from collections.abc import Sequence
from time import perf_counter

from polyadic.errors import NoReply
from polyadic.generation.citation_parser import unthought
from polyadic.generation.rule_question_condenser import standalone
from polyadic.llm.language_model import LanguageModel, ModelRequest
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import TraceStep, Turn, Usage
from polyadic.tracing.spans import step_done

# Of a long conversation the last turns tell what a question points back to; of a long answer its beginning does.
_TURNS = 6
_CHARACTERS = 1500
# What is longer is no question, but an answer or an essay.
_LONGEST = 500
_QUESTION_MARKS = ("?", "？", "؟")
_QUOTES = "\"'“”„«»‘’「」*`"
_LABEL = re.compile(r"(?:(?:next |rewritten )?question|q): *", re.IGNORECASE)


async def condense_question(
    question: str, history: Sequence[Turn], model: LanguageModel, prompts: PromptLibrary
) -> tuple[str, Usage, TraceStep]:
    """The question with names in place of what points back, what that cost, and the step for the trace.

    Where the model gives no question that can be used, what it refers to is added without one
    (rule_question_condenser.py).

    Raises
    ------
    ModelUnavailable
        As LanguageModel.ask.
    """
    started = perf_counter()
    said = "\n".join(f"Q: {_beginning(turn.question)}\nA: {_beginning(turn.answer)}" for turn in history[-_TURNS:])
    messages = prompts.get("follow_up").messages(conversation=said, question=question)
    usage = Usage()
    rewritten = None
    try:
        reply = await model.ask(ModelRequest("follow-up", messages))
        usage = reply.usage
        rewritten = _rewritten(unthought(reply.text), question)
    except NoReply:
        pass
    asked = rewritten or standalone(question, history)
    detail = asked if rewritten else f"{model.name} gave no question that can be used; without it: {asked}"
    step = TraceStep("make the question self-contained", detail, perf_counter() - started)
    step_done(step.name)
    return asked, usage, step


def _rewritten(reply: str, question: str) -> str | None:
    """The question in a reply; None where there is none, but an answer, an essay or nothing.

    >>> _rewritten('Here it is:\\n"Where was Ada born?"', "Where was she born?")
    'Where was Ada born?'
    >>> _rewritten("Ada was born in London.", "Where was she born?") is None
    True
    """
    lines = [bare for line in reply.splitlines() if (bare := _bare(line))]
    asking = [line for line in lines if line.endswith(_QUESTION_MARKS)]
    if not asking and not question.rstrip().endswith(_QUESTION_MARKS) and len(lines) == 1:
        asking = lines
    return asking[0] if asking and len(asking[0]) <= max(_LONGEST, 2 * len(question)) else None


def _bare(line: str) -> str:
    """A line without its label and the quotation marks around it.

    >>> _bare('Question: "Who?"'), _bare('"Emma" was written by whom?'), _bare('Who wrote "Emma"?')
    ('Who?', '"Emma" was written by whom?', 'Who wrote "Emma"?')
    """
    line = _LABEL.sub("", line.strip())
    while len(line) > 2 and line[0] in _QUOTES and line[-1] in _QUOTES:
        line = line[1:-1].strip()
    return line


def _beginning(text: str) -> str:
    """The text, cut where it is long: each turn on one line."""
    return " ".join(text[:_CHARACTERS].split())
