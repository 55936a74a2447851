"""What indexing is said to cost, against what it then costs."""

import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from polyadic.config import EmbeddingSettings, ExtractionSettings, Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import ModelUnavailable
from polyadic.model.types import Usage
from polyadic.workspace import Workspace
from tests.model_server import EmptyText, ModelServer, Status, ready
from tests.model_server.fixtures import recorded_server
from tests.support.with_a_model import HASHING, SMALL, by_look_of, settings, story, workspace, write_letters

__all__ = ["recorded_server"]

PRICES: dict[str, Any] = {"prompt_price": 0.15, "completion_price": 0.6}
CLOSE = 0.15
# Wide, as the machine may be busy in one of the two runs.
IN_TIME = 0.5


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    return write_letters(tmp_path / "letters", 3, 12)


def passages(file: Path, first: int, most: int | None = None) -> Path:
    """Every other passage of 2wiki-101, from the first or the second on."""
    with (Path(os.environ["POLYADIC_DATA"]) / "2wiki-101" / "corpus.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in islice(lines, first, None, 2)]
    kept = [json.dumps({"_id": row["_id"], "title": row["title"], "text": row["text"]}) for row in rows[:most]]
    file.write_text("\n".join(kept))
    return file


def differ(estimated: float, real: float) -> float:
    return abs(estimated - real) / real


@pytest.mark.slow
@pytest.mark.data
def test_estimate_without_history_is_close(tmp_path: Path, recorded_server: ModelServer) -> None:
    """The rule of thumb comes from the other half of the passages."""
    recorded_server.reset()
    file = passages(tmp_path / "odd.jsonl", 1, 100)
    with workspace(tmp_path / "kb", recorded_server, **PRICES) as kb:
        found = kb.estimate([file])
        assert recorded_server.asked == [] and not (tmp_path / "kb").exists()
        report = kb.index([file])
    assert (found.usage.calls, found.usage.prompt_tokens) == (report.usage.calls, report.usage.prompt_tokens)
    assert found.usage.calls == len(recorded_server.calls) == found.documents == 100
    assert found.chunks == report.chunks >= 100
    assert found.usage.prompt_tokens == recorded_server.prompt_tokens
    assert differ(found.usage.completion_tokens, recorded_server.completion_tokens) < CLOSE
    assert differ(found.usage.money, report.usage.money) < CLOSE
    assert differ(found.texts_to_embed, report.texts_embedded) < CLOSE
    assert "rule of thumb" in found.basis


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(("delay", "tokens_per_second", "at_once"), [(0.2, 500.0, 16), (0.0, 2000.0, 4)])
def test_estimate_includes_time_after_some_calls(
    tmp_path: Path, recorded_server: ModelServer, delay: float, tokens_per_second: float, at_once: int
) -> None:
    recorded_server.reset()
    recorded_server.delay, recorded_server.tokens_per_second = delay, tokens_per_second
    try:
        with workspace(tmp_path / "kb", recorded_server, at_once=at_once, **PRICES) as kb:
            kb.index([passages(tmp_path / "even.jsonl", 0, 60)])
            file = passages(tmp_path / "odd.jsonl", 1, 60)
            found = kb.estimate([file])
            report = kb.index([file])
    finally:
        recorded_server.delay, recorded_server.tokens_per_second = 0.0, None
    assert "60 calls before" in found.basis
    assert differ(found.seconds, report.seconds) < IN_TIME
    assert differ(found.usage.completion_tokens, report.usage.completion_tokens) < CLOSE
    assert differ(found.usage.money, report.usage.money) < CLOSE


def test_cached_replies_cost_nothing(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    with workspace(tmp_path / "kb", server, chunking=SMALL) as kb:
        all_new = kb.estimate([letters])
        kb.index([letters / "0.txt"])
        server.reset()
        found = kb.estimate([letters])
        assert (found.documents, found.unchanged, all_new.documents) == (2, 1, 3)
        kb.delete(str(letters / "0.txt"))
        kb.index([letters / "1.txt"], extractor="sentences")
        again = kb.estimate([letters])
        assert (again.documents, again.outdated, again.unchanged) == (2, 1, 1)
        # Gone from the workspace, but its replies are cached.
        assert again.cached == all_new.chunks - found.chunks > 0
        assert again.usage.prompt_tokens < found.usage.prompt_tokens
        anew = kb.estimate([letters], extractor="model")
        assert (anew.documents, anew.usage.calls) == (3, found.usage.calls)
        assert server.asked == []
        kb.index([letters], extractor="model")
        assert (len(server.calls), server.prompt_tokens) == (anew.usage.calls, anew.usage.prompt_tokens)


def test_equal_texts_are_counted_once(tmp_path: Path, server: ModelServer) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(json.dumps({"_id": n, "title": "A", "text": story(0, 4)}) for n in "abc"))
    with workspace(tmp_path / "kb", server) as kb:
        found = kb.estimate([file])
        assert (found.usage.calls, found.cached) == (1, 2)
        assert kb.index([file]).usage.calls == 1


def test_failed_chunks_are_the_remaining_cost(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    with workspace(tmp_path / "kb", server, chunking=SMALL) as kb:
        server.misbehave(EmptyText(), on=(2,))
        kb.index([letters])
        found = kb.estimate([letters])
        assert (found.documents, found.unchanged, found.usage.calls) == (1, 2, 1)


def test_gleanings_are_estimated_from_the_ledger(tmp_path: Path) -> None:
    def file(n: int) -> Path:
        path = tmp_path / f"{n}.txt"
        path.write_text(story(n, 24))
        return path

    with (
        by_look_of(first=1) as server,
        workspace(tmp_path / "kb", server, ExtractionSettings(gleanings=2), SMALL) as kb,
    ):
        before = kb.estimate([file(0)])
        assert "2 further gleaning calls" in before.basis
        report = kb.index([file(0)])
        assert report.usage.calls > before.usage.calls == report.chunks
        found = kb.estimate([file(1)])
        real = kb.index([file(1)]).usage
        for estimated, paid in zip(_numbers(found.usage), _numbers(real), strict=True):
            assert differ(estimated, paid) < CLOSE


def _numbers(usage: Usage) -> Iterable[float]:
    return usage.calls, usage.prompt_tokens, usage.completion_tokens


def test_rate_limits_are_part_of_the_estimated_time(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    seconds = []
    limits: list[dict[str, Any]] = [{}, {"requests_per_minute": 1}, {"tokens_per_minute": 100}]
    for n, limit in enumerate(limits):
        with workspace(tmp_path / str(n), server, chunking=SMALL, **limit) as kb:
            found = kb.estimate([letters])
            seconds.append(found.seconds)
    assert seconds[1] == pytest.approx(60 * found.usage.calls, abs=2)
    assert seconds[2] == pytest.approx(60 * found.usage.tokens / 100, abs=2)
    assert seconds[0] < seconds[1] < seconds[2]


# embedding by an endpoint


@contextmanager
def embedding(folder: Path, server: ModelServer) -> Iterator[Workspace]:
    """A workspace that has sentences read here, and embedded by the server."""
    asked = {"name": "hashing", "base_url": server.url, "key_variable": "", "retries": 0, "prompt_price": 100.0}
    embedding = EmbeddingSettings.model_validate({"model": "endpoint", **asked})
    with Workspace(folder, Settings(embedding=embedding, chunking=SMALL)) as kb:
        yield kb


def test_embedding_cost_is_estimated_and_reported(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    with embedding(tmp_path / "kb", server) as kb:
        found = kb.estimate([letters])
        assert server.embeddings.asked == [] and not (tmp_path / "kb").exists()
        report = kb.index([letters])
        calls = server.embeddings.calls
        tokens = sum(call.prompt_tokens for call in calls)
        assert [*_numbers(report.embedding_usage)] == [len(calls), tokens, 0]
        assert report.embedding_usage.money == pytest.approx(tokens / 1e4)
        assert (report.usage, found.usage) == (Usage(), Usage())
        assert found.embedding_usage.calls > 0 and found.embedding_usage.money > 0
        assert found.seconds >= found.texts_to_embed / 1000
        assert kb.index([letters]).embedding_usage == Usage()
        with kb._existing_store.read() as reader:
            ((purpose, model), (paid, _)), *others = reader.records.spent().items()
        assert (purpose, model, paid.prompt_tokens, others) == ("embed", "hashing", tokens, [])


def test_cost_of_failed_embedding_is_in_the_ledger(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    with embedding(tmp_path / "kb", server) as kb:
        kb.index([letters / "0.txt"])
        server.misbehave(Status(401), times=None, on=(2,), route="embeddings")
        with pytest.raises(ModelUnavailable):
            kb.index([letters])
        paid = sum(call.prompt_tokens for call in server.embeddings.calls)
        assert len(server.embeddings.calls) >= 2
        assert kb.status().spent.prompt_tokens == paid


@pytest.mark.slow
@pytest.mark.data
def test_estimated_embedding_tokens_are_close(tmp_path: Path, recorded_server: ModelServer) -> None:
    recorded_server.reset()
    file = passages(tmp_path / "odd.jsonl", 1, 80)
    embedding = EmbeddingSettings(model="endpoint", name="hashing", base_url=recorded_server.url, key_variable="")
    for n, asked in enumerate((settings(recorded_server), Settings())):
        with Workspace(tmp_path / str(n), asked.model_copy(update={"embedding": embedding})) as kb:
            found = kb.estimate([file])
            report = kb.index([file])
        assert differ(found.embedding_usage.prompt_tokens, report.embedding_usage.prompt_tokens) < CLOSE


class _Slow:
    """An embedder that takes a time of its own for each token, by a clock that nothing else moves."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.now = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    async def embed(self, texts: Sequence[str]) -> Any:
        self.now += 0.002 + 0.0005 * sum(self._embedder.token_counts(texts))
        return await self._embedder.embed(texts)


@pytest.mark.slow
@pytest.mark.parametrize("documents", ["spaceflight", "stories"])
def test_embedding_time_covers_facts_forms_and_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, documents: str
) -> None:
    folder = Path(__file__).parents[2] / "examples" / "spaceflight"
    if documents == "stories":
        folder = tmp_path / "stories"
        folder.mkdir()
        for number in range(100):
            (folder / f"{number}.txt").write_text(story(number, 20))
    with Workspace(tmp_path / "kb", Settings(embedding=HASHING)) as kb:
        slow = _Slow(kb.embedder)
        kb.__dict__["embedder"] = slow
        monkeypatch.setattr(time, "perf_counter", lambda: slow.now)
        found = kb.estimate([folder])
        tried, slow.now = slow.now, 0.0
        report = kb.index([folder])
        assert report.texts_embedded > 500
        assert differ(found.texts_to_embed, report.texts_embedded) < 0.2
        assert differ(found.seconds, slow.now) < 0.2
        # What was timed is a small part of it.
        assert tried < 3


def test_estimate_changes_nothing(tmp_path: Path, letters: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    with Workspace(tmp_path / "kb", Settings(embedding=HASHING)) as kb:
        assert kb.estimate([letters]).seconds > 0
    assert list((tmp_path / "temporary").iterdir()) == [] and not (tmp_path / "kb").exists()


def test_estimate_without_a_model_calls_none(tmp_path: Path, letters: Path) -> None:
    with Workspace(tmp_path / "kb", Settings(embedding=HASHING)) as kb:
        found = kb.estimate([letters])
    assert (found.usage, found.basis, found.documents, found.cached) == (Usage(), "", 3, 0)
    assert found.texts_to_embed > 0 and not (tmp_path / "kb").exists()


def test_unreadable_files_are_reported(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    (letters / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    with workspace(tmp_path / "kb", server) as kb:
        found = kb.estimate([letters])
    assert [Path(skipped.source).name for skipped in found.skipped] == ["broken.pdf"]
