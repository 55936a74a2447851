"""Workspace: the public facade over a document collection, its settings, facts and indexes.

Methods that call a model or take long exist in two versions: asynchronous (``aindex``, ``aretry``, ``aadd``,
``aestimate``, ``adelete``, ``areembed``, ``aretrieve``, ``aquery``, ``astream``, ``aexamine``, ``aclose``) and blocking
(``index``, ``retry``, ...). The blocking methods also work while an event loop is running. Lookups are blocking only,
because they are fast.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import Self

from polyadic.batch.api import BatchApi
from polyadic.concurrency.async_to_sync import async_iter_to_sync, async_to_sync
from polyadic.config import DEFAULT_FOLDER, FILE_NAME, EmbeddingSettings, ModelRole, Settings, expanded, load_settings
from polyadic.doctor.check_result import CheckResult
from polyadic.doctor.checks import TIMEOUT, run_checks
from polyadic.embeddings.embedder import Embedder
from polyadic.embeddings.loading import embedder_name, load_embedder
from polyadic.errors import NO_MODEL, NotFound
from polyadic.hierarchy.api import HierarchyApi
from polyadic.indexing.ray.api import RayIndexingMixin
from polyadic.indexing.reembedding import Reembedder, ReembeddingProgress, ReembeddingReport
from polyadic.llm.cached_model import StoreResponseCache
from polyadic.llm.language_model import LanguageModel
from polyadic.llm.loading import RoleModels
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.query import lookup
from polyadic.query.api import BrowseMixin, QueryMixin
from polyadic.query.engine import QueryEngine
from polyadic.query.workspace_status import CostLedger, WorkspaceStatus, ledger_of, status_of
from polyadic.rerankers.loading import load_pair_scorer, load_reranker
from polyadic.rerankers.pair_scoring.models import ANSWER_SELECTION, CLAIM_SUPPORT, PairModel
from polyadic.rerankers.pair_scoring.scorer import PairScorer
from polyadic.rerankers.reranker import Reranker
from polyadic.resolution.api import ResolutionApi
from polyadic.storage.protocol import Store
from polyadic.storage.url import LocalFolder, StoreLocation, home_of


class Workspace(BrowseMixin, QueryMixin, RayIndexingMixin):
    """A document collection with its settings, facts and indexes.

    Opening a workspace creates nothing; the store is created when the first document is indexed. Use it as a context
    manager, or call :meth:`close`, to release files and connections.

    Parameters
    ----------
    place
        Folder of the workspace; its ``polyadic.toml`` is read if there is one. Or the address of a workspace in
        PostgreSQL, ``postgresql://user@host/database#name`` (needs ``polyadic[postgres]``); settings and prompts are
        then read from the current folder.
    settings
        Settings to use instead of those in the folder.
    folder
        For a workspace in PostgreSQL: folder with its settings and prompts (default: the current folder).

    Raises
    ------
    SettingsError
        A setting in ``polyadic.toml`` or the environment is invalid.

    Examples
    --------
    >>> import tempfile
    >>> from polyadic.model.types import Document
    >>> from polyadic.config import EmbeddingSettings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kb = Workspace(folder, Settings(embedding=EmbeddingSettings(model="hashing")))
    ...     report = kb.add([Document("memory:ada", "", "Ada Lovelace met Charles Babbage in London.")])
    ...     print([fact.text for fact in kb.facts_of("Ada Lovelace")])
    ...     kb.close()
    ['Ada Lovelace met Charles Babbage in London.']
    """

    def __init__(
        self, place: Path | str = DEFAULT_FOLDER, settings: Settings | None = None, folder: Path | str = ""
    ) -> None:
        self.home: StoreLocation = home_of(place)
        self.folder = self.home.path if isinstance(self.home, LocalFolder) else expanded(folder)
        self._address = str(place)
        self.settings = settings if settings is not None else load_settings(self.folder / FILE_NAME)

    @property
    def name(self) -> str:
        """Name of the workspace: that of its folder, or the name in its address."""
        return self.home.name

    async def areembed(
        self,
        embedding: EmbeddingSettings | None = None,
        report_progress: Callable[[ReembeddingProgress], None] = lambda progress: None,
        force: bool = False,
    ) -> ReembeddingReport:
        """Compute all vectors with another embedding model, then switch to it.

        Until the switch, queries use the old vectors, and documents can be added and deleted with the old model.
        A run that was stopped is resumed by calling this again.

        Parameters
        ----------
        embedding
            Settings of the new model; this object uses them afterwards. None: the current settings.
        report_progress
            Called after every batch.
        force
            Embed again even if the store already names this model: an endpoint may serve another model under the
            same name.

        Returns
        -------
        ReembeddingReport
            The model before and after, and the numbers of texts and vectors.

        Raises
        ------
        NotFound
            The workspace does not exist.
        StoreBusy
            Another process is changing the embedding model of this workspace.
        WeightsMissing, ModelUnavailable
            The new model cannot be used; the workspace is unchanged.
        """
        self._check_existence()
        target = embedding or self.settings.embedding
        embedder, store = load_embedder(target), self.home.open(None)
        try:
            report = await Reembedder(store, embedder, self.settings.chunking, report_progress).reembed(force)
        finally:
            await asyncio.to_thread(store.close)
            await embedder.close()
        # Swap settings, store and embedder without an await between them: concurrent calls must not see a mixture.
        self.settings = self.settings.model_copy(update={"embedding": target})
        old_store, old_embedder = self.__dict__.pop("_store", None), self.__dict__.pop("embedder", None)
        if old_store is not None:
            await asyncio.to_thread(old_store.close)
        if old_embedder is not None:
            await old_embedder.close()
        return report

    # status, costs and health checks

    def status(self) -> WorkspaceStatus:
        """Count documents, facts, entities and vectors, and list failed chunks and spending.

        Returns
        -------
        WorkspaceStatus
            The counts.

        Raises
        ------
        NotFound
            The workspace does not exist.
        """
        return status_of(self._existing_store, str(self.home), embedder_name(self.settings.embedding))

    def ledger(self, reference: str | None = None) -> CostLedger:
        """List every paid model call, with sums by purpose and by document.

        Parameters
        ----------
        reference
            Restrict to calls for these documents; a reference as for :meth:`adelete`.

        Returns
        -------
        CostLedger
            The calls and their sums.

        Raises
        ------
        NotFound
            The workspace does not exist, no document matches the reference, or more than one does.
        """
        store = self._existing_store
        if reference is None:
            return ledger_of(store)
        with store.read() as reader:
            document_ids = frozenset(record.id for record in lookup.documents(reader, reference))
        return ledger_of(store, document_ids)

    def aexamine(self, whole_window: bool = False, timeout: float = TIMEOUT) -> AsyncGenerator[CheckResult, None]:
        """Check disk, store and models, without changing anything.

        Parameters
        ----------
        whole_window
            Test the language model's whole context window, even beyond 32,000 tokens, which may cost money.
        timeout
            Time limit of all model checks together, in seconds. The last result names the checks that it cut off.

        Returns
        -------
        AsyncGenerator of CheckResult
            One result per check, as soon as the check is done.
        """
        return run_checks(self.home, self.settings, whole_window, timeout)

    # blocking versions

    reembed = async_to_sync(areembed)
    examine = async_iter_to_sync(aexamine)

    @property
    def entities(self) -> ResolutionApi:
        """Entity resolution: review candidates, merge and split entities, add cannot-links, undo decisions."""
        model, at_once = partial(self._required_model, "judging"), self.settings.model.of_role("judging").at_once
        return ResolutionApi(self.store, lambda: self.embedder, model, self._prompts, at_once)

    @property
    def hierarchy(self) -> HierarchyApi:
        """Hierarchy of summaries and communities over all facts: estimate, build and inspect it."""
        model = partial(self._required_model, "summaries")
        return HierarchyApi(self.settings, self.store, lambda: self.embedder, model, self._prompts)

    @property
    def batch(self) -> BatchApi:
        """Batch files: write the requests to the language model to files, and read the responses."""
        return BatchApi(
            self.settings,
            self._excluded_folders,
            self._prompts,
            self.store,
            lambda: self.embedder,
            lambda: self.reranker,
            lambda: self.claim_judge,
            self.ocr_session,
        )

    async def aclose(self) -> None:
        """Close files and connections. Using the workspace again reopens them."""
        for model in (self.__dict__.get(name) for name in ("embedder", "_models", "reranker")):
            if model is not None:
                await model.close()
        store = self.__dict__.pop("_store", None)
        if store is not None:
            # Closing may wait for array builds in progress: do not block the event loop.
            await asyncio.to_thread(store.close)

    close = async_to_sync(aclose)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def store(self, make: bool = False) -> Store:
        """Open the store of the workspace.

        Parameters
        ----------
        make
            Create the store if it does not exist.

        Returns
        -------
        Store
            The open store, which the workspace closes.

        Raises
        ------
        NotFound
            The workspace does not exist, and ``make`` is False.
        """
        return self._store if make else self._existing_store

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model of the settings, loaded on first use."""
        return load_embedder(self.settings.embedding)

    @cached_property
    def _models(self) -> RoleModels:
        return RoleModels(self.settings.model)

    @cached_property
    def reranker(self) -> Reranker | None:
        """The reranker of the settings, loaded on first use; None if there is none."""
        return load_reranker(self.settings.reranker)

    @cached_property
    def answer_selector(self) -> PairScorer | None:
        """The cross-encoder that judges sentences to quote, loaded on first use; None if there is none."""
        return self._pair_scorer(ANSWER_SELECTION)

    @cached_property
    def claim_judge(self) -> PairScorer | None:
        """The cross-encoder that judges claims of answers, loaded on first use; None if there is none."""
        return self._pair_scorer(CLAIM_SUPPORT)

    def _pair_scorer(self, model: PairModel) -> PairScorer | None:
        return load_pair_scorer(model, self.settings.embedding) if self.settings.answer.cross_encoder else None

    @cached_property
    def _prompts(self) -> PromptLibrary:
        return PromptLibrary(self.folder)

    @cached_property
    def _store(self) -> Store:
        return self.home.open(embedder_name(self.settings.embedding))

    @property
    def _existing_store(self) -> Store:
        if "_store" not in self.__dict__:
            self._check_existence()
        return self._store

    def _check_existence(self) -> None:
        if not self.home.exists():
            if self._excluded_folders and self.folder.is_file():
                raise NotFound(f"there is no workspace in {self.folder}", "it is a file, but a workspace is a folder")
            place = self.folder if isinstance(self.home, LocalFolder) else self.home
            raise NotFound(f"there is no workspace in {place} yet", "create it with polyadic index PATH")

    @property
    def _excluded_folders(self) -> list[Path]:
        """Folders that are never indexed: the workspace's own folder."""
        return [self.folder] if isinstance(self.home, LocalFolder) else []

    def _model(self, role: ModelRole) -> LanguageModel | None:
        return self._models.of(role)

    def _required_model(self, role: ModelRole) -> LanguageModel:
        model = self._model(role)
        if model is None:
            raise NO_MODEL
        return model

    @property
    def _query_engine(self) -> QueryEngine:
        store = self._existing_store
        return QueryEngine(
            self.settings,
            store,
            self.embedder,
            self._model,
            self._prompts,
            StoreResponseCache(store),
            reranker=self.reranker,
            selector=self.answer_selector,
            judge=self.claim_judge,
        )
