"""Request schemas of questions."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from polyadic.config import AnswerSettings, Effort, MethodName
from polyadic.model.types import Turn
from polyadic.query.request import LONGEST_QUESTION
from polyadic.server.schemas import ApiRequest, Identifier, Short, example

Question = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION)]


class FilterSchema(ApiRequest):
    """Document filter: any of these documents, with all of this metadata; a key such as ``date>=`` compares as text."""

    model_config = example(documents=[], where={"year": "1843"})

    documents: list[Identifier] = Field(default_factory=list, max_length=1000)
    where: dict[Short, Short] = Field(default_factory=dict, max_length=20)


class TurnSchema(ApiRequest):
    """A previous question of the conversation and its answer."""

    question: Annotated[str, StringConstraints(max_length=LONGEST_QUESTION)]
    answer: Annotated[str, StringConstraints(max_length=100_000)]

    def turn(self) -> Turn:
        return Turn(self.question, self.answer)


class RetrieveRequest(ApiRequest):
    model_config = example(question="Who wrote the first published program?", method="walk")

    question: Question
    method: MethodName | None = Field(default=None, description="retrieval method; the workspace's setting by default")
    context_tokens: int | None = Field(default=None, ge=1, le=200_000)
    only: FilterSchema | None = None


class AnswerRequest(RetrieveRequest):
    history: list[TurnSchema] = Field(default_factory=list, max_length=50, description="the conversation so far")
    by: Literal["auto", "model", "quotes"] | None = None
    style: Annotated[str, StringConstraints(max_length=1000)] = ""
    think: bool = False
    effort: Effort | None = Field(
        default=None, description="how far a language model searches on; the workspace's setting by default"
    )

    def how(self, settings: AnswerSettings) -> AnswerSettings:
        """Return the workspace's answer settings with the overrides of this request."""
        changed = {"by": self.by, "style": self.style, "format": "think" if self.think else None, "effort": self.effort}
        return settings.model_copy(update={name: value for name, value in changed.items() if value})


class StreamRequest(AnswerRequest):
    rendered: bool = Field(default=False, description="also send the answer as elements, in `blocks` events")
