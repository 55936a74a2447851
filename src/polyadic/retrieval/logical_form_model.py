"""Plan a question as logical forms, and answer single steps, with a language model."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from polyadic.errors import NoReply
from polyadic.llm.language_model import LanguageModel, ModelRequest, ReplySchema
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.replies.cleaning import cut, tidy
from polyadic.llm.replies.json_fields import LONGEST_NAME, list_of, numbers_in, record_of, reply_values
from polyadic.llm.replies.parsed_reply import Problems
from polyadic.model.types import Usage
from polyadic.retrieval.logical_form import LogicalStep, Operator, read_plan

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
        return read_plan(text), usage

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
