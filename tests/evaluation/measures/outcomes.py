"""Outcomes made by hand, and a judge behind real HTTP."""

import asyncio
from collections.abc import Callable, Sequence

from polyadic.evaluation.datasets import Question
from polyadic.evaluation.judging import replies
from polyadic.evaluation.outcome import Generation, Outcome
from polyadic.models.endpoint_model import EndpointModel
from polyadic.models.language_model import Request
from polyadic.models.remembering import Memory, NoMemory, Remembering
from tests.models.endpoint_help import model_settings
from tests.server import ModelServer


def outcome(
    generation: str | None = None,
    golds: Sequence[str] = (),
    question: str = "Who?",
    passages: Sequence[str] = (),
    gold: Sequence[str] = (),
    knowledge: Sequence[str] = (),
    gold_knowledge: Sequence[str] = (),
    id: str = "q",
) -> Outcome:
    asked = Question(id, question, tuple(golds), frozenset(gold), tuple(gold_knowledge))
    read = None if generation is None else Generation.read(generation)
    return Outcome(asked, tuple(passages), tuple(knowledge), 0, read)


def asked_of(
    server: ModelServer,
    requests: Sequence[Request],
    is_readable: Callable[[str], bool],
    memory: Memory | None = None,
    at_once: int = 4,
) -> list[str | None]:
    """The replies of the server's model to these requests."""

    async def asked() -> list[str | None]:
        model = EndpointModel(model_settings(server, key_variable=""))
        try:
            return await replies(Remembering(model, memory or NoMemory()), requests, is_readable, at_once)
        finally:
            await model.close()

    return asyncio.run(asked())
