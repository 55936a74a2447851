"""kill -9 between any two calls of indexing with a model: what was answered and kept is not paid for again."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crashes.commands import AT_ONCE, ended, export, indexing, times_asked, wait_for_calls
from tests.model_server import ModelServer, ready
from tests.support.with_a_model import write_letters

pytestmark = pytest.mark.slow

LETTERS, SENTENCES, KILLS = 30, 8, 10


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_letters(tmp_path_factory.mktemp("letters"), LETTERS, SENTENCES)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready(), delay=0.02) as running:
        yield running


def test_kills_cost_only_the_calls_in_flight(letters: Path, tmp_path: Path, server: ModelServer) -> None:
    """They come all over the run, one every few calls: ``test_write_points`` has the moments at which it writes."""
    assert ended(indexing(letters, tmp_path / "undisturbed", server))[0] == 0
    chunks, expected = len(server.calls), export(tmp_path / "undisturbed")
    server.reset()
    for _ in range(KILLS):
        run = indexing(letters, tmp_path / "killed", server)
        # So few that some are always left, also where a busy machine kills late.
        wait_for_calls(run, server, chunks // (KILLS + 5))
        run.send_signal(signal.SIGKILL)
        assert ended(run)[0] == -signal.SIGKILL
    assert ended(indexing(letters, tmp_path / "killed", server))[0] == 0
    asked = times_asked(server)
    assert len(asked) == chunks
    assert asked.total() <= chunks + KILLS * AT_ONCE
    assert export(tmp_path / "killed") == expected
