"""Resume pending batch work: index documents, build the hierarchy and answer questions as far as replies are known."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polyadic.batch.entity_review import BatchEntityReview
from polyadic.batch.hierarchy_build import BatchHierarchyBuild
from polyadic.batch.question_files import BatchQuestion, add_answers
from polyadic.batch.question_runner import BatchQueryOutcome, BatchQueryRunner
from polyadic.batch.report import BatchReadReport, BatchWriteReport
from polyadic.batch.request_files import RequestFileWriter
from polyadic.batch.role_models import BatchRoleModels
from polyadic.config import ModelRole, Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.extraction import factory
from polyadic.extraction.runner import PendingWindow
from polyadic.hierarchy.api import HierarchyApi
from polyadic.indexing.indexer import Indexer
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.llm.batch_model import BatchModel, PendingRequest, ReplyLookup
from polyadic.llm.cached_model import StoreResponseCache
from polyadic.llm.language_model import ModelReply
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.loaders.skipped import SkippedInput
from polyadic.model.types import Document
from polyadic.query.engine import QueryEngine
from polyadic.rerankers.pair_scoring.scorer import PairScorer
from polyadic.rerankers.reranker import Reranker
from polyadic.storage.pending_requests import PendingCounts
from polyadic.storage.protocol import FailedChunk, Store


@dataclass(frozen=True, slots=True)
class BatchWork:
    """What to write requests for: documents, questions, the hierarchy, and so many pairs of entities.

    With ``reextract``, also for documents that were indexed with other settings.
    """

    paths: Sequence[Path | str]
    questions: Sequence[BatchQuestion]
    reextract: bool
    hierarchy: bool
    pairs: int


@dataclass(slots=True)
class BatchRun:
    """A run over all pending documents and questions.

    ``errors`` says by request key why the response was unusable. ``note`` is called with each request whose reply is
    missing. ``load_reranker`` and ``load_judge`` return the reranker for questions and the judge of claims. ``failed``
    is filled with the chunks that still wait for a reply although a response arrived.
    """

    settings: Settings
    store: Store
    embedder: Embedder
    models: BatchRoleModels
    prompts: PromptLibrary
    report_progress: Callable[[IndexProgress], None]
    errors: Mapping[str, str] = field(default_factory=dict)
    note: Callable[[PendingRequest], None] = lambda noted: None
    load_reranker: Callable[[], Reranker | None] = lambda: None
    load_judge: Callable[[], PairScorer | None] = lambda: None
    failed: list[FailedChunk] = field(default_factory=list)

    async def write(
        self, sources: Iterable[Document | SkippedInput], work: BatchWork, files: RequestFileWriter
    ) -> BatchWriteReport:
        """Go on as far as replies are known, and write the requests for the others (which ``note`` adds to files)."""
        with self.store.write() as writer:
            for question in work.questions:
                writer.waiting.save_question(question.key, question.dump())
        index = await self.index(sources, work.reextract)
        # The hierarchy and the review begin when no document is pending.
        build, review = self.hierarchy_build(), self.entity_review()
        builds = (work.hierarchy and not self._pending_documents()) or build.is_pending()
        built = await build.build() if builds else None
        reviews = (work.pairs > 0 and not self._pending_documents()) or review.is_pending()
        verdicts = await review.judge(work.pairs) if reviews else None
        outcome = await self.answer()
        return BatchWriteReport(
            files.files,
            files.requests,
            files.bytes,
            index,
            ready=len(outcome.answers),
            changed_questions=outcome.changed_questions,
            failed_questions=outcome.failed,
            missing=pending_counts(self.store),
            hierarchy=built,
            entities=verdicts,
        )

    async def read(self, report: BatchReadReport, output: Path | None) -> None:
        """Go on as far as replies are known, add answers to the output file, and complete the report."""
        report.index = await self.index()
        build, review = self.hierarchy_build(), self.entity_review()
        report.hierarchy = await build.build() if build.is_pending() else None
        report.entities = await review.judge() if review.is_pending() else None
        outcome = await self.answer()
        if output and outcome.answers:
            add_answers(output, outcome.answers)
        with self.store.write() as writer:
            writer.waiting.delete_questions([answer.key for answer in outcome.answers])
        report.missing = pending_counts(self.store)
        report.failed, report.failed_questions, report.failed_hierarchy = self.failed, outcome.failed, build.failed
        report.failed_entities = review.failed
        report.answers, report.changed_questions = outcome.answers, outcome.changed_questions

    def _pending_documents(self) -> int:
        return pending_counts(self.store).documents

    async def index(self, sources: Iterable[Document | SkippedInput] = (), reextract: bool = False) -> IndexReport:
        """Index these documents and then the pending ones, as far as replies are known."""
        model = self._batch_model("extraction")
        if not model.name:
            return IndexReport()
        extraction = factory.with_model(model, StoreResponseCache(self.store), self.prompts, self.settings)
        waiting: set[str] = set()
        indexer = Indexer(
            self.store,
            extraction.extractor,
            self.embedder,
            self.settings.chunking,
            self.report_progress,
            reextract,
            reindex_ids=waiting,
            on_pending=self._note_all,
        )
        return await indexer.index(self._with_waiting(sources, waiting))

    async def answer(self) -> BatchQueryOutcome:
        """Answer the stored questions, as far as replies are known."""
        engine = QueryEngine(
            self.settings,
            self.store,
            self.embedder,
            self._named_model,
            self.prompts,
            reranker=self.load_reranker(),
            judge=self.load_judge(),
        )
        return await BatchQueryRunner(self.store, engine, self.errors, self.note).answer_all()

    def hierarchy_build(self) -> BatchHierarchyBuild:
        """Return the build of the hierarchy."""
        model = self._batch_model("summaries")
        hierarchies = HierarchyApi(
            self.settings, lambda: self.store, lambda: self.embedder, lambda: model, self.prompts
        )
        return BatchHierarchyBuild(self.store, model, self.errors, self.note, hierarchies)

    def _named_model(self, role: ModelRole) -> BatchModel | None:
        model = self._batch_model(role)
        return model if model.name else None

    def _batch_model(self, role: ModelRole) -> BatchModel:
        return BatchModel(self.models.of(role), cached_reply_lookup(self.store))

    def entity_review(self) -> BatchEntityReview:
        """Return the review of candidate pairs of entities."""
        return BatchEntityReview(self.store, self._batch_model("judging"), self.errors, self.note, self.prompts)

    def _with_waiting(
        self, sources: Iterable[Document | SkippedInput], waiting: set[str]
    ) -> Iterator[Document | SkippedInput]:
        """Iterate over the sources, then the other pending documents, whose identifiers are added to ``waiting``."""
        given = set()
        for source in sources:
            if isinstance(source, Document):
                given.add(source.id)
            yield source
        with self.store.write() as writer:
            remaining = [document_id for document_id in writer.waiting.documents() if document_id not in given]
        for document_id in remaining:
            with self.store.write() as writer:
                document = writer.waiting.document(document_id)
            if document is not None:
                waiting.add(document_id)
                yield document

    def _note_all(self, waiting: Sequence[PendingWindow]) -> None:
        for pending in waiting:
            for request in pending.requests:
                self.note(request)
                if request.key in self.errors:
                    reason = self.errors[request.key]
                    source, chunks = pending.document.source, pending.window.chunks
                    self.failed += [FailedChunk(source, chunk.id, chunk.span, reason) for chunk in chunks]


def pending_counts(store: Store) -> PendingCounts:
    """Count the pending requests of a store."""
    with store.write() as writer:
        return writer.waiting.counts()


def cached_reply_lookup(store: Store) -> ReplyLookup:
    """Return a function that looks up cached replies, with the usage of those that are pending."""

    def lookup(key: str) -> ModelReply | None:
        with store.read() as reader:
            cached = reader.records.reply(key)
        if cached is None:
            return None
        with store.write() as writer:
            return ModelReply(*cached, writer.waiting.paid(key), 0.0)

    return lookup
