"""Changing the embedding model of a store in the background: gather new vectors, then switch to them at once.

Readers are served from the old vectors until the switch, and documents come and go meanwhile. What is gathered is
committed batch by batch, so a run that is killed loses at most a batch, and the next one goes on from there.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from polyadic.chunking.embedding_windows import windows
from polyadic.config import ChunkingSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import ModelUnavailable, NotFound, StoreBusy
from polyadic.indexing.publisher import EMBEDDING_BATCH, language_of
from polyadic.model.types import Usage
from polyadic.storage.protocol import Fingerprint, LedgerCall, ReembeddingWriter, Store

_SECONDS_BETWEEN_TRIES = 0.5
_GOES_ON = "the store is as it was, and polyadic reembed goes on from here"


@dataclass(frozen=True, slots=True)
class ReembeddingProgress:
    """How far a run has come: of about ``texts`` texts ``gathered`` have their new vector.

    ``waiting`` says that all have, and that another process has to stop writing first; ``usage`` is what an endpoint
    was paid.
    """

    gathered: int
    texts: int
    waiting: bool
    usage: Usage


@dataclass(slots=True)
class ReembeddingReport:
    """What a run did; times in seconds, ``embedding_seconds`` being part of ``seconds``.

    ``before`` and ``after`` name the embedding models; ``switched`` is false where there was nothing to do. Of
    ``texts`` vectors that the store now holds, ``texts_embedded`` were made by this run, ``taken_up`` found from an
    earlier one that was stopped. ``embedding_usage`` is what an endpoint was paid by this run.
    """

    before: str
    after: str
    switched: bool = False
    texts: int = 0
    texts_embedded: int = 0
    taken_up: int = 0
    embedding_usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    embedding_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Cut:
    """The windows of a document's chunks, as digests of their texts, and what it was when they were cut."""

    stamp: Fingerprint | None
    windows: Mapping[str, Sequence[bytes]]


class Reembedder:
    """Brings a store to another embedding model.

    Parameters
    ----------
    store
        Opened for no model in particular: it is one model's before and another's after.
    embedder
        The model that the store is brought to.
    chunking
        As when indexing: tells the language in which sentences are found.
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
        self._cut: dict[str, _Cut] = {}

    async def reembed(self, force: bool = False) -> ReembeddingReport:
        """Embed what the store holds anew, and switch it over.

        Parameters
        ----------
        force
            Also where the store is filled with a model of that name already: an endpoint may serve another one under
            the name, or passages are to be cut for another window.

        Raises
        ------
        StoreBusy
            Someone else is changing the embedding model of this store.
        ModelUnavailable
            The new model is not to be had. The store stays as it was, and what was gathered is kept.
        """
        report, started = self._report, time.perf_counter()
        with self._store.gathering(self._embedder.name) as gathering:
            report.taken_up = gathering.count()
            if report.before != report.after or force:
                with self._store.read() as reader:
                    self._expected = reader.counts().vectors
                await self._switch(gathering)
                report.switched = True
        with self._store.read() as reader:
            report.texts = reader.counts().vectors
        report.seconds = time.perf_counter() - started
        return report

    async def _switch(self, gathering: ReembeddingWriter) -> None:
        """Gather all there is, then, keeping writers out, what came meanwhile; and switch."""
        while True:
            await self._gather_all(gathering)
            with contextlib.ExitStack() as held:
                try:
                    held.enter_context(self._store.exclusive())
                except StoreBusy:
                    self._tell(waiting=True)
                else:
                    await self._gather_all(gathering)
                    cut = {chunk: mine for one in self._cut.values() for chunk, mine in one.windows.items()}
                    await asyncio.to_thread(gathering.switch, cut)
                    return
            await asyncio.sleep(_SECONDS_BETWEEN_TRIES)

    async def _gather_all(self, gathering: ReembeddingWriter) -> None:
        """Until nothing is found lacking: while much is embedded, much may come."""
        lacking = True
        while lacking:
            lacking = False
            for texts in _parts(self._texts(gathering), EMBEDDING_BATCH):
                if batch := gathering.lacking(texts):
                    lacking = True
                    await self._embed(batch, gathering)
                await asyncio.sleep(0)  # a place to be cancelled at

    def _texts(self, gathering: ReembeddingWriter) -> Iterator[str]:
        """Everything that is to have a vector; on the way, passages are cut anew where they were not yet."""
        yield from gathering.texts()
        with self._store.read() as reader:
            present = [record.id for record in reader.documents()]
        self._cut = {document: self._cut[document] for document in present if document in self._cut}
        for document in present:
            yield from self._windows(document, gathering)

    def _windows(self, document_id: str, gathering: ReembeddingWriter) -> list[str]:
        """The texts of a document's windows that were not cut before; none where it has been withdrawn by now."""
        try:
            with self._store.read() as reader:
                stamp = reader.stamp(document_id)
                if document_id in self._cut and self._cut[document_id].stamp == stamp:
                    return []
                document = reader.document(document_id)
                chunks = [chunk for chunk, _ in reader.evidence(document_id)]
        except NotFound:
            self._cut.pop(document_id, None)
            return []
        cut = windows(document, chunks, language_of(document, self._chunking), self._embedder)
        digests = {chunk: [gathering.digest(text) for text in texts] for chunk, texts in cut.items()}
        self._cut[document_id] = _Cut(stamp, digests)
        return [text for texts in cut.values() for text in texts]

    async def _embed(self, texts: Sequence[str], gathering: ReembeddingWriter) -> None:
        """Embed a batch, commit it and what it cost; also what was paid for nothing."""
        report = self._report
        before, started = self._embedder.spent, time.perf_counter()
        vectors, done = np.zeros((0, 0), dtype=np.float32), 0
        try:
            vectors, done = await self._embedder.embed(texts), len(texts)
        except ModelUnavailable as problem:
            raise ModelUnavailable(problem.what, "; ".join(filter(None, (problem.next_step, _GOES_ON)))) from None
        finally:
            seconds, usage = time.perf_counter() - started, self._embedder.spent - before
            call = LedgerCall("embed", self._embedder.name, usage, seconds)
            if await asyncio.to_thread(gathering.put, texts[:done], vectors, call):
                self._cut.clear()
                report.taken_up = 0
            report.embedding_seconds += seconds
            report.embedding_usage += usage
            report.texts_embedded += done
        self._tell()

    def _tell(self, waiting: bool = False) -> None:
        gathered = self._report.taken_up + self._report.texts_embedded
        self._report_progress(
            ReembeddingProgress(gathered, max(gathered, self._expected), waiting, self._report.embedding_usage)
        )


def _parts(texts: Iterator[str], most: int) -> Iterator[list[str]]:
    """The texts in their order, so many at a time.

    >>> list(_parts(iter("abcde"), 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    part = []
    for text in texts:
        part.append(text)
        if len(part) == most:
            yield part
            part = []
    if part:
        yield part
