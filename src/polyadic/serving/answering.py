"""Questions to a workspace, whichever protocol they come by: bounded, counted, on the loop where workspaces work."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from polyadic.generation.apart import Apart
from polyadic.knowledge import Answer, Filter, Knowledge
from polyadic.serving.problems import Refused
from polyadic.serving.schemas import Only, ToAnswer, ToRetrieve
from polyadic.serving.service import Service
from polyadic.workspace import Workspace

Piece = Knowledge | str | Answer


async def knowledge_for(service: Service, kb: Workspace, asked: ToRetrieve) -> Knowledge:
    """The knowledge that bears on a question."""
    only = _filter(kb, asked.only)
    async with service.turns.turn():
        found = await service.work.run(kb.aretrieve(asked.question, asked.method, asked.context_tokens, only))
    service.metrics.paid(found.usage)
    return found


async def answer_to(service: Service, kb: Workspace, asked: ToAnswer) -> Answer:
    """The answer, once it is whole."""
    only = _filter(kb, asked.only)
    _check_model(kb, asked)
    turns = [said.turn() for said in asked.history]
    how = asked.how(kb.settings.answer)
    async with service.turns.turn():
        work = kb.aquery(asked.question, asked.method, asked.context_tokens, turns, how, only)
        answer = await service.work.run(work)
    service.metrics.paid(answer.usage)
    return answer


async def pieces_of(service: Service, kb: Workspace, asked: ToAnswer) -> AsyncGenerator[Piece, None]:
    """What was found, as soon as it is; the text of the answer in pieces; the answer."""
    only = _filter(kb, asked.only)
    _check_model(kb, asked)
    turns = [said.turn() for said in asked.history]
    how = asked.how(kb.settings.answer)

    def make(tell: Callable[[Piece], None]) -> AsyncGenerator[Piece, None]:
        return _typed(kb.astream(asked.question, asked.method, asked.context_tokens, turns, how, only, tell))

    # A turn is one task's: whoever streams the pieces on may take them in several.
    async with Apart(_in_turn(service, make)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Answer):
                service.metrics.paid(piece.usage)
            yield piece


async def _in_turn(
    service: Service, make: Callable[[Callable[[Piece], None]], AsyncGenerator[Piece, None]]
) -> AsyncGenerator[Piece, None]:
    async with service.turns.turn(), aclosing(service.work.each(make)) as pieces:
        async for piece in pieces:
            yield piece


async def _typed(pieces: AsyncGenerator[str | Answer, None]) -> AsyncGenerator[Piece, None]:
    async for piece in pieces:
        yield piece


def _check_model(kb: Workspace, asked: ToAnswer) -> None:
    if (asked.by == "model" or asked.think) and not kb.settings.model.name:
        raise Refused(409, "no-language-model", "the workspace has no language model: leave out by and think")


def _filter(kb: Workspace, only: Only | None) -> Filter | None:
    """The filter by sources; identifiers are looked up exactly, so that nothing else can be named by them."""
    if only is None or not (only.documents or only.where):
        return None
    return Filter(tuple(_sources(kb, only.documents)), only.where)


def _sources(kb: Workspace, identifiers: Sequence[str]) -> list[str]:
    with kb.store().read() as reader:
        records = [reader.record(identifier) for identifier in identifiers]
    if not all(records):
        raise Refused(422, "unknown-document", "a document of the filter is none of the workspace's")
    return [record.source for record in records if record]
