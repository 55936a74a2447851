"""Questions to a workspace for all protocols: their schemas, admission, metrics, and execution on its event loop."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from polyadic.concurrency.task_stream import TaskStream
from polyadic.config import AnswerSettings, Effort, MethodName
from polyadic.model.types import Answer, Citation, Filter, Knowledge, Turn
from polyadic.query.request import LONGEST_QUESTION
from polyadic.query.shown_source_names import RelativeNames
from polyadic.retrieval.registry import needs_model
from polyadic.server.problem_details import ProblemError
from polyadic.server.schemas import ApiRequest, Identifier, Short, example
from polyadic.server.server_state import ServerState
from polyadic.workspace import Workspace

Question = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION)]

Piece = Knowledge | str | Citation | Answer


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
    check_claims: bool | None = Field(
        default=None,
        description="have a language model check the claims of the answer; the workspace's setting by default",
    )

    def how(self, settings: AnswerSettings) -> AnswerSettings:
        """Return the workspace's answer settings with the overrides of this request."""
        form = "think" if self.think else None
        return settings.overridden(
            by=self.by, style=self.style or None, format=form, effort=self.effort, check_claims=self.check_claims
        )


class StreamRequest(AnswerRequest):
    rendered: bool = Field(default=False, description="also send the answer as elements, in `blocks` events")


def source_names(kb: Workspace) -> RelativeNames:
    """Return the names of sources for clients, without paths of the server."""
    with kb.store().read() as reader:
        return RelativeNames.of(reader)


async def knowledge_for(service: ServerState, kb: Workspace, asked: RetrieveRequest) -> Knowledge:
    """Retrieve the knowledge relevant to a question."""
    only = await asyncio.to_thread(_filter, kb, asked.only)
    _check_method(kb, asked.method)
    async with service.turns.turn(kb.name):
        knowledge = await service.work.run(kb.aretrieve(asked.question, asked.method, asked.context_tokens, only))
    service.metrics.paid(knowledge.usage)
    return (await asyncio.to_thread(source_names, kb)).applied(knowledge)


async def answer_to(service: ServerState, kb: Workspace, asked: AnswerRequest) -> Answer:
    """Return the complete answer."""
    only = await asyncio.to_thread(_filter, kb, asked.only)
    _check_model(kb, asked)
    turns = [turn.turn() for turn in asked.history]
    how = asked.how(kb.settings.answer)
    async with service.turns.turn(kb.name):
        work = kb.aquery(asked.question, asked.method, asked.context_tokens, turns, how, only)
        answer = await service.work.run(work)
    service.metrics.paid(answer.usage)
    return (await asyncio.to_thread(source_names, kb)).applied(answer)


async def pieces_of(service: ServerState, kb: Workspace, asked: AnswerRequest) -> AsyncGenerator[Piece, None]:
    """Stream the retrieved knowledge, the text of the answer in pieces, its citations, and the complete answer."""
    only = await asyncio.to_thread(_filter, kb, asked.only)
    _check_model(kb, asked)
    turns = [turn.turn() for turn in asked.history]
    how = asked.how(kb.settings.answer)

    def make(tell: Callable[[Piece], None]) -> AsyncGenerator[Piece, None]:
        return _typed(kb.astream(asked.question, asked.method, asked.context_tokens, turns, how, only, tell, tell))

    names = await asyncio.to_thread(source_names, kb)
    # An admission slot belongs to one task, but the consumer may read the stream from several tasks.
    async with TaskStream.of(_in_turn(service, kb.name, make)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Answer):
                service.metrics.paid(piece.usage)
            yield names.applied(piece)


def is_quoted(kb: Workspace, asked: AnswerRequest) -> bool:
    """Return whether the answer will be quoted, without a language model."""
    by = asked.how(kb.settings.answer).by
    return by == "quotes" or (by == "auto" and not kb.settings.model.of_role("answers").name)


async def _in_turn(
    service: ServerState, whose: str, make: Callable[[Callable[[Piece], None]], AsyncGenerator[Piece, None]]
) -> AsyncGenerator[Piece, None]:
    async with service.turns.turn(whose), aclosing(service.work.stream(make)) as pieces:
        async for piece in pieces:
            yield piece


async def _typed(pieces: AsyncGenerator[str | Answer, None]) -> AsyncGenerator[Piece, None]:
    async for piece in pieces:
        yield piece


def _check_model(kb: Workspace, asked: AnswerRequest) -> None:
    if kb.settings.model.of_role("answers").name:
        return
    if asked.by == "model" or asked.think or asked.check_claims or asked.effort not in (None, "low"):
        raise ProblemError(
            409, "no-language-model", "the workspace has no language model: omit by, think, effort and check_claims"
        )
    _check_method(kb, asked.method)


def _check_method(kb: Workspace, method: str | None) -> None:
    """Refuse a method that needs a language model if the workspace has none."""
    name = method or kb.settings.retrieval.method
    if needs_model(name) and not kb.settings.model.of_role("answers").name:
        what = f"the method {name} needs a language model, and the workspace has none: use another method"
        raise ProblemError(409, "no-language-model", what)


def _filter(kb: Workspace, only: FilterSchema | None) -> Filter | None:
    """Build the filter from identifiers; a source could also match something else on the server's disk."""
    if only is None or not (only.documents or only.where):
        return None
    with kb.store().read() as reader:
        if not all(reader.records.record(identifier) for identifier in only.documents):
            raise ProblemError(422, "unknown-document", "the filter names a document that is not in the workspace")
    return Filter(where=only.where, documents=tuple(only.documents))
