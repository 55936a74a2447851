"""Publish staged revisions: derive facts and entities, embed texts, apply one transaction. Also withdraw documents."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from polyadic.chunking.embedding_windows import windows
from polyadic.concurrency.run_in_thread import run_in_thread
from polyadic.config import ChunkingSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import StoreBusy
from polyadic.indexing.report import IndexReport
from polyadic.loaders.error_isolation import isolate_failures
from polyadic.loaders.skipped import SkippedInput
from polyadic.model.aggregation import FORMS_EMBEDDED, Attribute, EntityTally, Tallies, tally, tally_difference
from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Chunk, Document, Evidence
from polyadic.storage.protocol import StagingWriter, Store, StoreChange, Vectors, Writer
from polyadic.storage.retry import with_retries
from polyadic.text.language import detect_language
from polyadic.text.tokens import count_tokens
from polyadic.tracing.spans import step_done

EMBEDDING_BATCH = 256
_COMMIT_SECONDS = 1.0  # seconds of embedding
NOTHING_AT_HAND: Mapping[str, Mapping[str, Sequence[Evidence]]] = {}


_Embedded = list[tuple[Sequence[str], Vectors]]
"""Batches of texts with their vectors."""


class _Missing(Exception):
    """Roll back a change because some texts have no vectors."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts


@dataclass(frozen=True, slots=True)
class _Draft:
    """A change, and the texts that still need vectors for it.

    ``left_out`` has the report entries of documents (by id) for which deriving failed; the change does not touch them.
    """

    change: StoreChange
    lacking: Sequence[str]
    left_out: Mapping[str, SkippedInput]


@dataclass(frozen=True, slots=True)
class _EvidenceChange:
    """Evidence of documents by id and chunk: of the staged revision (now) and the current one (before)."""

    now: Mapping[str, Mapping[str, Sequence[Evidence]]]
    before: Mapping[str, Sequence[Sequence[Evidence]]]
    resolution: EntityResolution


@dataclass(frozen=True, slots=True)
class Publisher:
    """Publish staged documents; ``report_progress`` is called after every step that takes time."""

    store: Store
    embedder: Embedder
    chunking: ChunkingSettings
    report_progress: Callable[[IndexReport], None] = lambda report: None

    async def publish(
        self,
        documents: Sequence[Document],
        cut: Mapping[str, Sequence[Chunk]],
        report: IndexReport,
        read: Mapping[str, Mapping[str, Sequence[Evidence]]] = NOTHING_AT_HAND,
    ) -> Collection[str]:
        """Make the staged revisions of documents current, with everything derived from them, in one transaction.

        Parameters
        ----------
        documents
            Staged documents, with the evidence of their chunks.
        cut
            Chunks by document id.
        report
            Counts are added to this report.
        read
            Evidence by document id and chunk id, for documents whose complete evidence is in memory; that of the others
            is read from the store.

        Returns
        -------
        Collection of str
            Identifiers of documents that were not published, because deriving from them failed.
        """
        draft = await run_in_thread(with_retries, self._draft, documents, cut, read)
        step_done("aggregate")
        report.characters_due = report.characters_embedded + sum(map(len, draft.lacking))
        vectors = await self._embed(draft.lacking, report)
        step_done("embed")
        report.texts_embedded += await self._apply(draft.change, vectors)
        step_done("publish")
        stated = [evidence for chunk in draft.change.evidence.values() for evidence in chunk]
        report.evidence += len(stated)
        report.unsupported_evidence += sum(bool(evidence.unsupported) for evidence in stated)
        report.without_fact += sum(evidence.fact_id is None and not evidence.unsupported for evidence in stated)
        report.skip(*draft.left_out.values())
        return draft.left_out.keys()

    def _draft(
        self,
        documents: Sequence[Document],
        cut: Mapping[str, Sequence[Chunk]],
        read: Mapping[str, Mapping[str, Sequence[Evidence]]],
    ) -> "_Draft":
        """Prepare the change that makes the documents current."""
        with self.store.prepare() as preparer:
            stated = _evidence_change(preparer, documents, read)
        derive = partial(self._derive, cut, stated)
        (change, texts), left_out = isolate_failures(documents, derive)
        with self.store.prepare() as preparer:
            lacking = preparer.texts_without_vectors(texts)
        return _Draft(change, lacking, left_out)

    def _derive(
        self, cut: Mapping[str, Sequence[Chunk]], stated: _EvidenceChange, documents: Sequence[Document]
    ) -> tuple[StoreChange, Sequence[str]]:
        """Derive the change that makes these documents current, and the texts that need vectors for it."""
        ids = [document.id for document in documents]
        old = [(id_, evidence) for id_ in ids for evidence in stated.before.get(id_, ())]
        new = [(id_, evidence) for id_ in ids for evidence in stated.now[id_].values()]
        tallies = tally_difference(tally(new, stated.resolution), tally(old, stated.resolution))
        to_embed = {
            chunk: texts
            for document in documents
            for chunk, texts in windows(document, cut[document.id], self._language(document), self.embedder).items()
        }
        facts = {fact_id: fact.text for fact_id, fact in tallies.facts.items() if fact.evidence > 0}
        tokens = dict(zip(facts, count_tokens(list(facts.values())), strict=True))
        evidence_by_chunk = {chunk: evidence for id_ in ids for chunk, evidence in stated.now[id_].items()}
        change = StoreChange(ids, (), tallies, tokens, to_embed, evidence_by_chunk)
        return change, [*_texts(tallies), *(text for texts in to_embed.values() for text in texts)]

    async def _embed(self, lacking: Sequence[str], report: IndexReport) -> "_Embedded":
        """Embed texts; after a second of work, commit the vectors ahead of the change, so that they are not lost."""
        embedded: _Embedded = []
        last_commit = time.perf_counter()
        for start in range(0, len(lacking), EMBEDDING_BATCH):
            batch = lacking[start : start + EMBEDDING_BATCH]
            started = time.perf_counter()
            embedded.append((batch, await self.embedder.embed(batch)))
            now = time.perf_counter()
            report.embedding_seconds += now - started
            report.texts_embedded += len(batch)
            report.characters_embedded += sum(map(len, batch))
            if now - last_commit > _COMMIT_SECONDS:
                await run_in_thread(with_retries, self._store_vectors, embedded)
                embedded, last_commit = [], now
            self.report_progress(report)
        return embedded

    def _store_vectors(self, embedded: "_Embedded") -> None:
        with self.store.write() as writer:
            for texts, vectors in embedded:
                writer.put_vectors(texts, vectors)

    async def _apply(self, change: StoreChange, embedded: "_Embedded") -> int:
        """Apply a change in one transaction; return how many further texts had to be embedded.

        If vectors are missing, the transaction is rolled back and retried after embedding, so that no transaction waits
        for an embedder.
        """
        more = 0
        while missing := await run_in_thread(with_retries, self._try_apply, change, embedded):
            embedded = [*embedded, (missing, await self.embedder.embed(missing))]
            more += len(missing)
        return more

    def _try_apply(self, change: StoreChange, embedded: "_Embedded") -> Sequence[str]:
        """Apply a change, or roll it back and return the texts without vectors."""
        try:
            with self.store.write() as writer:
                for texts, vectors in embedded:
                    writer.put_vectors(texts, vectors)
                writer.apply(change)
                if missing := writer.attach():
                    raise _Missing(missing)
        except _Missing as error:
            return error.texts
        return ()

    def _language(self, document: Document) -> str:
        return language_of(document, self.chunking)


def _evidence_change(
    preparer: StagingWriter, documents: Sequence[Document], read: Mapping[str, Mapping[str, Sequence[Evidence]]]
) -> _EvidenceChange:
    now = {
        document.id: read[document.id]
        if document.id in read
        else {chunk.id: evidence for chunk, evidence in preparer.staged(document.id)}
        for document in documents
    }
    current = preparer.current([document.id for document in documents])
    before = {id_: [evidence for _, evidence in chunks] for id_, chunks in current}
    return _EvidenceChange(now, before, preparer.resolution())


def language_of(document: Document, chunking: ChunkingSettings) -> str:
    """Return the language of a document: as configured, or detected from its text."""
    return detect_language(document.text) if chunking.language == "auto" else chunking.language


async def withdraw(store: Store, document_ids: Sequence[str], embedder: Callable[[], Embedder]) -> None:
    """Delete documents with all facts and entities that only they support; the cost grows with their size only.

    Parameters
    ----------
    store
        The store.
    document_ids
        Identifiers of the documents.
    embedder
        Loads the embedder. Called only if a name or description becomes one of an entity's best supported forms again.

    Raises
    ------
    StoreBusy
        Another process is writing or, if the engine admits several writers, is working on one of the documents.
    """
    with store.indexing_session() as leases:
        taken = leases.acquire(document_ids)
        try:
            if not taken.issuperset(document_ids):
                raise StoreBusy(
                    "another process is indexing a document to be deleted", "wait until it has finished, then retry"
                )
            with store.write() as writer:
                current = writer.current(document_ids)
                withdrawn = ((document, evidence) for document, chunks in current for _, evidence in chunks)
                removal = tally_difference(tally(()), tally(withdrawn, writer.resolution()))
                await apply(writer, StoreChange((), document_ids, removal, {}, {}, {}), embedder)
        finally:
            leases.release(taken)


async def apply(writer: Writer, change: StoreChange, embedder: Callable[[], Embedder]) -> int:
    """Apply a change and embed texts that then have no vectors; return the number of texts embedded."""
    writer.apply(change)
    embedded = 0
    while missing := writer.attach():
        writer.put_vectors(missing, await embedder().embed(missing))
        embedded += len(missing)
    return embedded


def _texts(tallies: Tallies) -> list[str]:
    """Texts that have to be embedded for the added facts and entities."""
    facts = [fact.text for fact in tallies.facts.values() if fact.evidence > 0]
    return facts + [form for entity in tallies.entities.values() for form in _likely_forms(entity)]


def _likely_forms(entity: EntityTally) -> list[str]:
    """Forms likely to be among the best supported, which are embedded; missing ones are embedded on applying."""
    best = entity.ranked(Attribute.FORM)[:FORMS_EMBEDDED]
    return [form for form in best if entity.value_counts[Attribute.FORM, form] > 0]
