"""From documents to a published state of the store: chunk, extract, derive, embed (DESIGN: the flow).

Work goes on in batches of documents. Evidence is committed to revisions that nobody sees; one transaction then
makes a whole batch current. Killed at any moment, a run loses at most the batch in hand.
"""

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from polyadic.construction.chunk import chunk_document
from polyadic.construction.extractor import Extractor
from polyadic.construction.read import Skipped
from polyadic.construction.windows import windows
from polyadic.derivation import FORMS_EMBEDDED, Attribute, EntityTally, Tallies, difference, tally
from polyadic.knowledge import Chunk, Document, Evidence
from polyadic.models.embedder import Embedder
from polyadic.models.tokens import count_tokens
from polyadic.settings import ChunkingSettings
from polyadic.store.protocol import Change, Stamp, Store, Writer
from polyadic.text.language import detect_language

BATCH_DOCUMENTS = 64
BATCH_CHARACTERS = 1_000_000
EMBEDDING_BATCH = 256
# Changes when the same settings and extractor would cut or embed a document in another way.
_RECIPE_VERSION = 1
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come: documents looked at, and what has been done so far for those that needed work."""

    documents: int
    chunks: int
    texts_embedded: int


@dataclass(slots=True)
class IndexReport:
    """The honest sum of an indexing run; times in seconds, ``embedding_seconds`` being part of ``seconds``."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    same_text: int = 0
    chunks: int = 0
    evidence: int = 0
    without_fact: int = 0
    texts_embedded: int = 0
    seconds: float = 0.0
    embedding_seconds: float = 0.0

    @property
    def documents(self) -> int:
        return self.added + self.changed + self.unchanged


@dataclass(frozen=True, slots=True)
class Indexer:
    """What an indexing run works with; ``report_progress`` is called after every step that takes time."""

    store: Store
    extractor: Extractor
    embedder: Embedder
    chunking: ChunkingSettings
    report_progress: Callable[[Progress], None] = lambda progress: None

    async def index(self, sources: Iterable[Document | Skipped]) -> IndexReport:
        """Read documents into the store; those that are as they were when last indexed cost nothing.

        Raises
        ------
        StoreBusy
            Another process is writing to the store.
        """
        report = IndexReport()
        started = time.perf_counter()
        texts_seen: set[str] = set()
        with self.store.exclusive():
            for batch in _batches(_readable(sources, report)):
                report.same_text += _repeated(batch, texts_seen)
                await self._index_batch(batch, report)
                self._tell(report)
            with self.store.write() as writer:
                writer.drop_staged()
        report.seconds = time.perf_counter() - started
        return report

    async def _index_batch(self, batch: Sequence[Document], report: IndexReport) -> None:
        todo = self._needing_work(batch, report)
        cut = {}
        for document in todo:
            cut[document.id] = chunk_document(document, self.chunking)
            await asyncio.sleep(0)  # a place to be cancelled at
        report.chunks += sum(len(chunks) for chunks in cut.values())
        if todo:
            await self._extract(todo, cut)
            await self._publish(todo, cut, report)

    def _needing_work(self, batch: Sequence[Document], report: IndexReport) -> list[Document]:
        todo = []
        with self.store.write() as writer:
            for document in batch:
                stamp = writer.stamp(document.id)
                if stamp == Stamp(document.content, self._recipe()):
                    report.unchanged += 1
                    continue
                report.added += stamp is None
                report.changed += stamp is not None
                todo.append(document)
        return todo

    async def _extract(self, documents: Sequence[Document], cut: Mapping[str, Sequence[Chunk]]) -> None:
        with self.store.write() as writer:
            done = {document.id: writer.stage(document, self._recipe(), cut[document.id]) for document in documents}
        evidence = {}
        for document in documents:
            chunks = (chunk for chunk in cut[document.id] if chunk.id not in done[document.id])
            evidence[document.id] = {chunk.id: await self.extractor.extract(document, chunk) for chunk in chunks}
            await asyncio.sleep(0)  # a place to be cancelled at
        with self.store.write() as writer:
            for document_id, said in evidence.items():
                writer.put_evidence(document_id, said)

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
            for chunk, texts in windows(document, cut[document.id], self._language(document), self.embedder).items()
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

    def _recipe(self) -> str:
        parts = {"version": _RECIPE_VERSION, "extractor": self.extractor.name, **self.chunking.model_dump()}
        return json.dumps(parts, sort_keys=True)

    def _language(self, document: Document) -> str:
        return detect_language(document.text) if self.chunking.language == "auto" else self.chunking.language

    def _tell(self, report: IndexReport) -> None:
        self.report_progress(Progress(report.documents + len(report.skipped), report.chunks, report.texts_embedded))


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


def _readable(sources: Iterable[Document | Skipped], report: IndexReport) -> Iterator[Document]:
    for source in sources:
        if isinstance(source, Skipped):
            report.skipped.append(source)
        elif _NO_TEXT.search("\n".join((source.source, source.title, source.text))):
            reason = "it holds a NUL or half of a surrogate pair, which no text does"
            report.skipped.append(Skipped(source.source, reason, "remove these characters"))
        else:
            yield source


def _batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    characters = 0
    for document in documents:
        if any(document.source == other.source for other in batch):
            # Said twice, a document is what was said last: it waits for the first to be published.
            yield batch
            batch, characters = [], 0
        batch.append(document)
        characters += len(document.text)
        if len(batch) == BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


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
