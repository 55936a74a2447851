"""From evidence to a published state of the store: derive, embed, and one transaction; and back."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from polyadic.construction.index_report import IndexReport
from polyadic.construction.windows import windows
from polyadic.derivation import FORMS_EMBEDDED, Attribute, EntityTally, Tallies, difference, tally
from polyadic.knowledge import Chunk, Document, Evidence
from polyadic.models.embedder import Embedder
from polyadic.models.tokens import count_tokens
from polyadic.settings import ChunkingSettings
from polyadic.store.protocol import Change, Store, Writer
from polyadic.text.language import detect_language
from polyadic.tracing.spans import step_done

EMBEDDING_BATCH = 256


@dataclass(frozen=True, slots=True)
class Publisher:
    """What publishing works with; ``report_progress`` is called after every step that takes time."""

    store: Store
    embedder: Embedder
    chunking: ChunkingSettings
    report_progress: Callable[[IndexReport], None] = lambda report: None

    async def publish(
        self, documents: Sequence[Document], cut: Mapping[str, Sequence[Chunk]], report: IndexReport
    ) -> None:
        """Make the staged revisions of documents current, with all that they derive, in one transaction.

        Parameters
        ----------
        documents
            Staged, with the evidence of their chunks.
        cut
            The chunks of each, by the document's id.
        report
            What was done is entered here.
        """
        old: list[tuple[str, Sequence[Evidence]]] = []
        new: list[tuple[str, Sequence[Evidence]]] = []
        with self.store.write() as writer:
            overlay = writer.overlay()
            for document in documents:
                old += [(document.id, evidence) for _, evidence in writer.current(document.id)]
                new += [(document.id, evidence) for _, evidence in writer.staged(document.id)]
        tallies = difference(tally(new, overlay), tally(old, overlay))
        to_embed = {
            chunk: texts
            for document in documents
            for chunk, texts in windows(document, cut[document.id], self._language(document), self.embedder).items()
        }
        # Committed ahead of the change, so that what has been embedded is not lost with it.
        await self._embed([*_texts(tallies), *(text for texts in to_embed.values() for text in texts)], report)
        step_done("derive and embed")
        facts = {fact_id: fact.text for fact_id, fact in tallies.facts.items() if fact.evidence > 0}
        tokens = dict(zip(facts, count_tokens(list(facts.values())), strict=True))
        change = Change([document.id for document in documents], (), tallies, tokens, to_embed)
        with self.store.write() as writer:
            report.texts_embedded += await apply(writer, change, lambda: self.embedder)
        step_done("publish")
        report.evidence += sum(len(said) for _, said in new)
        report.without_fact += sum(evidence.fact_id is None for _, said in new for evidence in said)

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
            self.report_progress(report)

    def _language(self, document: Document) -> str:
        return language_of(document, self.chunking)


def language_of(document: Document, chunking: ChunkingSettings) -> str:
    """The language of a document: as the settings say, or as its text tells."""
    return detect_language(document.text) if chunking.language == "auto" else chunking.language


async def withdraw(store: Store, document_ids: Sequence[str], embedder: Callable[[], Embedder]) -> None:
    """Take documents out of the store, with all that only they support; the cost is that of the documents.

    The embedder is asked for only if a name or description that had been crowded out of an entity's best supported
    forms comes among them again.
    """
    with store.write() as writer:
        told = ((document, evidence) for document in document_ids for _, evidence in writer.current(document))
        gone = difference(tally(()), tally(told, writer.overlay()))
        await apply(writer, Change((), document_ids, gone, {}, {}), embedder)


async def apply(writer: Writer, change: Change, embedder: Callable[[], Embedder]) -> int:
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
