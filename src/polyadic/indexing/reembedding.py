"""Change the embedding model of a store in the background: gather new vectors, then switch to them atomically.

Readers use the old vectors until the switch, and documents can be added and deleted meanwhile. New vectors are
committed batch by batch, so a run that is killed loses at most one batch, and the next run resumes.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from polyadic.chunking.embedding_windows import windows
from polyadic.concurrency.run_in_thread import run_in_thread
from polyadic.config import ChunkingSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import ModelUnavailable, NotFound, StoreBusy
from polyadic.indexing.publisher import EMBEDDING_BATCH, language_of
from polyadic.model.types import Usage
from polyadic.storage.protocol import Fingerprint, LedgerCall, ReembeddingWriter, Store

_RETRY_SECONDS = 0.5
_RESUME_HINT = "the store is unchanged; run polyadic reembed again to resume"


@dataclass(frozen=True, slots=True)
class ReembeddingProgress:
    """Progress of a reembedding run.

    Parameters
    ----------
    gathered
        Number of texts that have a new vector.
    texts
        Approximate number of all texts.
    waiting
        Whether all texts have a new vector and the run waits for another process to stop writing.
    usage
        Usage of the embedding endpoint.
    """

    gathered: int
    texts: int
    waiting: bool
    usage: Usage


@dataclass(slots=True)
class ReembeddingReport:
    """Result of a reembedding run.

    Parameters
    ----------
    before, after
        Names of the embedding models.
    switched
        False if there was nothing to do.
    texts
        Number of vectors that the store now holds.
    texts_embedded
        Number of vectors computed by this run.
    resumed
        Number of vectors reused from an earlier run that was stopped.
    embedding_usage
        Usage of the embedding endpoint by this run.
    seconds, embedding_seconds
        Duration of the run, and the batch of it spent on embedding, in seconds.
    """

    before: str
    after: str
    switched: bool = False
    texts: int = 0
    texts_embedded: int = 0
    resumed: int = 0
    embedding_usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    embedding_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _DocumentWindows:
    """Embedding windows of a document's chunks, as digests of their texts, and the document's fingerprint."""

    stamp: Fingerprint | None
    windows: Mapping[str, Sequence[bytes]]


class Reembedder:
    """Switch a store to another embedding model.

    Parameters
    ----------
    store
        The store, opened without a particular embedding model.
    embedder
        The new embedding model.
    chunking
        Chunking settings, as for indexing; they give the language for sentence splitting.
    report_progress
        Called after every batch.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        chunking: ChunkingSettings,
        report_progress: Callable[[ReembeddingProgress], None] = lambda progress: None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._chunking = chunking
        self._report_progress = report_progress
        self._report = ReembeddingReport(store.filled_with() or "", embedder.name)
        self._expected = 0
        self._windows_by_document: dict[str, _DocumentWindows] = {}

    async def reembed(self, force: bool = False) -> ReembeddingReport:
        """Embed all texts of the store with the new model and switch to it.

        Parameters
        ----------
        force
            Also if the store already uses a model of that name: an endpoint may serve another model under the same
            name, or the window of the model may have changed.

        Raises
        ------
        StoreBusy
            Another process is changing the embedding model of this store.
        ModelUnavailable
            The new model is not available. The store is unchanged, and new vectors gathered so far are kept.
        """
        report, started = self._report, time.perf_counter()
        with self._store.reembedding_session(self._embedder.name) as gathering:
            report.resumed = gathering.count()
            if report.before != report.after or force:
                with self._store.read() as reader:
                    self._expected = reader.records.counts().vectors
                await self._switch(gathering)
                report.switched = True
        with self._store.read() as reader:
            report.texts = reader.records.counts().vectors
        report.seconds = time.perf_counter() - started
        return report

    async def _switch(self, gathering: ReembeddingWriter) -> None:
        """Gather all vectors, then lock out writers, gather the rest and switch."""
        while True:
            await self._gather_all(gathering)
            with contextlib.ExitStack() as stack:
                try:
                    stack.enter_context(self._store.exclusive_session())
                except StoreBusy:
                    self._report_state(waiting=True)
                else:
                    await self._gather_all(gathering)
                    cut = {
                        chunk: digests
                        for document in self._windows_by_document.values()
                        for chunk, digests in document.windows.items()
                    }
                    await run_in_thread(gathering.switch, cut)
                    return
            await asyncio.sleep(_RETRY_SECONDS)

    async def _gather_all(self, gathering: ReembeddingWriter) -> None:
        """Embed texts until none is missing; documents may be added meanwhile."""
        lacking = True
        while lacking:
            lacking = False
            for texts in _batches(self._texts(gathering), EMBEDDING_BATCH):
                if batch := gathering.texts_without_vectors(texts):
                    lacking = True
                    await self._embed(batch, gathering)
                await asyncio.sleep(0)  # allow cancellation

    def _texts(self, gathering: ReembeddingWriter) -> Iterator[str]:
        """Yield all texts that need a vector; compute embedding windows of documents that have none yet."""
        yield from gathering.texts()
        with self._store.read() as reader:
            present = [record.id for record in reader.records.documents()]
        self._windows_by_document = {
            document: self._windows_by_document[document]
            for document in present
            if document in self._windows_by_document
        }
        for document in present:
            yield from self._windows(document, gathering)

    def _windows(self, document_id: str, gathering: ReembeddingWriter) -> list[str]:
        """Compute the windows of a new or changed document and return their texts; none if it has been deleted."""
        try:
            with self._store.read() as reader:
                stamp = reader.records.stamp(document_id)
                if document_id in self._windows_by_document and self._windows_by_document[document_id].stamp == stamp:
                    return []
                document = reader.records.document(document_id)
                chunks = [chunk for chunk, _ in reader.records.evidence(document_id)]
        except NotFound:
            self._windows_by_document.pop(document_id, None)
            return []
        cut = windows(document, chunks, language_of(document, self._chunking), self._embedder)
        digests = {chunk: [gathering.digest(text) for text in texts] for chunk, texts in cut.items()}
        self._windows_by_document[document_id] = _DocumentWindows(stamp, digests)
        return [text for texts in cut.values() for text in texts]

    async def _embed(self, texts: Sequence[str], gathering: ReembeddingWriter) -> None:
        """Embed a batch and commit its vectors and its cost; the cost is recorded even if the call fails."""
        report = self._report
        before, started = self._embedder.spent, time.perf_counter()
        vectors, done = np.zeros((0, 0), dtype=np.float32), 0
        try:
            vectors, done = await self._embedder.embed(texts), len(texts)
        except ModelUnavailable as problem:
            raise ModelUnavailable(problem.what, "; ".join(filter(None, (problem.next_step, _RESUME_HINT)))) from None
        finally:
            seconds, usage = time.perf_counter() - started, self._embedder.spent - before
            call = LedgerCall("embed", self._embedder.name, usage, seconds)
            if await run_in_thread(gathering.put, texts[:done], vectors, call):
                self._windows_by_document.clear()
                report.resumed = 0
            report.embedding_seconds += seconds
            report.embedding_usage += usage
            report.texts_embedded += done
        self._report_state()

    def _report_state(self, waiting: bool = False) -> None:
        gathered = self._report.resumed + self._report.texts_embedded
        self._report_progress(
            ReembeddingProgress(gathered, max(gathered, self._expected), waiting, self._report.embedding_usage)
        )


def _batches(texts: Iterator[str], size: int) -> Iterator[list[str]]:
    """Split texts into batches, in order.

    >>> list(_batches(iter("abcde"), 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    batch = []
    for text in texts:
        batch.append(text)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
