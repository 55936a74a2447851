"""One run over all that waits for batch files: documents are read, questions answered, as replies allow."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from polyadic.batch.hierarchy import BatchHierarchyBuild
from polyadic.batch.query import BatchQueryOutcome, BatchQueryRunner
from polyadic.config import Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.extraction import factory
from polyadic.extraction.runner import PendingChunk
from polyadic.hierarchy.api import HierarchyApi
from polyadic.indexing.indexer import Indexer
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.llm.batch_model import BatchModel, PendingRequest, Recall
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import ModelReply
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.store_cache import StoreResponseCache
from polyadic.loaders.skipped import SkippedInput
from polyadic.model.types import Document
from polyadic.query.engine import QueryEngine
from polyadic.storage.protocol import FailedChunk, Store


@dataclass(slots=True)
class BatchRun:
    """What a run works with.

    ``errors`` says by request why its response was of no use; ``note`` is told of each request whose reply is missing;
    ``failed`` becomes the chunks that wait for a reply although there was a response.
    """

    settings: Settings
    store: Store
    embedder: Embedder
    model: EndpointModel
    prompts: PromptLibrary
    report_progress: Callable[[IndexProgress], None]
    errors: Mapping[str, str] = field(default_factory=dict)
    note: Callable[[PendingRequest], None] = lambda noted: None
    failed: list[FailedChunk] = field(default_factory=list)

    async def index(self, sources: Iterable[Document | SkippedInput] = (), anew: bool = False) -> IndexReport:
        """Read these documents, and then those that wait already, as far as replies are known."""
        chosen = factory.with_model(self._by_file, StoreResponseCache(self.store), self.prompts, self.settings)
        waiting: set[str] = set()
        indexer = Indexer(
            self.store,
            chosen.extractor,
            self.embedder,
            self.settings.chunking.sized(by_model=True),
            self.report_progress,
            anew,
            wanted=waiting,
            note=self._note_all,
        )
        return await indexer.index(self._with_waiting(sources, waiting))

    async def answer(self) -> BatchQueryOutcome:
        """Answer the questions that are kept, as far as replies are known."""
        asker = QueryEngine(self.settings, self.store, self.embedder, lambda: self._by_file, self.prompts)
        return await BatchQueryRunner(self.store, asker, self.errors, self.note).answer_all()

    def themes(self) -> BatchHierarchyBuild:
        """The hierarchy, built as far as replies are known."""
        model = self._by_file
        built = HierarchyApi(self.settings, lambda: self.store, lambda: self.embedder, lambda: model, self.prompts)
        return BatchHierarchyBuild(self.store, built, model, self.errors, self.note)

    @property
    def _by_file(self) -> BatchModel:
        return BatchModel(self.model, recall_from(self.store))

    def _with_waiting(
        self, sources: Iterable[Document | SkippedInput], waiting: set[str]
    ) -> Iterator[Document | SkippedInput]:
        """The sources, then the documents that wait and are not among them; those are entered in ``waiting``."""
        named = set()
        for source in sources:
            if isinstance(source, Document):
                named.add(source.id)
            yield source
        with self.store.write() as writer:
            left = [document_id for document_id in writer.waiting.documents() if document_id not in named]
        for document_id in left:
            with self.store.write() as writer:
                document = writer.waiting.document(document_id)
            if document is not None:
                waiting.add(document_id)
                yield document

    def _note_all(self, waiting: Sequence[PendingChunk]) -> None:
        for one in waiting:
            for request in one.requests:
                self.note(request)
                if request.key in self.errors:
                    reason = self.errors[request.key]
                    self.failed.append(FailedChunk(one.document.source, one.chunk.id, one.chunk.span, reason))


def recall_from(store: Store) -> Recall:
    """The replies that a store remembers, with what was paid for those that are awaited."""

    def recall(key: str) -> ModelReply | None:
        with store.read() as reader:
            known = reader.reply(key)
        if known is None:
            return None
        with store.write() as writer:
            return ModelReply(*known, writer.waiting.paid(key), 0.0)

    return recall
