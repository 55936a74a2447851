"""The same request is never paid for twice."""

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from polyadic.config import ModelSettings
from polyadic.errors import NoReply
from polyadic.llm.cached_model import CachedModel, NullCache, PaidCall, ResponseCache
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import ModelReply
from polyadic.model.types import Usage
from tests.llm.endpoint_help import model_settings, question
from tests.model_server import Changed, EmptyText, Misbehaviour, ModelServer, NotJson, Refusal, Replaced, Status, says

# The last two were written, and are paid, although nothing of them is shown.
USELESS = [
    EmptyText(),
    Refusal(),
    Changed(lambda said: replace(said, text="", finish_reason="length", completion_tokens=500)),
    Changed(lambda said: replace(said, finish_reason="content_filter")),
]


@dataclass
class Kept:
    """A cache in a dictionary, and the ledger of what was paid."""

    replies: dict[str, tuple[str, bool]] = field(default_factory=dict)
    paid: list[tuple[str, str, int]] = field(default_factory=list)
    looks: list[int] = field(default_factory=list)
    """For how many requests at once a reply was looked for."""

    def get(self, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
        self.looks.append(len(keys))
        return {key: self.replies[key] for key in keys if key in self.replies}

    def note(self, paid: Sequence[PaidCall]) -> None:
        for one in paid:
            self.paid.append((one.request.purpose, one.model, one.reply.usage.tokens))
            if one.remember:
                self.replies[one.request.key(one.model)] = (one.reply.text, one.reply.complete)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([lambda asked: f"Of {asked.text}"], delay=0.02) as running:
        yield running


def ask(server: ModelServer, cache: ResponseCache, *texts: str) -> tuple[list[ModelReply | BaseException], CachedModel]:
    """The replies to all of these, asked at once by one model with a cache; good ones begin with "Of"."""
    model = EndpointModel(model_settings(server, key_variable=""))
    remembering = CachedModel(model, cache)

    async def asked() -> list[ModelReply | BaseException]:
        waits = (remembering.complete(question(text), lambda reply: reply.text.startswith("Of")) for text in texts)
        try:
            return await asyncio.gather(*waits, return_exceptions=True)
        finally:
            await model.close()

    return asyncio.run(asked()), remembering


def texts_of(replies: list[ModelReply | BaseException]) -> list[str]:
    return [reply.text if isinstance(reply, ModelReply) else type(reply).__name__ for reply in replies]


def test_earlier_replies_are_cached(server: ModelServer) -> None:
    cache = Kept()
    first, paying = ask(server, cache, "Ada", "Babbage")
    again, recalling = ask(server, cache, "Ada", "Babbage")
    assert texts_of(first) == texts_of(again) == ["Of Ada", "Of Babbage"]
    assert (paying.cache_hits, recalling.cache_hits, recalling.spent) == (0, 2, Usage())
    assert paying.spent.calls == len(server.calls) == len(cache.paid) == 2
    assert paying.spent.tokens == sum(tokens for *_, tokens in cache.paid)
    assert cache.paid[0][:2] == ("answer", "recorded")


def test_equal_concurrent_requests_are_sent_once(server: ModelServer) -> None:
    # So long that a slow machine has sent both meanwhile.
    server.delay = 0.5
    replies, remembering = ask(server, Kept(), *["Ada"] * 5, "Babbage")
    assert texts_of(replies) == ["Of Ada"] * 5 + ["Of Babbage"]
    assert (remembering.cache_hits, remembering.spent.calls, len(server.calls)) == (4, 2, 2)
    # Different requests do not wait for each other.
    assert server.most_at_once == 2


def test_concurrent_cache_lookups_are_batched(server: ModelServer) -> None:
    cache = Kept()
    replies, _ = ask(server, cache, *"ABCDEFGH")
    assert texts_of(replies) == [f"Of {text}" for text in "ABCDEFGH"]
    assert (sum(cache.looks), len(cache.looks)) == (8, 1)


def test_unusable_reply_is_paid_but_not_cached(server: ModelServer) -> None:
    cache = Kept()
    server.misbehave(Replaced("Sorry."))
    replies, remembering = ask(server, cache, "Ada", "Ada")
    assert sorted(texts_of(replies)) == ["Of Ada", "Sorry."]
    assert (remembering.spent.calls, len(cache.paid), list(cache.replies.values())) == (2, 2, [("Of Ada", True)])


def test_missing_reply_is_not_cached_and_retried_by_the_next(server: ModelServer) -> None:
    server.misbehave(EmptyText())
    cache = Kept()
    replies, remembering = ask(server, cache, "Ada", "Ada")
    assert sorted(texts_of(replies)) == [NoReply.__name__, "Of Ada"]
    assert remembering.spent.calls == len(cache.paid) == 2 and len(cache.replies) == 1


@pytest.mark.parametrize("useless", USELESS, ids=["empty", "refusal", "thoughts", "filter"])
def test_useless_reply_is_recorded_as_paid(server: ModelServer, useless: Misbehaviour) -> None:
    cache = Kept()
    server.misbehave(useless)
    (problem,), remembering = ask(server, cache, "Ada")
    (call,) = server.calls
    paid = Usage(1, call.prompt_tokens, call.completion_tokens)
    assert isinstance(problem, NoReply) and (problem.usage, remembering.spent) == (paid, paid)
    assert problem.seconds >= server.delay
    assert cache.paid == [("answer", "recorded", paid.tokens)] and cache.replies == {}


@pytest.mark.parametrize("unpaid", [Status(500), Status(400, "content_filter"), NotJson()], ids=["500", "400", "page"])
def test_call_without_a_response_is_not_recorded(server: ModelServer, unpaid: Misbehaviour) -> None:
    cache = Kept()
    server.misbehave(unpaid)
    (problem,), remembering = ask(server, cache, "Ada")
    assert isinstance(problem, NoReply) and problem.usage is None
    assert (remembering.spent, cache.paid) == (Usage(), [])


def test_truncated_reply_is_cached_as_truncated(server: ModelServer) -> None:
    cache = Kept({question("Ada").key("recorded"): ("Of A", False)})
    (reply,), _ = ask(server, cache, "Ada")
    assert reply == ModelReply("Of A", False, Usage(), 0.0) and not server.calls


def test_null_cache_stores_nothing() -> None:
    with ModelServer([says("Of it")]) as server:
        for _ in range(2):
            _, remembering = ask(server, NullCache(), "Ada")
            assert remembering.spent.calls == 1
        assert len(server.calls) == 2


def test_cancelled_request_waits_for_cache_reads_to_end() -> None:
    begun, read = threading.Event(), threading.Event()

    class Slow(Kept):
        def get(self, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
            begun.set()
            assert read.wait(20)
            return super().get(keys)

    async def cancelled() -> None:
        asking = asyncio.create_task(
            CachedModel(EndpointModel(ModelSettings()), Slow()).complete(question("Ada"), bool)
        )
        await asyncio.to_thread(begun.wait, 20)
        asking.cancel()
        assert not (await asyncio.wait([asking], timeout=0.2))[0]
        read.set()
        with pytest.raises(asyncio.CancelledError):
            await asking

    asyncio.run(cancelled())


def test_replies_arriving_during_a_write_are_batched(server: ModelServer) -> None:
    noted: list[int] = []

    class Slow(Kept):
        def note(self, paid: Sequence[PaidCall]) -> None:
            time.sleep(0.2)
            noted.append(len(paid))
            super().note(paid)

    cache = Slow()
    ask(server, cache, *(f"Ada {n}" for n in range(6)))
    assert len(cache.replies) == sum(noted) == 6
    assert len(noted) < 6
