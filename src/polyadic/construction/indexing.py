"""From documents to a published state of the store: chunk, extract, derive, embed (DESIGN: the flow).

Work goes on in batches of documents. Evidence is committed to revisions that nobody sees; one transaction then
makes a whole batch current. Killed at any moment, a run loses at most the batch in hand.
"""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from polyadic.construction.chunk import chunk_document
from polyadic.construction.extracting import Outcomes, extract_all
from polyadic.construction.extractor import Extractor, at_once
from polyadic.construction.index_report import IndexReport, Progress
from polyadic.construction.read import Skipped
from polyadic.construction.recipe import NOTHING_TO_DO, Recipe, Work
from polyadic.construction.windows import windows
from polyadic.derivation import FORMS_EMBEDDED, Attribute, EntityTally, Tallies, difference, tally
from polyadic.knowledge import Chunk, Document, Evidence, Usage
from polyadic.models.embedder import Embedder
from polyadic.models.tokens import count_tokens
from polyadic.settings import ChunkingSettings
from polyadic.store.protocol import Change, FailedChunk, Store, Writer
from polyadic.text.language import detect_language

BATCH_DOCUMENTS = 64
BATCH_CHARACTERS = 1_000_000
# At the end of a batch most calls have come back and the last are waited for: with so many each, that is a small share.
CALLS_IN_TURN = 16
EMBEDDING_BATCH = 256
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Indexer:
    """What an indexing run works with; ``report_progress`` is called after every step that takes time.

    ``anew`` says that documents are to be read again that were read in another way, also where that costs money;
    ``spent`` tells what the extractor has paid so far.
    """

    store: Store
    extractor: Extractor
    embedder: Embedder
    chunking: ChunkingSettings
    report_progress: Callable[[Progress], None] = lambda progress: None
    anew: bool = False
    spent: Callable[[], Usage] = Usage

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
        texts_seen: set[str] = set()
        with self.store.exclusive():
            for batch in batches(readable(sources, report), at_once(self.extractor)):
                report.same_text += _repeated(batch, texts_seen)
                await self._index_batch(batch, report)
                self._tell(report)
                if report.stopped:
                    break
            else:
                with self.store.write() as writer:
                    writer.drop_staged()
        report.seconds = time.perf_counter() - started
        return report

    async def _index_batch(self, batch: Sequence[Document], report: IndexReport) -> None:
        with self.store.write() as writer:
            work = {d.id: self.recipe.work_for(d.content, writer.stamp(d.id), self.anew) for d in batch}
        todo = [document for document in batch if work[document.id] not in NOTHING_TO_DO]
        _count(report, (kind for kind in work.values() if kind in NOTHING_TO_DO))
        cut = {}
        for document in todo:
            cut[document.id] = chunk_document(document, self.chunking)
            await asyncio.sleep(0)  # a place to be cancelled at
        report.chunks += sum(len(chunks) for chunks in cut.values())
        if todo:
            outcomes = await self._extract(todo, cut, report)
            kept = {d.id for d in todo if work[d.id] is Work.REREAD and _all_failed(cut[d.id], outcomes)}
            whole = [document for document in todo if document.id not in outcomes.untried | kept]
            await self._publish(whole, cut, report)
            _count(report, [*(work[document.id] for document in whole), *(Work.OUTDATED for _ in kept)])

    async def _extract(
        self, documents: Sequence[Document], cut: Mapping[str, Sequence[Chunk]], report: IndexReport
    ) -> Outcomes:
        """Stage the documents, and have their chunks read."""
        with self.store.write() as writer:
            done = {d.id: writer.stage(d, self.recipe.stamp(d.content), cut[d.id]) for d in documents}
        todo = [(d, chunk) for d in documents for chunk in cut[d.id] if chunk.id not in done[d.id]]
        report.chunks_read += sum(map(len, done.values()))

        def tell() -> None:
            report.chunks_read += 1
            self._tell(report)

        outcomes = await extract_all(self.extractor, todo, tell)
        with self.store.write() as writer:
            for document_id, said in outcomes.evidence.items():
                writer.put_evidence(document_id, said)
            for failure in outcomes.failures:
                writer.put_failure(failure.document.id, failure.chunk.id, failure.reason)
        report.stopped = outcomes.stopped
        report.problems.update(outcomes.problems)
        failed = [FailedChunk(f.document.source, f.chunk.id, f.chunk.span, f.reason) for f in outcomes.failures]
        report.failed += sorted(failed, key=lambda chunk: (chunk.source, chunk.span))
        return outcomes

    async def _publish(
        self, documents: Sequence[Document], cut: Mapping[str, Sequence[Chunk]], report: IndexReport
    ) -> None:
        old: list[Sequence[Evidence]] = []
        new: list[Sequence[Evidence]] = []
        with self.store.write() as writer:
            for document in documents:
                old += [evidence for _, evidence in writer.current(document.id)]
                new += [evidence for _, evidence in writer.staged(document.id)]
        tallies = difference(tally(new), tally(old))
        to_embed = {
            chunk: texts
            for document in documents
            for chunk, texts in windows(
                document, cut[document.id], language_of(document, self.chunking), self.embedder
            ).items()
        }
        # Committed ahead of the change, so that what has been embedded is not lost with it.
        await self._embed([*_texts(tallies), *(text for texts in to_embed.values() for text in texts)], report)
        facts = {fact_id: fact.text for fact_id, fact in tallies.facts.items() if fact.evidence > 0}
        tokens = dict(zip(facts, count_tokens(list(facts.values())), strict=True))
        change = Change([document.id for document in documents], (), tallies, tokens, to_embed)
        with self.store.write() as writer:
            report.texts_embedded += await _apply(writer, change, lambda: self.embedder)
        report.evidence += sum(len(chunk) for chunk in new)
        report.without_fact += sum(evidence.fact_id is None for chunk in new for evidence in chunk)

    async def _embed(self, texts: Sequence[str], report: IndexReport) -> None:
        with self.store.write() as writer:
            lacking = writer.lacking(texts)
        for start in range(0, len(lacking), EMBEDDING_BATCH):
            batch = lacking[start : start + EMBEDDING_BATCH]
            started = time.perf_counter()
            vectors = await self.embedder.embed(batch)
            report.embedding_seconds += time.perf_counter() - started
            with self.store.write() as writer:
                writer.put_vectors(batch, vectors)
            report.texts_embedded += len(batch)
            self._tell(report)

    @property
    def recipe(self) -> Recipe:
        """How documents are cut and read."""
        return Recipe.of(self.extractor, self.chunking)

    def _tell(self, report: IndexReport) -> None:
        report.usage = self.spent()
        looked_at = report.documents + len(report.skipped)
        self.report_progress(
            Progress(looked_at, report.chunks, report.chunks_read, report.texts_embedded, report.usage)
        )


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


def language_of(document: Document, chunking: ChunkingSettings) -> str:
    """The language of a document: as the settings say, or as its text tells."""
    return detect_language(document.text) if chunking.language == "auto" else chunking.language


async def withdraw(store: Store, document_ids: Sequence[str], embedder: Callable[[], Embedder]) -> None:
    """Take documents out of the store, with all that only they support; the cost is that of the documents.

    The embedder is asked for only if a name or description that had been crowded out of an entity's best supported
    forms comes among them again.
    """
    with store.write() as writer:
        old = tally(evidence for document in document_ids for _, evidence in writer.current(document))
        await _apply(writer, Change((), document_ids, difference(tally(()), old), {}, {}), embedder)


async def _apply(writer: Writer, change: Change, embedder: Callable[[], Embedder]) -> int:
    """Apply a change, and give vectors to what then lacks them; returns how many texts had to be embedded for it."""
    writer.apply(change)
    embedded = 0
    while missing := writer.attach():
        writer.put_vectors(missing, await embedder().embed(missing))
        embedded += len(missing)
    return embedded


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


def _texts(tallies: Tallies) -> list[str]:
    """What the added facts and entities need to have embedded."""
    facts = [fact.text for fact in tallies.facts.values() if fact.evidence > 0]
    return facts + [form for entity in tallies.entities.values() for form in _likely_forms(entity)]


def _likely_forms(entity: EntityTally) -> list[str]:
    """Those that are likely to be among the best supported, which alone are embedded; what is missed comes later."""
    added = [
        (-times, form) for (attribute, form), times in entity.said.items() if attribute is Attribute.FORM and times > 0
    ]
    return [form for _, form in sorted(added)[:FORMS_EMBEDDED]]
