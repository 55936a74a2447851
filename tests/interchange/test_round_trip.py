"""A whole workspace goes out and comes back without loss, whatever it holds and however it came to be."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.errors import ModelUnavailable
from polyadic.interchange.export import WRITERS, export_file, export_tables, exported
from polyadic.interchange.import_file import import_file
from polyadic.model.types import Document, Evidence
from tests.interchange.workspaces import ADA, BABBAGE, canonical_text, collections, contents, drafts, fill, workspace


@pytest.mark.slow
@given(collections, st.lists(drafts, max_size=6))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_hif_round_trip_is_lossless(documents: list[Document], pool: list[Evidence]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file, again = Path(folder) / "kb.json", Path(folder) / "again.json"
        with workspace(Path(folder) / "first") as first, workspace(Path(folder) / "second") as second:
            fill(first, documents, pool)
            export_file(first, "hif", file)
            report = import_file(second, file)
            assert (report.added, report.skipped, report.problems) == (len(documents), [], {})
            assert contents(second) == contents(first)
            assert canonical_text(second) == canonical_text(first)
            export_file(second, "hif", again)
            assert again.read_bytes() == file.read_bytes()
            repeated = import_file(second, file)
            assert (repeated.unchanged, repeated.texts_embedded) == (len(documents), 0)


def test_exports_do_not_depend_on_history(tmp_path: Path) -> None:
    with workspace(tmp_path / "lived") as lived, workspace(tmp_path / "fresh") as fresh:
        lived.add([Document("memory:b", "", "Something else entirely, said by Grace Hopper in New York.")])
        lived.add([Document("memory:gone", "", "Grace Hopper met Charles Babbage never.")])
        lived.add([Document("memory:b", "Babbage", BABBAGE), Document("memory:a", "Ada", ADA)])
        lived.delete("memory:gone")
        fresh.add([Document("memory:a", "Ada", ADA)])
        fresh.add([Document("memory:b", "Babbage", BABBAGE)])
        for name in WRITERS:
            assert b"".join(exported(lived, name)) == b"".join(exported(fresh, name))
        export_tables(lived, tmp_path / "one")
        export_tables(fresh, tmp_path / "two")
        for file in (tmp_path / "one").iterdir():
            assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_imported_workspace_equals_an_indexed_one(tmp_path: Path) -> None:
    documents = [Document("memory:a", "Ada", ADA), Document("memory:b", "Babbage", BABBAGE)]
    with workspace(tmp_path / "first") as first, workspace(tmp_path / "second") as second:
        first.add(documents)
        export_file(first, "hif", tmp_path / "kb.json")
        import_file(second, tmp_path / "kb.json")
        assert second.add(documents).unchanged == 2
        second.delete("memory:a")
        first.delete("memory:a")
        assert canonical_text(second) == canonical_text(first)


def test_import_replaces_only_changed_documents(tmp_path: Path) -> None:
    with workspace(tmp_path / "first") as first, workspace(tmp_path / "second") as second:
        first.add([Document("memory:a", "Ada", ADA), Document("memory:b", "Babbage", BABBAGE)])
        second.add([Document("memory:a", "Ada", "Nothing yet."), Document("memory:b", "Babbage", BABBAGE)])
        second.add([Document("memory:c", "", "Grace Hopper lived in New York.")])
        export_file(first, "hif", tmp_path / "kb.json")
        report = import_file(second, tmp_path / "kb.json")
        assert (report.added, report.changed, report.unchanged) == (0, 1, 1)
        assert [content.document.source for content in contents(second)] == ["memory:a", "memory:b", "memory:c"]


def test_killed_import_resumes(tmp_path: Path) -> None:
    """What was staged and never published is not seen, and its evidence gives way to that of the file."""
    with workspace(tmp_path / "first") as first, workspace(tmp_path / "second") as second:
        first.add([Document("memory:a", "Ada", ADA)])
        export_file(first, "hif", tmp_path / "kb.json")
        (content,) = contents(first)
        with second.store(make=True).write() as writer:
            writer.stage([(content.document, content.stamp, content.chunks)])
            writer.put_evidence({content.document.id: {content.chunks[0].id: ()}})
        assert contents(second) == []
        assert import_file(second, tmp_path / "kb.json").added == 1
        assert canonical_text(second) == canonical_text(first)


def test_failed_chunks_stay_marked(tmp_path: Path) -> None:
    document = Document("memory:a", "", ". ".join(f"Sentence {i} is about Ada and the Engine" for i in range(80)))
    with workspace(tmp_path / "first") as first, workspace(tmp_path / "second") as second:
        fill(first, [document], [])
        failed = [chunk_export.failure for chunk_export in contents(first)[0].chunk_exports if chunk_export.failure]
        assert failed == ["no reply to ''"] * len(failed) != []
        export_file(first, "hif", tmp_path / "kb.json")
        import_file(second, tmp_path / "kb.json")
        (record,) = second.documents()
        assert record.failed == len(failed)
        assert contents(second) == contents(first)


def test_completed_documents_stay_if_an_import_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A document is there whole or not at all, and the same command goes on."""
    monkeypatch.setattr("polyadic.interchange.import_file.BATCH_DOCUMENTS", 1)
    with workspace(tmp_path / "first") as first, workspace(tmp_path / "second") as second:
        first.add([Document("memory:a", "Ada", ADA), Document("memory:b", "Babbage", BABBAGE)])
        export_file(first, "hif", tmp_path / "kb.json")
        with monkeypatch.context() as broken:
            broken.setattr(second, "embedder", _Breaking())
            with pytest.raises(ModelUnavailable):
                import_file(second, tmp_path / "kb.json")
        assert contents(second) == contents(first)[:1]
        report = import_file(second, tmp_path / "kb.json")
        assert (report.added, report.unchanged) == (1, 1)
        assert canonical_text(second) == canonical_text(first)


class _Breaking(HashingEmbedder):
    """Embeds once."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        if self.calls > 1:
            raise ModelUnavailable("it is gone")
        return await super().embed(texts)
