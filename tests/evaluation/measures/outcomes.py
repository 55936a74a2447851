"""Outcomes made by hand, and a judge behind real HTTP."""

import asyncio
from collections.abc import Callable, Sequence

from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.measures.judge import replies
from polyadic.evaluation.question_record import GeneratedText, QuestionOutcome
from polyadic.llm.cached_model import CachedModel, NullCache, ResponseCache
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import ModelRequest
from tests.llm.endpoint_help import model_settings
from tests.model_server import ModelServer


def outcome(
    generation: str | None = None,
    golds: Sequence[str] = (),
    question: str = "Who?",
    passages: Sequence[str] = (),
    gold: Sequence[str] = (),
    knowledge: Sequence[str] = (),
    gold_knowledge: Sequence[str] = (),
    id: str = "q",
) -> QuestionOutcome:
    asked = DatasetQuestion(id, question, tuple(golds), frozenset(gold), tuple(gold_knowledge))
    read = None if generation is None else GeneratedText.read(generation)
    return QuestionOutcome(asked, tuple(passages), tuple(knowledge), 0, read)


def asked_of(
    server: ModelServer,
    requests: Sequence[ModelRequest],
    is_readable: Callable[[str], bool],
    cache: ResponseCache | None = None,
    at_once: int = 4,
) -> list[str | None]:
    """The replies of the server's model to these requests."""

    async def asked() -> list[str | None]:
        model = EndpointModel(model_settings(server, key_variable=""))
        try:
            return await replies(CachedModel(model, cache or NullCache()), requests, is_readable, at_once)
        finally:
            await model.close()

    return asyncio.run(asked())
