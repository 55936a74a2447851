"""An endpoint that allows only so much: it is asked more slowly, and everything is read."""

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import pytest

from polyadic.model.types import Document
from tests.model_server import Asked, ModelServer, Status, ready
from tests.support.with_a_model import SMALL, story, workspace

pytestmark = pytest.mark.slow

# So many that a few refusals at one moment do not decide what share of the calls is refused.
LETTERS = [Document(f"memory:{n}", f"Letters {n}", story(n, 4)) for n in range(150)]
Server = Callable[[ModelServer], Callable[[Asked], bool]]


def per_second(most: int) -> Server:
    """Says of each call beyond so many within a second that it is too many."""
    accepted = deque[float]()

    def is_too_much(asked: Asked) -> bool:
        now = time.monotonic()
        while accepted and now - accepted[0] > 1:
            accepted.popleft()
        if len(accepted) < most:
            accepted.append(now)
            return False
        return True

    return lambda server: is_too_much


def at_once(most: int) -> Server:
    """Says of each call beyond so many under way that it is too many."""
    return lambda server: lambda asked: server.chat.under_way > most


@pytest.mark.parametrize(
    ("too_many", "delay", "says"),
    [
        # Fewer than a slow machine asks for.
        (per_second(15), 0.02, {"retry_after": 1}),
        (per_second(15), 0.02, {}),
        (at_once(3), 0.03, {}),
        (at_once(1), 0.01, {"headers": {"retry-after-ms": "100"}}),
    ],
    ids=["a second, Retry-After", "a second", "at once", "one at once"],
)
def test_concurrency_adapts_to_the_endpoint_limit(
    tmp_path: Path, too_many: Server, delay: float, says: dict[str, object]
) -> None:
    with (
        ModelServer(ready(), delay=delay) as server,
        workspace(tmp_path, server, chunking=SMALL, at_once=24, retries=8) as kb,
    ):
        server.misbehave(Status(429, **says), times=None, when=too_many(server))  # type: ignore[arg-type]
        report = kb.add(LETTERS)
        assert (report.failed, report.stopped, report.added) == ([], "", len(LETTERS))
        assert report.usage.calls == sum(call.status == 200 for call in server.calls)
        refused = [call.status == 429 for call in sorted(server.calls, key=lambda call: call.at)]
        later = refused[len(refused) // 2 :]
        assert report.throttle_count >= 1 and sum(refused) >= 10
        # With a fixed number of calls at once, more than nine of ten are refused.
        assert sum(later) / len(later) < 1 / 3


def test_without_refusals_concurrency_is_not_reduced(tmp_path: Path) -> None:
    with ModelServer(ready(), delay=0.3) as server, workspace(tmp_path, server, chunking=SMALL, at_once=8) as kb:
        assert kb.add(LETTERS[:40]).throttle_count == 0
        assert server.most_at_once == 8


@pytest.mark.parametrize("as_date", [False, True], ids=["seconds", "date"])
def test_retry_after_of_one_call_pauses_all(tmp_path: Path, as_date: bool) -> None:
    with (
        ModelServer(ready(), delay=0.02) as server,
        workspace(tmp_path, server, chunking=SMALL, at_once=4, retries=3) as kb,
    ):
        server.misbehave(Status(429, retry_after=1.2, as_date=as_date), on=[20])
        assert not kb.add(LETTERS[:60]).failed
        (refused,) = [call for call in server.calls if call.status == 429]
        # Whatever was on its way may still come; with a date, whose seconds are whole, up to a second is rounded off.
        after = [call.at - refused.at for call in server.calls if call.at > refused.at + 0.25]
        assert min(after) >= (1.1 if not as_date else 0.9)


def test_run_stops_if_refusals_persist_and_resumes_later(tmp_path: Path) -> None:
    with ModelServer(ready()) as server, workspace(tmp_path, server, chunking=SMALL, at_once=4, retries=1) as kb:
        server.misbehave(Status(429, headers={"retry-after-ms": "50"}), on=range(10, 1000))
        report = kb.add(LETTERS[:24])
        assert "too many calls" in report.stopped and report.throttle_count
        # Nine were answered; each of four workers asked twice more at most.
        assert len(server.calls) <= 9 + 4 * 2 and kb.store().problems() == []
        server.reset()
        assert not kb.add(LETTERS[:24]).stopped
        assert len(server.calls) == 24 - 9
