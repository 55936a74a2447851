"""One run over all that waits for batch files: documents are read, questions answered, as replies allow."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from polyadic.asking import Asker
from polyadic.batch.asking_by_file import AskingByFile, QuestionOutcomes
from polyadic.batch.themes import ThemesByFile
from polyadic.construction import choice
from polyadic.construction.extracting import Waiting
from polyadic.construction.index_report import IndexReport, Progress
from polyadic.construction.indexing import Indexer
from polyadic.construction.reading.skipped import Skipped
from polyadic.construction.store_memory import StoreMemory
from polyadic.hierarchy.hierarchies import Hierarchies
from polyadic.knowledge import Document
from polyadic.models.by_file import ModelByFile, Noted, Recall
from polyadic.models.embedder import Embedder
from polyadic.models.endpoint_model import EndpointModel
from polyadic.models.language_model import Reply
from polyadic.prompts.library import Prompts
from polyadic.settings import Settings
from polyadic.store.protocol import FailedChunk, Store


@dataclass(slots=True)
class Run:
    """What a run works with.

    ``errors`` says by request why its response was of no use; ``note`` is told of each request whose reply is missing;
    ``failed`` becomes the chunks that wait for a reply although there was a response.
    """

    settings: Settings
    store: Store
    embedder: Embedder
    model: EndpointModel
    prompts: Prompts
    report_progress: Callable[[Progress], None]
    errors: Mapping[str, str] = field(default_factory=dict)
    note: Callable[[Noted], None] = lambda noted: None
    failed: list[FailedChunk] = field(default_factory=list)

    async def index(self, sources: Iterable[Document | Skipped] = (), anew: bool = False) -> IndexReport:
        """Read these documents, and then those that wait already, as far as replies are known."""
        chosen = choice.with_model(self._by_file, StoreMemory(self.store), self.prompts, self.settings)
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

    async def answer(self) -> QuestionOutcomes:
        """Answer the questions that are kept, as far as replies are known."""
        asker = Asker(self.settings, self.store, self.embedder, lambda: self._by_file, self.prompts)
        return await AskingByFile(self.store, asker, self.errors, self.note).answer_all()

    def themes(self) -> ThemesByFile:
        """The hierarchy, built as far as replies are known."""
        model = self._by_file
        built = Hierarchies(self.settings, lambda: self.store, lambda: self.embedder, lambda: model, self.prompts)
        return ThemesByFile(self.store, built, model, self.errors, self.note)

    @property
    def _by_file(self) -> ModelByFile:
        return ModelByFile(self.model, recall_from(self.store))

    def _with_waiting(self, sources: Iterable[Document | Skipped], waiting: set[str]) -> Iterator[Document | Skipped]:
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

    def _note_all(self, waiting: Sequence[Waiting]) -> None:
        for one in waiting:
            for request in one.requests:
                self.note(request)
                if request.key in self.errors:
                    reason = self.errors[request.key]
                    self.failed.append(FailedChunk(one.document.source, one.chunk.id, one.chunk.span, reason))


def recall_from(store: Store) -> Recall:
    """The replies that a store remembers, with what was paid for those that are awaited."""

    def recall(key: str) -> Reply | None:
        with store.read() as reader:
            known = reader.reply(key)
        if known is None:
            return None
        with store.write() as writer:
            return Reply(*known, writer.waiting.paid(key), 0.0)

    return recall
