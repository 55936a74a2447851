"""From documents to evidence: chunk, extract, and have it published (DESIGN: the flow).

Work goes on in batches of documents. Evidence is committed to revisions that nobody sees; one transaction then
makes a whole batch current. Killed at any moment, a run loses at most the batch in hand.
"""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from polyadic.construction.chunk import chunk_document
from polyadic.construction.extracting import Outcomes, Waiting, extract_all
from polyadic.construction.extractor import Extractor, at_once
from polyadic.construction.index_report import IndexReport, Progress
from polyadic.construction.publishing import Publisher
from polyadic.construction.read import Skipped
from polyadic.construction.recipe import NOTHING_TO_DO, Recipe, Work
from polyadic.knowledge import Chunk, Document, Usage
from polyadic.models.embedder import Embedder
from polyadic.settings import ChunkingSettings
from polyadic.store.protocol import Call, FailedChunk, Store, Writer
from polyadic.tracing.spans import Span, stage, step_done

BATCH_DOCUMENTS = 64
BATCH_CHARACTERS = 1_000_000
# At the end of a batch most calls have come back and the last are waited for: with so many each, that is a small share.
CALLS_IN_TURN = 16
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Indexer:
    """What an indexing run works with; ``report_progress`` is called after every step that takes time.

    ``anew`` says that documents are to be read again that were read in another way, also where that costs money, and
    ``wanted`` of which documents (by id) that is meant in any case; ``spent`` tells what the extractor has paid so far.
    ``note`` is told of the chunks that are asked about by file, once that is committed; their documents are published
    by the run that finds the last reply.
    """

    store: Store
    extractor: Extractor
    embedder: Embedder
    chunking: ChunkingSettings
    report_progress: Callable[[Progress], None] = lambda progress: None
    anew: bool = False
    spent: Callable[[], Usage] = Usage
    wanted: Collection[str] = ()
    note: Callable[[Sequence[Waiting]], None] = lambda waiting: None

    async def index(self, sources: Iterable[Document | Skipped]) -> IndexReport:
        """Read documents into the store; those that are as they were when last indexed cost nothing.

        A chunk that cannot be read does not stop the run: its document is published with what it has, and marked.
        Where no chunk can be read any more, what is whole is published, and the report says why the run stopped.

        Raises
        ------
        StoreBusy
            Another process is writing to the store.
        """
        report = IndexReport(extractor=self.extractor.name, by_model=self.extractor.paid)
        started = time.perf_counter()
        embedded_before = self.embedder.spent
        with self.store.exclusive(), stage("index") as told:
            try:
                await self._index_all(sources, report)
            finally:
                _tell_of(told, report)
                # Also where the run ends with an error or Ctrl-C: it has been paid for.
                report.embedding_usage = self.embedder.spent - embedded_before
                self._enter_embedding()
        report.seconds = time.perf_counter() - started
        return report

    async def _index_all(self, sources: Iterable[Document | Skipped], report: IndexReport) -> None:
        texts_seen: set[str] = set()
        for batch in batches(readable(sources, report), at_once(self.extractor)):
            report.same_text += _repeated(batch, texts_seen)
            await self._index_batch(batch, report)
            self._tell(report)
            if report.stopped:
                return
        with self.store.write() as writer:
            writer.drop_staged()

    def _enter_embedding(self) -> None:
        """Enter what embedding cost in the ledger, as one call a run: single ones have nothing to tell."""
        usage, seconds = self.embedder.take_paid()
        if usage.calls:
            self.store.note_call(Call("embed", self.embedder.name, usage, seconds))

    async def _index_batch(self, batch: Sequence[Document], report: IndexReport) -> None:
        step_done("read documents")
        with self.store.write() as writer:
            work = {d.id: self._work_for(d, writer) for d in batch}
        todo = [document for document in batch if work[document.id] not in NOTHING_TO_DO]
        _count(report, (kind for kind in work.values() if kind in NOTHING_TO_DO))
        cut = {}
        for document in todo:
            cut[document.id] = chunk_document(document, self.chunking)
            await asyncio.sleep(0)  # a place to be cancelled at
        report.chunks += sum(len(chunks) for chunks in cut.values())
        step_done("chunk")
        if todo:
            tried_before = {document.id for document in todo if work[document.id] is Work.RESUME}
            outcomes = await self._extract(todo, cut, tried_before, report)
            step_done("extract")
            kept = {d.id for d in todo if work[d.id] is Work.REREAD and _all_failed(cut[d.id], outcomes)}
            waiting = {waiting.document.id for waiting in outcomes.waiting}
            whole = [document for document in todo if document.id not in outcomes.untried | kept | waiting]
            await Publisher(self.store, self.embedder, self.chunking, self._tell).publish(whole, cut, report)
            _count(report, [*(work[document.id] for document in whole), *(Work.OUTDATED for _ in kept)])

    def _work_for(self, document: Document, writer: Writer) -> Work:
        """What has to be done for a document; where that is nothing, what it still waited for is no longer wanted."""
        anew = self.anew or document.id in self.wanted
        work = self.recipe.work_for(document.content, writer.stamp(document.id), anew)
        if work is Work.NONE:
            writer.waiting.release(document.id)
        elif work is Work.OUTDATED:
            writer.waiting.settle(document.id, document.content)
        return work

    async def _extract(
        self,
        documents: Sequence[Document],
        cut: Mapping[str, Sequence[Chunk]],
        tried_before: Collection[str],
        report: IndexReport,
    ) -> Outcomes:
        """Stage the documents, and have their chunks read."""
        with self.store.write() as writer:
            done = {d.id: writer.stage(d, self.recipe.stamp(d.content), cut[d.id]) for d in documents}
        todo = [(d, chunk) for d in documents for chunk in cut[d.id] if chunk.id not in done[d.id]]
        report.chunks_read += sum(map(len, done.values()))

        def tell() -> None:
            report.chunks_read += 1
            self._tell(report)

        outcomes = await extract_all(self.extractor, todo, tell, tried_before)
        with self.store.write() as writer:
            for document_id, said in outcomes.evidence.items():
                writer.put_evidence(document_id, said)
            for failure in outcomes.failures:
                writer.put_failure(failure.document.id, failure.chunk.id, failure.reason)
            _put_waiting(writer, outcomes.waiting)
        self.note(outcomes.waiting)
        report.stopped = outcomes.stopped
        report.problems.update(outcomes.problems)
        failed = [FailedChunk(f.document.source, f.chunk.id, f.chunk.span, f.reason) for f in outcomes.failures]
        report.failed += sorted(failed, key=lambda chunk: (chunk.source, chunk.span))
        return outcomes

    @property
    def recipe(self) -> Recipe:
        """How documents are cut and read."""
        return Recipe.of(self.extractor, self.chunking)

    def _tell(self, report: IndexReport) -> None:
        report.usage = self.spent()
        self.report_progress(report.progress())


def _tell_of(told: Span, report: IndexReport) -> None:
    changes = {"added": report.added, "changed": report.changed, "unchanged": report.unchanged}
    chunks = {"chunks": report.chunks, "chunks_failed": len(report.failed)}
    told.tell({f"polyadic.{name}": count for name, count in (changes | chunks).items()})


def _put_waiting(writer: Writer, waiting: Iterable[Waiting]) -> None:
    """What each document waits for from now on."""
    purposes: dict[str, dict[str, str]] = {}
    for one in waiting:
        purposes.setdefault(one.document.id, {}).update((request.key, request.purpose) for request in one.requests)
    for document_id, awaited in purposes.items():
        writer.waiting.put(document_id, awaited)


def _count(report: IndexReport, works: Iterable[Work]) -> None:
    """Enter into the report what was done for documents; an outdated one is unchanged as well."""
    counts = Counter(works)
    report.added += counts[Work.ADD]
    report.changed += counts[Work.CHANGE] + counts[Work.REREAD]
    report.resumed += counts[Work.RESUME]
    report.unchanged += counts[Work.NONE] + counts[Work.OUTDATED]
    report.outdated += counts[Work.OUTDATED]


def _all_failed(chunks: Sequence[Chunk], outcomes: Outcomes) -> bool:
    """Whether nothing at all came of reading a document: facts that it has from before are better than none."""
    failed = {failure.chunk.id for failure in outcomes.failures}
    return bool(chunks) and all(chunk.id in failed for chunk in chunks)


def readable(sources: Iterable[Document | Skipped], report: IndexReport) -> Iterator[Document]:
    """The documents among what was read; what is none is entered into the report."""
    for source in sources:
        if isinstance(source, Skipped):
            report.skipped.append(source)
        elif _NO_TEXT.search("\n".join((source.source, source.title, source.text))):
            reason = "it holds a NUL or half of a surrogate pair, which no text does"
            report.skipped.append(Skipped(source.source, reason, "remove these characters"))
        else:
            yield source


def batches(documents: Iterable[Document], calls_at_once: int) -> Iterator[list[Document]]:
    """Documents in the groups in which they are read and published."""
    most = max(BATCH_DOCUMENTS, CALLS_IN_TURN * calls_at_once)
    batch: dict[str, Document] = {}
    characters = 0
    for document in documents:
        if len(batch) == most or characters >= BATCH_CHARACTERS or document.source in batch:
            # Said twice, a document is what was said last: it waits for the first to be published.
            yield [*batch.values()]
            batch, characters = {}, 0
        batch[document.source] = document
        characters += len(document.text)
    if batch:
        yield [*batch.values()]


def _repeated(batch: Sequence[Document], seen: set[str]) -> int:
    """How many documents have exactly the content of one before; each stays a document of its own."""
    before = len(seen)
    seen.update(document.content for document in batch)
    return len(batch) - (len(seen) - before)
