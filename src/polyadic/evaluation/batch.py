"""Run an evaluation's language models (answers, judge, question writer) by batch files instead of online calls.

Each round writes all requests that can be determined: first those of indexing, then answers, then judgements.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from polyadic.batch.batch_run import BatchRun, cached_reply_lookup
from polyadic.batch.parameter_support import learn, speak
from polyadic.batch.report import BatchReadReport
from polyadic.batch.request_files import RequestFileWriter
from polyadic.batch.response_collector import ResponseCollector
from polyadic.batch.role_models import BatchRoleModels
from polyadic.config import MODEL_ROLES, ModelRole
from polyadic.errors import NO_MODEL, NoReply, NotFound
from polyadic.evaluation.measures.judge import read_mark, read_winners
from polyadic.evaluation.measures.measure import PURPOSE as JUDGE
from polyadic.evaluation.measures.win_rate import CRITERIA
from polyadic.evaluation.question_generation import question_writer
from polyadic.extraction import factory
from polyadic.hierarchy.api import HierarchyApi
from polyadic.hierarchy.build_report import BuildReport
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.llm.batch_model import BatchModel, PendingRequest, ReplyLookup, ReplyPending
from polyadic.llm.cached_model import CachedModel, StoreResponseCache
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import ModelReply, ModelRequest
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.loaders.loader import SkippedInput
from polyadic.model.identity import digest
from polyadic.model.types import Document
from polyadic.query.api import EngineQueryApi, QueryMixin
from polyadic.query.engine import QueryEngine
from polyadic.storage.protocol import Store
from polyadic.workspace import Workspace

_USABLE: Mapping[str, Callable[[ModelReply], bool]] = {
    JUDGE: lambda reply: read_mark(reply.text) is not None or None not in read_winners(reply.text, CRITERIA),
    question_writer.PURPOSE: lambda reply: question_writer.is_readable(reply.text),
}
"""Whether a reply is worth caching, for purposes of evaluation only; unreadable replies are requested again."""


class EvaluationBatch:
    """Batch files of an evaluation: reads replies and collects the requests that are missing one.

    Parameters
    ----------
    kb
        Workspace that stores replies and pending requests.
    folder
        Results folder; identifies the evaluation among others that use the same workspace.
    judge
        Name of the judging model; empty for that of the settings.

    Raises
    ------
    SettingsError
        No language model is configured.
    """

    def __init__(self, kb: Workspace, folder: Path, judge: str = "") -> None:
        self._settings = kb.settings.model.with_name("judging", judge)
        if not any(self._settings.of_role(role).name for role in MODEL_ROLES):
            raise NO_MODEL
        self._kb = kb
        self._store = kb.store(make=True)
        self._evaluation_key = digest("evaluation", str(folder.resolve()))
        self._noted: dict[str, PendingRequest] = {}

    @property
    def pending(self) -> tuple[PendingRequest, ...]:
        """Distinct requests without a reply."""
        return tuple(self._noted.values())

    def note(self, requests: Iterable[PendingRequest]) -> None:
        """Add requests without a reply."""
        self._noted |= {request.key: request for request in requests}

    async def take(self, files: Sequence[Path]) -> BatchReadReport:
        """Read response lines; those that no request waits for are counted and ignored.

        Raises
        ------
        NotFound
            There is no such file.
        StoreBusy
            Another process is writing to the workspace.
        """
        if missing := [file for file in files if not file.is_file()]:
            raise NotFound(f"there is no file {missing[0]}", "name the file that the provider sent back")
        report = BatchReadReport()
        collector = ResponseCollector(self._store, self._models.for_purpose, report, _USABLE)
        with self._store.exclusive_session():
            for file in files:
                await collector.take(file)
            report.adapted = learn(self._models.distinct, self._store, collector.refusals)
        return report

    async def index(
        self, documents: Iterable[Document | SkippedInput], report_progress: Callable[[IndexProgress], None]
    ) -> IndexReport:
        """Index documents as far as replies are known; like ``Workspace.aadd`` if extraction uses no model.

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
            self._models,
            PromptLibrary(kb.folder),
            report_progress,
            note=lambda noted: self.note([noted]),
        )
        with self._store.exclusive_session():
            report = await run.index(documents)
        if self.pending:
            raise ReplyPending(*self.pending)
        return report

    async def build_hierarchy(self, hierarchies: HierarchyApi, store: Store, rebuild: bool) -> BuildReport:
        """Build the hierarchy of a store with the model, as far as replies are known.

        Raises
        ------
        ReplyPending
            Summaries or reports wait for replies.
        """
        model = BatchModel(self._models.of("summaries"), cached_reply_lookup(self._store))
        report = await hierarchies.by_model(store, model, rebuild=rebuild, note=self.note)
        if report.pending:
            raise ReplyPending(*self.pending)
        return report

    @property
    def asking(self) -> QueryMixin:
        """Query API with batch replies; raises ReplyPending for a question whose reply is missing."""
        kb = self._kb
        return EngineQueryApi(
            QueryEngine(
                kb.settings,
                self._store,
                kb.embedder,
                self._batch_model,
                PromptLibrary(kb.folder),
                reranker=kb.reranker,
                selector=kb.answer_selector,
                judge=kb.claim_judge,
            )
        )

    def _batch_model(self, role: ModelRole) -> BatchModel | None:
        model = self._models.of(role)
        return BatchModel(model, cached_reply_lookup(self._store)) if model.name else None

    def judge(self) -> CachedModel:
        """Return the model that judges and writes questions; requests without a reply are noted and fail."""
        model = _NotingModel(self._models.of("judging"), cached_reply_lookup(self._store), self.note)
        return CachedModel(model, StoreResponseCache(self._store))

    def write(self, files: RequestFileWriter) -> None:
        """Store the pending requests and write them to files."""
        with self._store.write() as writer:
            writer.waiting.put(self._evaluation_key, {noted.key: noted.purpose for noted in self.pending})
        with files:
            # Sorted, because a file contains requests for one URL and one model only.
            for noted in sorted(self.pending, key=lambda noted: (noted.url, str(noted.body["model"]))):
                files.add(noted)

    def done(self) -> None:
        """Drop the pending requests of this evaluation."""
        with self._store.write() as writer:
            writer.waiting.delete_questions([self._evaluation_key])

    @cached_property
    def _models(self) -> BatchRoleModels:
        models = BatchRoleModels(self._settings)
        speak(models.distinct, self._store)
        return models


class _NotingModel(BatchModel):
    """Batch model for many concurrent requests: a missing reply is noted and fails only its own request."""

    def __init__(
        self, model: EndpointModel, lookup: ReplyLookup, note: Callable[[Iterable[PendingRequest]], None]
    ) -> None:
        super().__init__(model, lookup)
        self._note = note

    async def complete(self, request: ModelRequest) -> ModelReply:
        try:
            return await super().complete(request)
        except ReplyPending as pending:
            self._note(pending.requests)
            raise NoReply("its batch reply is pending") from None
