"""Questions to a workspace, whichever protocol they come by: bounded, counted, on the loop where workspaces work."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from polyadic.generation.task_generator import TaskIsolatedStream
from polyadic.model.types import Answer, Filter, Knowledge
from polyadic.server.problem_details import ProblemError
from polyadic.server.schemas import AnswerRequest, FilterSchema, RetrieveRequest
from polyadic.server.service import ServerState
from polyadic.workspace import Workspace

Piece = Knowledge | str | Answer


async def knowledge_for(service: ServerState, kb: Workspace, asked: RetrieveRequest) -> Knowledge:
    """The knowledge that bears on a question."""
    only = _filter(kb, asked.only)
    async with service.turns.turn(kb.name):
        found = await service.work.run(kb.aretrieve(asked.question, asked.method, asked.context_tokens, only))
    service.metrics.paid(found.usage)
    return found


async def answer_to(service: ServerState, kb: Workspace, asked: AnswerRequest) -> Answer:
    """The answer, once it is whole."""
    only = _filter(kb, asked.only)
    _check_model(kb, asked)
    turns = [said.turn() for said in asked.history]
    how = asked.how(kb.settings.answer)
    async with service.turns.turn(kb.name):
        work = kb.aquery(asked.question, asked.method, asked.context_tokens, turns, how, only)
        answer = await service.work.run(work)
    service.metrics.paid(answer.usage)
    return answer


async def pieces_of(service: ServerState, kb: Workspace, asked: AnswerRequest) -> AsyncGenerator[Piece, None]:
    """What was found, as soon as it is; the text of the answer in pieces; the answer."""
    only = _filter(kb, asked.only)
    _check_model(kb, asked)
    turns = [said.turn() for said in asked.history]
    how = asked.how(kb.settings.answer)

    def make(tell: Callable[[Piece], None]) -> AsyncGenerator[Piece, None]:
        return _typed(kb.astream(asked.question, asked.method, asked.context_tokens, turns, how, only, tell))

    # A turn is one task's: whoever streams the pieces on may take them in several.
    async with TaskIsolatedStream(_in_turn(service, kb.name, make)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Answer):
                service.metrics.paid(piece.usage)
            yield piece


async def _in_turn(
    service: ServerState, whose: str, make: Callable[[Callable[[Piece], None]], AsyncGenerator[Piece, None]]
) -> AsyncGenerator[Piece, None]:
    async with service.turns.turn(whose), aclosing(service.work.each(make)) as pieces:
        async for piece in pieces:
            yield piece


async def _typed(pieces: AsyncGenerator[str | Answer, None]) -> AsyncGenerator[Piece, None]:
    async for piece in pieces:
        yield piece


def _check_model(kb: Workspace, asked: AnswerRequest) -> None:
    if (asked.by == "model" or asked.think) and not kb.settings.model.name:
        raise ProblemError(409, "no-language-model", "the workspace has no language model: leave out by and think")


def _filter(kb: Workspace, only: FilterSchema | None) -> Filter | None:
    """The filter by identifiers: a source could be that of something else on the server's disk too."""
    if only is None or not (only.documents or only.where):
        return None
    with kb.store().read() as reader:
        if not all(reader.record(identifier) for identifier in only.documents):
            raise ProblemError(422, "unknown-document", "a document of the filter is none of the workspace's")
    return Filter(where=only.where, documents=tuple(only.documents))
