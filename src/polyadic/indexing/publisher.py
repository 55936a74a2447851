"""From evidence to a published state of the store: derive, embed, and one transaction; and back."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from polyadic.chunking.embedding_windows import windows
from polyadic.concurrency.sync import run_in_thread
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
_LONG = 1.0  # seconds of embedding
NOTHING_AT_HAND: Mapping[str, Mapping[str, Sequence[Evidence]]] = {}


_Embedded = list[tuple[Sequence[str], Vectors]]
"""Texts, some at a time, with their vectors."""


class _Missing(Exception):
    """Takes a change back of which some texts have no vectors."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts


@dataclass(frozen=True, slots=True)
class _Draft:
    """A change, and the texts that it needs of which the store has no vectors yet.

    ``left_out`` reports documents (by id) that a defect keeps from being derived; the change leaves them as they are.
    """

    change: StoreChange
    lacking: Sequence[str]
    left_out: Mapping[str, SkippedInput]


@dataclass(frozen=True, slots=True)
class _Stated:
    """What documents (by id) state, chunk by chunk: now, and in the store's current revision."""

    now: Mapping[str, Mapping[str, Sequence[Evidence]]]
    before: Mapping[str, Sequence[Sequence[Evidence]]]
    overlay: EntityResolution


@dataclass(frozen=True, slots=True)
class Publisher:
    """What publishing works with; ``report_progress`` is called after every step that takes time."""

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
        """Make the staged revisions of documents current, with all that they derive, in one transaction.

        Returns the documents (by id) of which that was not done, because a defect keeps them from being derived.

        Parameters
        ----------
        documents
            Staged, with the evidence of their chunks.
        cut
            The chunks of each, by the document's id.
        report
            What was done is entered here.
        read
            Of documents (by id) whose evidence is at hand all of it, by chunk, so that the store need not be asked.
        """
        draft = await run_in_thread(with_retries, self._drafted, documents, cut, read)
        report.characters_due = report.characters_embedded + sum(map(len, draft.lacking))
        vectors = await self._embed(draft.lacking, report)
        step_done("derive and embed")
        report.texts_embedded += await self._apply(draft.change, vectors)
        step_done("publish")
        said = draft.change.evidence.values()
        report.evidence += sum(map(len, said))
        report.without_fact += sum(evidence.fact_id is None for chunk in said for evidence in chunk)
        report.skip(*draft.left_out.values())
        return draft.left_out.keys()

    def _drafted(
        self,
        documents: Sequence[Document],
        cut: Mapping[str, Sequence[Chunk]],
        read: Mapping[str, Mapping[str, Sequence[Evidence]]],
    ) -> "_Draft":
        """The change that makes the documents current."""
        with self.store.prepare() as preparer:
            stated = _stated(preparer, documents, read)
        derive = partial(self._derived, cut, stated)
        (change, texts), left_out = isolate_failures(documents, derive)
        with self.store.prepare() as preparer:
            lacking = preparer.lacking(texts)
        return _Draft(change, lacking, left_out)

    def _derived(
        self, cut: Mapping[str, Sequence[Chunk]], stated: _Stated, documents: Sequence[Document]
    ) -> tuple[StoreChange, Sequence[str]]:
        """The change that makes these documents current, and the texts that need vectors for it."""
        ids = [document.id for document in documents]
        old = [(id_, evidence) for id_ in ids for evidence in stated.before.get(id_, ())]
        new = [(id_, evidence) for id_ in ids for evidence in stated.now[id_].values()]
        tallies = tally_difference(tally(new, stated.overlay), tally(old, stated.overlay))
        to_embed = {
            chunk: texts
            for document in documents
            for chunk, texts in windows(document, cut[document.id], self._language(document), self.embedder).items()
        }
        facts = {fact_id: fact.text for fact_id, fact in tallies.facts.items() if fact.evidence > 0}
        tokens = dict(zip(facts, count_tokens(list(facts.values())), strict=True))
        said = {chunk: evidence for id_ in ids for chunk, evidence in stated.now[id_].items()}
        change = StoreChange(ids, (), tallies, tokens, to_embed, said)
        return change, [*_texts(tallies), *(text for texts in to_embed.values() for text in texts)]

    async def _embed(self, lacking: Sequence[str], report: IndexReport) -> "_Embedded":
        """The vectors of texts; what took long to make is committed ahead of the change, so that it is not lost."""
        embedded: _Embedded = []
        begun = time.perf_counter()
        for start in range(0, len(lacking), EMBEDDING_BATCH):
            batch = lacking[start : start + EMBEDDING_BATCH]
            started = time.perf_counter()
            embedded.append((batch, await self.embedder.embed(batch)))
            now = time.perf_counter()
            report.embedding_seconds += now - started
            report.texts_embedded += len(batch)
            report.characters_embedded += sum(map(len, batch))
            if now - begun > _LONG:
                await run_in_thread(with_retries, self._keep, embedded)
                embedded, begun = [], now
            self.report_progress(report)
        return embedded

    def _keep(self, embedded: "_Embedded") -> None:
        with self.store.write() as writer:
            for texts, vectors in embedded:
                writer.put_vectors(texts, vectors)

    async def _apply(self, change: StoreChange, embedded: "_Embedded") -> int:
        """Apply a change in one transaction; returns how many texts had to be embedded for it beside these.

        Where some are found to be lacking, it is begun again: no transaction waits for an embedder.
        """
        more = 0
        while missing := await run_in_thread(with_retries, self._applied, change, embedded):
            embedded = [*embedded, (missing, await self.embedder.embed(missing))]
            more += len(missing)
        return more

    def _applied(self, change: StoreChange, embedded: "_Embedded") -> Sequence[str]:
        """Apply a change, or nothing of it where these texts have no vectors."""
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


def _stated(
    preparer: StagingWriter, documents: Sequence[Document], read: Mapping[str, Mapping[str, Sequence[Evidence]]]
) -> _Stated:
    now = {
        document.id: read[document.id]
        if document.id in read
        else {chunk.id: evidence for chunk, evidence in preparer.staged(document.id)}
        for document in documents
    }
    current = preparer.current([document.id for document in documents])
    before = {id_: [evidence for _, evidence in chunks] for id_, chunks in current}
    return _Stated(now, before, preparer.overlay())


def language_of(document: Document, chunking: ChunkingSettings) -> str:
    """The language of a document: as the settings say, or as its text tells."""
    return detect_language(document.text) if chunking.language == "auto" else chunking.language


async def withdraw(store: Store, document_ids: Sequence[str], embedder: Callable[[], Embedder]) -> None:
    """Take documents out of the store, with all that only they support; the cost is that of the documents.

    The embedder is asked for only if a name or description that had been crowded out of an entity's best supported
    forms comes among them again.

    Raises
    ------
    StoreBusy
        Another process is writing, or, where several may at once, working on one of the documents.
    """
    with store.joined() as claims:
        taken = claims.take(document_ids)
        try:
            if not taken.issuperset(document_ids):
                raise StoreBusy(
                    "another process is indexing what is to be withdrawn", "wait for it, then run this again"
                )
            with store.write() as writer:
                there = writer.current(document_ids)
                told = ((document, evidence) for document, chunks in there for _, evidence in chunks)
                gone = tally_difference(tally(()), tally(told, writer.overlay()))
                await apply(writer, StoreChange((), document_ids, gone, {}, {}, {}), embedder)
        finally:
            claims.let_go(taken)


async def apply(writer: Writer, change: StoreChange, embedder: Callable[[], Embedder]) -> int:
    """Apply a change, and give vectors to what then lacks them; returns how many texts had to be embedded for it."""
    writer.apply(change)
    embedded = 0
    while missing := writer.attach():
        writer.put_vectors(missing, await embedder().embed(missing))
        embedded += len(missing)
    return embedded


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
