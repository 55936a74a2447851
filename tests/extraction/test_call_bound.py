"""No indexing run costs more than the estimate says that it costs at most, whatever the model replies."""

import random
from pathlib import Path
from typing import Any

import pytest

from polyadic.config import ChunkingSettings, ExtractionSettings
from polyadic.workspace import Workspace
from tests.extraction.test_llm_extractor import ADA
from tests.model_server import Asked, CutText, ModelServer, Replaced, Responder, ready
from tests.model_server.facts import FactRow
from tests.model_server.names import names
from tests.model_server.reading import numbered
from tests.support.with_a_model import fact, replies, story, workspace, write_letters

PRICES: dict[str, Any] = {"prompt_price": 0.15, "completion_price": 0.6}
SMALL_WINDOWS = ChunkingSettings(tokens=100, overlap=20, window_tokens=200)
NOTHING = Replaced('{"facts": []}')


def index_within_bound(kb: Workspace, folder: Path) -> tuple[int, int]:
    """Index; return the number of calls, and their maximum according to the estimate."""
    found = kb.estimate([folder])
    used, most = kb.index([folder]).usage, found.max_usage
    assert found.usage.calls <= most.calls and used.calls <= most.calls
    assert used.prompt_tokens <= most.prompt_tokens and used.completion_tokens <= most.completion_tokens
    assert used.money <= most.money and most.money > 0
    return used.calls, most.calls


def one_at_a_time(seed: int) -> Responder:
    """A few facts of a passage each time, or none at all."""
    chance = random.Random(seed)

    def rows(asked: Asked) -> list[FactRow]:
        sentences = numbered(asked.messages[1].text)
        return [fact(text, names(text)[:2], [number]) for number, text in chance.sample(sentences, chance.randrange(2))]

    return replies(rows)


@pytest.mark.parametrize("gleanings", [0, 2])
@pytest.mark.parametrize("output_tokens", [150, 600, 8000])
def test_indexing_stays_within_the_bound(tmp_path: Path, gleanings: int, output_tokens: int) -> None:
    folder = write_letters(tmp_path / "letters", 3, 30)
    extraction = ExtractionSettings(gleanings=gleanings)
    limits = PRICES | {"output_tokens": output_tokens}
    with (
        ModelServer([one_at_a_time(output_tokens), *ready()]) as server,
        workspace(tmp_path / "kb", server, extraction, SMALL_WINDOWS, **limits) as kb,
    ):
        calls, most = index_within_bound(kb, folder)
        assert calls > kb.status().counts.chunks // 2 and most <= 50 * calls


def test_windows_without_facts_are_in_the_bound(tmp_path: Path) -> None:
    folder = write_letters(tmp_path / "letters", 2, 12)
    with ModelServer(ready()) as server, workspace(tmp_path / "kb", server, **PRICES) as kb:
        server.misbehave(NOTHING, times=None)
        expected = kb.estimate([folder]).usage.calls
        calls, most = index_within_bound(kb, folder)
        assert calls == 2 * expected <= most


def test_replies_that_are_always_cut_off_are_in_the_bound(tmp_path: Path) -> None:
    folder = write_letters(tmp_path / "letters", 2, 12)
    with ModelServer(ready()) as server, workspace(tmp_path / "kb", server, output_tokens=400, **PRICES) as kb:
        server.misbehave(CutText(), times=None)
        expected = kb.estimate([folder]).usage.calls
        calls, most = index_within_bound(kb, folder)
        assert expected < calls <= most


def test_a_window_is_not_split_forever(tmp_path: Path) -> None:
    """A model that never ends its reply is asked about halves, but not about every sentence."""
    with ModelServer(ready()) as server, workspace(tmp_path, server) as kb:
        server.misbehave(CutText(), times=None)
        kb.add([ADA])
        assert len(server.calls) == 3


def test_cached_replies_lower_the_bound(tmp_path: Path) -> None:
    folder = write_letters(tmp_path / "letters", 3, 12)
    with ModelServer(ready()) as server, workspace(tmp_path / "kb", server, **PRICES) as kb:
        kb.index([folder / "0.txt"])
        kb.delete(str(folder / "0.txt"))
        whole = kb.estimate([folder])
        kb.index([folder])
        kb.delete([str(folder)])
        again = kb.estimate([folder])
        assert again.documents == 3 and again.max_usage.calls == again.usage.calls == 0
        (folder / "new.txt").write_text(story(7, 12))
        assert 0 < kb.estimate([folder]).max_usage.calls < whole.max_usage.calls
