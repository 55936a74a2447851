"""From documents to a published state, and back."""

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyadic.config import ChunkingSettings
from polyadic.errors import StoreBusy
from polyadic.extraction.extractor import Extraction
from polyadic.extraction.sentence_extractor import SentenceExtractor
from polyadic.indexing.publisher import withdraw
from polyadic.indexing.report import IndexReport
from polyadic.model.types import Chunk, Document
from polyadic.storage.sqlite.store import SqliteStore
from tests.support.canonical import canonical
from tests.support.indexers import CountingEmbedder, indexer

SENTENCES = [
    "Ada Lovelace met Charles Babbage in London.",
    "Charles Babbage designed the Analytical Engine.",
    "Luigi Menabrea wrote about the Analytical Engine in 1842.",
    "It rained.",
    "London is large.",
]
SMALL = ChunkingSettings(tokens=50, overlap=10)

texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=12).map(" ".join)
documents = st.builds(
    lambda name, title, text: Document(f"/docs/{name}", title, text, {"kind": "test"}),
    st.sampled_from("abcdef"),
    st.sampled_from(["", "Ada Lovelace", "Engines"]),
    texts,
)
corpora = st.lists(documents, max_size=5, unique_by=lambda document: document.source)


@pytest.mark.slow
@given(corpora, corpora, corpora)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_store_depends_only_on_present_documents(a: list[Document], b: list[Document], c: list[Document]) -> None:
    """index(A ∪ B) = index(B) then index(A) = index(A ∪ B ∪ C) then delete(C)."""
    present = {document.source: document for document in [*b, *a]}
    extra = [document for document in c if document.source not in present]
    with tempfile.TemporaryDirectory() as folder:
        exports = []
        for name, batches in (
            ("together", [list(present.values())]),
            ("in turn", [b, a]),
            ("and back", [[*present.values(), *extra]]),
        ):
            with indexer(Path(folder) / name, SMALL) as work:
                for batch in batches:
                    asyncio.run(work.index(batch))
                if name == "and back":
                    asyncio.run(withdraw(work.store, [document.id for document in extra], lambda: work.embedder))
                exports.append(canonical(work.store))
        assert exports[0] == exports[1] == exports[2]


def test_unchanged_documents_cost_nothing(tmp_path: Path) -> None:
    corpus = [Document(f"/docs/{i}", "", text) for i, text in enumerate(SENTENCES)]
    with indexer(tmp_path) as work:
        asyncio.run(work.index(corpus))
        before = canonical(work.store)
        assert isinstance(work.embedder, CountingEmbedder)
        work.embedder.embedded.clear()
        report = asyncio.run(work.index(corpus))
        assert (report.added, report.changed, report.unchanged) == (0, 0, 5)
        assert work.embedder.embedded == []
        assert canonical(work.store) == before


def test_nothing_is_embedded_twice(tmp_path: Path) -> None:
    with indexer(tmp_path) as work:
        assert isinstance(work.embedder, CountingEmbedder)
        asyncio.run(work.index([Document("/docs/a", "", " ".join(SENTENCES))]))
        asyncio.run(
            work.index([Document("/docs/b", "", " ".join(SENTENCES[:2])), Document("/docs/c", "", "It rained.")])
        )
        assert len(work.embedder.embedded) == len(set(work.embedder.embedded))


def test_only_changed_texts_are_embedded(tmp_path: Path) -> None:
    with indexer(tmp_path) as work:
        assert isinstance(work.embedder, CountingEmbedder)
        asyncio.run(work.index([Document("/docs/a", "", " ".join(SENTENCES[:3]))]))
        work.embedder.embedded.clear()
        added = "Mary Somerville taught Ada Lovelace in 1834."
        report = asyncio.run(work.index([Document("/docs/a", "", " ".join([*SENTENCES[:3], added]))]))
        assert report.changed == 1
        embedded = work.embedder.embedded
        assert added in embedded
        assert not set(SENTENCES) & set(embedded)


def test_deleting_needs_no_embedding(tmp_path: Path) -> None:
    with indexer(tmp_path) as work:
        assert isinstance(work.embedder, CountingEmbedder)
        corpus = [Document(f"/docs/{i}", "", text) for i, text in enumerate(SENTENCES)]
        asyncio.run(work.index(corpus))
        work.embedder.embedded.clear()
        asyncio.run(withdraw(work.store, [corpus[0].id], lambda: work.embedder))
        assert work.embedder.embedded == []


def test_report_counts_evidence_without_a_fact(tmp_path: Path) -> None:
    with indexer(tmp_path) as work:
        report = asyncio.run(work.index([Document("/docs/a", "", f"{SENTENCES[0]} It rained.")]))
        assert (report.added, report.chunks, report.evidence, report.without_fact) == (1, 1, 2, 1)
        with work.store.read() as reader:
            assert (reader.records.counts().evidence, reader.records.counts().evidence_with_fact) == (2, 1)


def test_duplicate_content_is_counted_but_kept_separate(tmp_path: Path) -> None:
    with indexer(tmp_path) as work:
        report = asyncio.run(work.index([Document(f"/docs/{name}", "", SENTENCES[0]) for name in "ab"]))
        assert (report.added, report.same_text) == (2, 1)
        with work.store.read() as reader:
            assert (reader.records.counts().documents, reader.records.counts().facts) == (2, 1)


class Failing(SentenceExtractor):
    """Fails at the document that says so, as if the process had died there."""

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        if "Menabrea" in chunk.text:
            raise RuntimeError("on purpose")
        return await super().extract(document, chunk)


def test_interrupted_run_publishes_nothing_partial_and_resumes(tmp_path: Path) -> None:
    corpus = [Document(f"/docs/{i}", "", text) for i, text in enumerate(SENTENCES)]
    with indexer(tmp_path / "kb", extractor=Failing("en")) as work:
        with pytest.raises(RuntimeError, match="on purpose"):
            asyncio.run(work.index(corpus))
        with work.store.read() as reader:
            assert reader.records.counts().documents == 0
    with indexer(tmp_path / "kb") as work, indexer(tmp_path / "undisturbed") as other:
        asyncio.run(work.index(corpus))
        asyncio.run(other.index(corpus))
        assert canonical(work.store) == canonical(other.store)


def test_two_runs_at_once_are_refused(tmp_path: Path) -> None:
    with indexer(tmp_path) as work:
        other = SqliteStore(tmp_path, work.embedder.name)
        with other.exclusive_session(), pytest.raises(StoreBusy, match="another process"):
            asyncio.run(work.index([Document("/docs/a", "", SENTENCES[0])]))
        other.close()


def test_two_runs_of_one_process_are_refused_too(tmp_path: Path) -> None:
    async def both() -> list[object]:
        runs = [work.index([Document("/docs/a", "", " ".join(SENTENCES[:n]))]) for n in (3, 1)]
        return await asyncio.gather(*runs, return_exceptions=True)

    with indexer(tmp_path) as work, indexer(tmp_path / "alone") as alone:
        outcomes = asyncio.run(both())
        assert [type(outcome) for outcome in outcomes] == [IndexReport, StoreBusy]
        asyncio.run(alone.index([Document("/docs/a", "", " ".join(SENTENCES[:3]))]))
        assert canonical(work.store) == canonical(alone.store)


def test_last_occurrence_of_a_source_wins(tmp_path: Path) -> None:
    with indexer(tmp_path / "twice") as work, indexer(tmp_path / "once") as once:
        report = asyncio.run(work.index([Document("memory:a", "", text) for text in SENTENCES[:2]]))
        assert (report.added, report.changed) == (1, 1)
        asyncio.run(once.index([Document("memory:a", "", SENTENCES[1])]))
        assert canonical(work.store) == canonical(once.store)


@pytest.mark.parametrize("text", ["Ada met \0 Babbage.", "Ada met \ud800 Babbage."])
def test_invalid_text_is_skipped_and_the_rest_is_indexed(tmp_path: Path, text: str) -> None:
    with indexer(tmp_path) as work:
        report = asyncio.run(work.index([Document("memory:bad", "", text), Document("memory:good", "", SENTENCES[0])]))
        assert [skipped.source for skipped in report.skipped] == ["memory:bad"]
        assert report.added == 1


def test_deleting_a_document_removes_its_staged_revision(tmp_path: Path) -> None:
    changed = "Menabrea wrote about the secret Engine in Turin."
    with indexer(tmp_path) as work:
        asyncio.run(work.index([Document("/docs/a", "", SENTENCES[0])]))
    with indexer(tmp_path, extractor=Failing("en")) as work, pytest.raises(RuntimeError, match="on purpose"):
        asyncio.run(work.index([Document("/docs/a", "", changed)]))
    with indexer(tmp_path) as work, indexer(tmp_path / "fresh") as fresh:
        asyncio.run(withdraw(work.store, [Document("/docs/a", "", "").id], lambda: work.embedder))
        asyncio.run(work.index([Document("/docs/moved", "", changed)]))
        asyncio.run(fresh.index([Document("/docs/moved", "", changed)]))
        assert canonical(work.store) == canonical(fresh.store)


def test_next_successful_run_removes_abandoned_staging(tmp_path: Path) -> None:
    with indexer(tmp_path, extractor=Failing("en")) as work, pytest.raises(RuntimeError, match="on purpose"):
        asyncio.run(work.index([Document("/docs/a", "", SENTENCES[2])]))
    with indexer(tmp_path) as work:
        asyncio.run(work.index([Document("/docs/b", "", SENTENCES[0])]))
    assert "Menabrea" not in (tmp_path / "store.sqlite").read_bytes().decode("latin-1")


class Waiting(SentenceExtractor):
    """Reads several chunks at once; the one that says so only when ``come`` is set."""

    paid = True

    def __init__(self, come: asyncio.Event) -> None:
        super().__init__("en")
        self.at_once = 4
        self.read: list[str] = []
        self._come = come

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        self.read.append(document.source)
        if "Menabrea" in chunk.text:
            await self._come.wait()
        return await super().extract(document, chunk)


def test_complete_documents_are_published_while_replies_are_pending(tmp_path: Path) -> None:
    """Of three batches the first holds the document that is slow to be read."""
    corpus = [Document(f"/docs/{n:03}", "", f"{SENTENCES[0]} {n}.") for n in range(150)]
    corpus[0] = Document("/docs/000", "", SENTENCES[2])
    seen: list[int] = []

    async def run() -> None:
        come = asyncio.Event()
        extractor = Waiting(come)
        with indexer(tmp_path / "kb", extractor=extractor) as work:
            running = asyncio.create_task(work.index(corpus))
            async with asyncio.timeout(20):
                while not seen or seen[-1] < 86:
                    await asyncio.sleep(0.01)
                    with work.store.read() as reader:
                        seen.append(reader.records.counts().documents)
            come.set()
            report = await running
            assert (report.added, report.chunks_read) == (150, 150)
            # The first to come are the first to be read.
            assert extractor.read == [document.source for document in corpus]
            assert work.store.problems() == []

    asyncio.run(run())
    assert seen[-1] == 86


def test_cancelled_run_leaves_nothing_partial(tmp_path: Path) -> None:
    corpus = [Document(f"/docs/{n:03}", "", f"{SENTENCES[2 * (n == 0)]} {n}.") for n in range(150)]

    async def run() -> None:
        with indexer(tmp_path / "kb", extractor=Waiting(asyncio.Event())) as work:
            running = asyncio.create_task(work.index(corpus))
            await asyncio.sleep(0.3)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            with work.store.read() as reader:
                assert reader.records.counts().documents in (0, 22, 64, 86)
            assert work.store.problems() == []

    asyncio.run(run())


@pytest.mark.parametrize("first", [0, 1])
def test_repeated_source_waits_for_its_earlier_occurrence(tmp_path: Path, first: int) -> None:
    twice = [Document("memory:a", "", SENTENCES[first]), Document("memory:a", "", SENTENCES[1 - first])]
    come = asyncio.Event()
    come.set()
    with indexer(tmp_path / "twice", extractor=Waiting(come)) as work, indexer(tmp_path / "once") as once:
        report = asyncio.run(work.index(twice))
        assert (report.added, report.changed) == (1, 1)
        asyncio.run(once.index(twice[1:]))
        assert canonical(work.store) == canonical(once.store)
