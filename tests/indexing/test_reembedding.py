"""Changing the embedding model: the same store as if it had been filled with the new one, and no gap in between."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from polyadic.config import EmbeddingSettings
from polyadic.embeddings.loading import embedder_name
from polyadic.embeddings.minilm.weights import find_weights
from polyadic.errors import EmbedderMismatch, ModelUnavailable, WeightsMissing
from polyadic.indexing.publisher import EMBEDDING_BATCH
from polyadic.model.types import Document, Item
from polyadic.storage.sql.half_precision import kept
from polyadic.storage.sqlite.store import SqliteStore
from polyadic.workspace import Workspace
from tests.model_server import Asked, ModelServer, Never, Status
from tests.support.canonical import canonical
from tests.support.reembedding import DIMENSION, HASHING, SMALL, behind, gathered, serving, settings, vectors
from tests.support.with_a_model import story

pytestmark = pytest.mark.slow

METHODS = ("chunks", "hypergraph", "walk")
QUESTION = "Who sent letter 1003 from Graz?"
LETTERS = [Document(f"memory:letters-{part}", f"Letters {part}", story(part, 16)) for part in range(24)]


def after(calls: int) -> Callable[[Asked], bool]:
    return lambda asked: asked.number > calls


def filled(folder: Path, embedding: EmbeddingSettings, documents: Sequence[Document] = LETTERS) -> Path:
    with Workspace(folder, settings(embedding)) as kb:
        kb.add(documents)
    return folder


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the vectors of the old model."""
    return filled(tmp_path_factory.mktemp("old"), HASHING)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that was filled with the new model from the start."""
    with serving() as server:
        return filled(tmp_path_factory.mktemp("fresh"), behind(server))


@pytest.fixture
def folder(old: Path, tmp_path: Path) -> Path:
    """A store with the vectors of the old model, of the test's own."""
    return Path(shutil.copytree(old, tmp_path / "kb"))


def content(folder: Path, embedding: EmbeddingSettings) -> str:
    """All that a workspace knows; it has to be sound."""
    with closing(SqliteStore(folder, embedder_name(embedding))) as store:
        assert store.problems() == []
        return canonical(store)


def ask(folder: Path, embedding: EmbeddingSettings) -> list[tuple[Item, ...]]:
    with Workspace(folder, settings(embedding)) as kb:
        return [kb.retrieve(QUESTION, method).items for method in METHODS]


def assert_alike(changed: Path, fresh: Path, embedding: EmbeddingSettings) -> None:
    assert content(changed, embedding) == content(fresh, embedding)
    assert vectors(changed) == vectors(fresh)
    assert ask(changed, embedding) == ask(fresh, embedding)
    assert gathered(changed) == 0


def test_reembedded_store_equals_one_filled_with_the_new_model(folder: Path, fresh: Path) -> None:
    with serving() as server:
        assert vectors(folder) != vectors(fresh)
        with Workspace(folder, settings(HASHING)) as kb:
            report = kb.reembed(behind(server))
            status = kb.status()
        assert (report.before, report.after, report.switched) == ("hashing-384", "hashing", True)
        assert report.texts == report.texts_embedded == status.counts.vectors > 2 * EMBEDDING_BATCH
        assert (status.embedder, status.counts.dimension) == ("hashing", DIMENSION)
        asked = [text for call in server.embeddings.asked for text in call.inputs]
        assert len(asked) == len(set(asked)) == report.texts_embedded
        assert report.embedding_usage.prompt_tokens == status.spent.prompt_tokens == server.embeddings.prompt_tokens
        assert report.embedding_usage.money == pytest.approx(server.embeddings.prompt_tokens / 1e6)
        assert_alike(folder, fresh, behind(server))


@pytest.mark.weights
def test_reembedding_there_and_back_restores_the_store(tmp_path: Path) -> None:
    try:
        find_weights()
    except WeightsMissing as missing:
        pytest.skip(str(missing))
    few, minilm = LETTERS[:2], EmbeddingSettings()
    fresh, before = filled(tmp_path / "fresh", minilm, few), filled(tmp_path / "before", HASHING, few)
    changed = filled(tmp_path / "changed", HASHING, few)
    with Workspace(changed, settings(HASHING)) as kb:
        assert kb.reembed(minilm).switched
        assert content(changed, minilm) == content(fresh, minilm)
        # The last bits of a number depend on which texts are embedded together.
        for (digest, uses, data), expected in zip(vectors(changed)[0], vectors(fresh)[0], strict=True):
            assert (digest, uses) == expected[:2]
            np.testing.assert_allclose(kept([data], 384), kept([expected[2]], 384), atol=2e-4)
        assert vectors(changed)[1:] == vectors(fresh)[1:]
        assert kb.retrieve(QUESTION).items
        assert kb.reembed(HASHING).switched
    assert_alike(changed, before, HASHING)


def in_a_process(folder: Path, server: ModelServer) -> subprocess.Popen[bytes]:
    """``polyadic reembed`` to the model of a server."""
    named = {name: str(value) for name, value in behind(server).model_dump(exclude_defaults=True).items()}
    chunking = {f"POLYADIC_CHUNKING__{name}": str(value) for name, value in SMALL.model_dump().items()}
    return subprocess.Popen(
        [sys.executable, "-m", "polyadic", "-w", str(folder), "reembed", "--json"],
        env={**os.environ, **chunking, **{f"POLYADIC_EMBEDDING__{name.upper()}": named[name] for name in named}},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_killed_reembedding_resumes_without_repeating(folder: Path, fresh: Path) -> None:
    with serving() as server:
        before = ask(folder, HASHING)
        server.misbehave(Never(), times=None, when=after(4), route="embeddings")
        run = in_a_process(folder, server)
        deadline = time.monotonic() + 60
        while gathered(folder) < 2 * EMBEDDING_BATCH and time.monotonic() < deadline:
            time.sleep(0.05)
        run.send_signal(signal.SIGKILL)
        run.communicate()
        kept = gathered(folder)
        assert (run.returncode, kept) == (-signal.SIGKILL, 2 * EMBEDDING_BATCH)
        assert ask(folder, HASHING) == before
        server.reset()
        again = in_a_process(folder, server)
        report = json.loads(again.communicate()[0])
        assert again.returncode == 0
        asked = [text for call in server.embeddings.asked for text in call.inputs]
        assert (report["resumed"], report["texts_embedded"], report["switched"]) == (kept, len(asked), True)
        assert kept + len(asked) == report["texts"]
        assert_alike(folder, fresh, behind(server))


def test_old_vectors_are_removed_from_the_file(folder: Path) -> None:
    old = [data for _, _, data in vectors(folder)[0]][::40]
    with serving() as server, Workspace(folder, settings(HASHING)) as kb:
        assert all(data in (folder / "store.sqlite").read_bytes() for data in old)
        kb.reembed(behind(server))
    left = b"".join(file.read_bytes() for file in folder.glob("store.sqlite*"))
    assert not any(data in left for data in old)


def test_failing_endpoint_leaves_the_store_unchanged(folder: Path, fresh: Path) -> None:
    with serving() as server:
        before, held = ask(folder, HASHING), vectors(folder)
        server.misbehave(Status(500), times=None, when=after(4), route="embeddings")
        with Workspace(folder, settings(HASHING)) as kb:
            with pytest.raises(ModelUnavailable, match="run polyadic reembed again to resume"):
                kb.reembed(behind(server))
            assert kb.status().spent.prompt_tokens == server.embeddings.prompt_tokens > 0
        assert (ask(folder, HASHING), vectors(folder)) == (before, held)
        kept = gathered(folder)
        assert kept == 2 * EMBEDDING_BATCH
        server.reset()
        with Workspace(folder, settings(HASHING)) as kb:
            report = kb.reembed(behind(server))
        assert report.resumed == kept
        assert sum(len(call.inputs) for call in server.embeddings.asked) == report.texts_embedded
        assert report.texts == report.texts_embedded + kept
        assert_alike(folder, fresh, behind(server))


def failed_halfway(folder: Path, server: ModelServer, name: str) -> None:
    server.reset()
    server.misbehave(Status(500), times=None, when=after(2), route="embeddings")
    with Workspace(folder, settings(HASHING)) as kb, pytest.raises(ModelUnavailable):
        kb.reembed(behind(server, name))
    assert gathered(folder) == EMBEDDING_BATCH
    server.reset()


def test_another_target_model_starts_over(folder: Path, fresh: Path) -> None:
    with serving() as server:
        failed_halfway(folder, server, "hashing")
        with Workspace(folder, settings(HASHING)) as kb:
            report = kb.reembed(behind(server, "other"))
        assert (report.resumed, report.texts) == (0, report.texts_embedded)
        # The server's two models give the same vectors.
        assert vectors(folder) == vectors(fresh)


def test_changed_model_of_the_same_name_starts_over(folder: Path, tmp_path: Path) -> None:
    """Half is gathered when the endpoint comes to serve vectors of another length."""
    with serving() as server:
        failed_halfway(folder, server, "hashing")
        server.dimension = DIMENSION // 2
        fresh = filled(tmp_path / "fresh", behind(server))
        with Workspace(folder, settings(HASHING)) as kb:
            assert kb.reembed(behind(server)).resumed == 0
        assert_alike(folder, fresh, behind(server))


def test_keeping_the_model_discards_collected_vectors(folder: Path) -> None:
    with serving() as server:
        failed_halfway(folder, server, "hashing")
        with Workspace(folder, settings(HASHING)) as kb:
            report = kb.reembed()
        assert (report.switched, report.texts_embedded, gathered(folder)) == (False, 0, 0)
        assert not server.embeddings.asked


def test_same_model_name_needs_force(tmp_path: Path) -> None:
    with serving() as server:
        folder = filled(tmp_path / "changed", behind(server), LETTERS[:2])
        server.dimension = DIMENSION // 2
        with Workspace(folder, settings(behind(server))) as kb:
            assert not kb.reembed().switched
            with pytest.raises(EmbedderMismatch, match="polyadic reembed --force"):
                kb.retrieve(QUESTION)
            assert kb.reembed(force=True).switched
        assert_alike(folder, filled(tmp_path / "fresh", behind(server), LETTERS[:2]), behind(server))


def test_empty_store_can_be_reembedded(tmp_path: Path) -> None:
    folder = filled(tmp_path, HASHING, LETTERS[:1])
    with serving() as server, Workspace(folder, settings(HASHING)) as kb:
        kb.delete("Letters 0")
        report = kb.reembed(behind(server))
        assert (report.switched, report.texts, report.texts_embedded) == (True, 0, 0)
        kb.add(LETTERS[:1])
        assert kb.status().counts.dimension == DIMENSION


def test_new_settings_are_refused_until_the_switch(tmp_path: Path) -> None:
    folder = filled(tmp_path, HASHING, LETTERS[:1])
    with serving() as server, Workspace(folder, settings(behind(server))) as new:
        with pytest.raises(EmbedderMismatch, match="run polyadic reembed"):
            new.retrieve(QUESTION)
        assert new.reembed().switched
        assert new.retrieve(QUESTION).items
