"""An evaluation's language models, asked by batch files instead of calls: those that answer, judge and write questions.

Each round asks for all that can be known to be missing: first what indexing needs, then answers, then judgements.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from polyadic.batch.collect import ResponseCollector
from polyadic.batch.parameter_support import learn, speak
from polyadic.batch.report import BatchReadReport
from polyadic.batch.request_writer import RequestFileWriter
from polyadic.batch.resume import BatchRun, recall_from
from polyadic.errors import NoReply, NotFound
from polyadic.evaluation.measures.judge_replies import read_mark, read_winners
from polyadic.evaluation.measures.measure import PURPOSE as JUDGE
from polyadic.evaluation.measures.win_rate import CRITERIA
from polyadic.evaluation.question_generation import question_writer
from polyadic.extraction import factory
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.llm.batch_model import BatchModel, PendingRequest, Recall, ReplyPending
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import ModelReply, ModelRequest
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.store_cache import StoreResponseCache
from polyadic.loaders.loader import SkippedInput
from polyadic.model.identity import digest
from polyadic.model.types import Document
from polyadic.query.api import QueryMixin
from polyadic.query.engine import NO_MODEL, QueryEngine
from polyadic.workspace import Workspace

_USABLE: Mapping[str, Callable[[ModelReply], bool]] = {
    JUDGE: lambda reply: read_mark(reply.text) is not None or None not in read_winners(reply.text, CRITERIA),
    question_writer.PURPOSE: lambda reply: question_writer.is_readable(reply.text),
}
"""What only evaluation asks for: a reply that cannot be read is asked for again."""


class EvaluationBatch:
    """Stands between an evaluation and its models: takes replies in, and keeps what is missing still.

    Parameters
    ----------
    kb
        Remembers replies, and what is awaited.
    folder
        Where the evaluation keeps its results: what tells it from others that the same workspace serves.
    judge
        Name of the model that judges; empty for the one that answers.

    Raises
    ------
    SettingsError
        No language model is named.
    """

    def __init__(self, kb: Workspace, folder: Path, judge: str = "") -> None:
        if not kb.settings.model.name and not judge:
            raise NO_MODEL
        self._kb = kb
        self._store = kb.store(make=True)
        self._asker_id = digest("evaluation", str(folder.resolve()))
        self._judge_name = judge or kb.settings.model.name
        self._models: dict[str, EndpointModel] = {}
        self._noted: dict[str, PendingRequest] = {}

    @property
    def is_azure(self) -> bool:
        """Whether requests go to Azure, which has other addresses."""
        return bool(self._kb.settings.model.azure_api_version)

    @property
    def awaited(self) -> tuple[PendingRequest, ...]:
        """Every request that was met and has no reply, each once."""
        return tuple(self._noted.values())

    def note(self, requests: Iterable[PendingRequest]) -> None:
        """Enter requests without a reply."""
        self._noted |= {request.key: request for request in requests}

    async def take(self, files: Sequence[Path]) -> BatchReadReport:
        """Take in response lines; those that nothing waits for are counted and left out.

        Raises
        ------
        NotFound
            There is no such file.
        StoreBusy
            Another process is writing to the workspace.
        """
        if missing := [file for file in files if not file.is_file()]:
            raise NotFound(f"there is no file {missing[0]}", "name the file that the provider sent back")
        report, settings = BatchReadReport(), self._kb.settings
        judge = self._model(self._judge_name)
        usual = self._model(settings.model.name or self._judge_name)
        discount = settings.model.batch_discount
        taking = ResponseCollector(self._store, usual, discount, report, _USABLE, {JUDGE: judge})
        with self._store.exclusive():
            for file in files:
                await taking.take(file)
            # Whose request was refused is not told, so each model leaves the parameter out from now on.
            learned = [learn(model, self._store, taking.refusals) for model in self._models.values()]
        report.adapted = any(learned)
        return report

    async def index(
        self, documents: Iterable[Document | SkippedInput], report_progress: Callable[[IndexProgress], None]
    ) -> IndexReport:
        """Read documents as far as replies are known; as ``Workspace.aadd`` where no model reads them.

        Raises
        ------
        ReplyPending
            Chunks wait for replies.
        """
        kb = self._kb
        if factory.wanted(None, kb.settings) == "sentences":
            return await kb.aadd(documents, report_progress)
        run = BatchRun(
            kb.settings,
            self._store,
            kb.embedder,
            self._model(kb.settings.model.name),
            PromptLibrary(kb.folder),
            report_progress,
            note=lambda noted: self.note([noted]),
        )
        with self._store.exclusive():
            report = await run.index(documents)
        if self.awaited:
            raise ReplyPending(*self.awaited)
        return report

    @property
    def asking(self) -> QueryMixin:
        """Answers questions by replies that have come; raises ReplyPending for one whose reply has not."""
        kb = self._kb
        name = kb.settings.model.name
        model = BatchModel(self._model(name), recall_from(self._store)) if name else None
        return _AskedByFile(QueryEngine(kb.settings, self._store, kb.embedder, lambda: model, PromptLibrary(kb.folder)))

    def remembering(self, name: str = "") -> CachedModel:
        """The model of this name, or that of the settings; what it has not said yet is noted, and is no reply."""
        model = self._model(name or self._kb.settings.model.name)
        return CachedModel(_Noting(model, recall_from(self._store), self.note), StoreResponseCache(self._store))

    def write(self, files: RequestFileWriter) -> None:
        """Keep what is awaited from now on, and write its requests."""
        with self._store.write() as writer:
            writer.waiting.put(self._asker_id, {noted.key: noted.purpose for noted in self.awaited})
        with files:
            for noted in self.awaited:
                files.add(noted)

    def done(self) -> None:
        """Await nothing any more."""
        with self._store.write() as writer:
            writer.waiting.answered([self._asker_id])

    def _model(self, name: str) -> EndpointModel:
        if name not in self._models:
            model = EndpointModel(self._kb.settings.model.model_copy(update={"name": name}))
            speak(model, self._store)
            self._models[name] = model
        return self._models[name]


class _Noting(BatchModel):
    """A model of which many things are asked at once: what it has not said yet stops nobody from asking further."""

    def __init__(self, model: EndpointModel, recall: Recall, note: Callable[[Iterable[PendingRequest]], None]) -> None:
        super().__init__(model, recall)
        self._note = note

    async def ask(self, request: ModelRequest) -> ModelReply:
        try:
            return await super().ask(request)
        except ReplyPending as awaited:
            self._note(awaited.requests)
            raise NoReply("its reply is awaited from a batch file") from None


class _AskedByFile(QueryMixin):
    """What a workspace is asked, with replies from batch files."""

    def __init__(self, asker: QueryEngine) -> None:
        self._by_file = asker

    @property
    def _asker(self) -> QueryEngine:
        return self._by_file
