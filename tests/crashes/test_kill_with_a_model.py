"""kill -9 at fifty random moments of indexing with a model: what was answered and kept is not paid for again."""

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crashes.commands import AT_ONCE, ended, export, indexing, times_asked
from tests.model_server import ModelServer, ready
from tests.support.with_a_model import write_letters

pytestmark = pytest.mark.slow

KILLS = 50


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_letters(tmp_path_factory.mktemp("letters"), 40, 16)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready(), delay=0.02) as running:
        yield running


def test_fifty_kills_cost_only_the_calls_in_flight(letters: Path, tmp_path: Path, server: ModelServer) -> None:
    started = time.monotonic()
    assert ended(indexing(letters, tmp_path / "undisturbed", server))[0] == 0
    seconds, expected = time.monotonic() - started, export(tmp_path / "undisturbed")
    chunks = len(server.calls)
    drawn = random.Random(5)
    killed = 0
    for attempt in range(KILLS):
        folder = tmp_path / f"killed{attempt // 10}"
        if attempt % 10 == 0:
            server.reset()
        run = indexing(letters, folder, server)
        time.sleep(drawn.uniform(0.3, 0.4 * seconds))
        run.send_signal(signal.SIGKILL)
        killed += ended(run)[0] == -signal.SIGKILL
        if attempt % 10 == 9:
            assert ended(indexing(letters, folder, server))[0] == 0
            asked = times_asked(server)
            assert len(asked) == chunks
            assert asked.total() <= chunks + 10 * AT_ONCE
            assert export(folder) == expected
    assert killed >= KILLS // 2
