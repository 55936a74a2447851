"""Workspace: the public facade over a document collection, its settings, facts and indexes.

Methods that call a model or take long exist in two versions: asynchronous (``aindex``, ``aretry``, ``aadd``,
``aestimate``, ``adelete``, ``areembed``, ``aretrieve``, ``aquery``, ``astream``, ``aexamine``, ``aclose``) and blocking
(``index``, ``retry``, ...). The blocking methods also work while an event loop is running. Lookups are blocking only,
because they are fast.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain
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
from polyadic.errors import NotFound, PolyadicError
from polyadic.extraction import factory
from polyadic.extraction.factory import ExtractorName, SelectedExtractor
from polyadic.hierarchy.api import HierarchyApi
from polyadic.indexing.estimate import IndexingEstimate, IndexingEstimator, KnownWork
from polyadic.indexing.indexer import Indexer
from polyadic.indexing.progress import RunProgress
from polyadic.indexing.pruning import SeenSources, still_there, with_prune_hints
from polyadic.indexing.publisher import withdraw
from polyadic.indexing.reembedding import Reembedder, ReembeddingProgress, ReembeddingReport
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.indexing.roots import record_roots, roots_of
from polyadic.llm.budget import SpendingBudget, check_prices
from polyadic.llm.cached_model import NullCache, ResponseCache
from polyadic.llm.language_model import LanguageModel
from polyadic.llm.loading import RoleModels
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.store_cache import StoreResponseCache
from polyadic.loaders.folder_watcher import among
from polyadic.loaders.loader import SkippedInput, read_documents
from polyadic.model.types import Document
from polyadic.query import lookup
from polyadic.query.api import QueryMixin
from polyadic.query.browse import BrowseMixin
from polyadic.query.engine import NO_MODEL, QueryEngine
from polyadic.query.workspace_status import CostLedger, WorkspaceStatus, ledger_of, status_of
from polyadic.rerankers.loading import load_reranker
from polyadic.rerankers.reranker import Reranker
from polyadic.resolution.api import ResolutionApi
from polyadic.storage.protocol import DocumentRecord, Store
from polyadic.storage.url import LocalFolder, StoreLocation, home_of


class Workspace(BrowseMixin, QueryMixin):
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

    # adding and deleting documents

    async def aindex(
        self,
        paths: Sequence[Path | str],
        report_progress: Callable[[IndexProgress], None] = lambda progress: None,
        extractor: ExtractorName | None = None,
        prune: bool = False,
        budget: SpendingBudget | None = None,
        exclude: Sequence[str] = (),
        changed: Collection[Path] | None = None,
    ) -> IndexReport:
        """Index files and folders. Unchanged documents are skipped.

        The workspace is created if it does not exist and at least one document can be read.

        Parameters
        ----------
        paths
            Files and folders; folders are read recursively.
        report_progress
            Called after each step that takes time.
        extractor
            ``model`` or ``sentences``: extract with the language model or without one, and extract again from
            documents that were indexed with the other extractor. If None, the settings choose the extractor for new and
            changed documents; unchanged documents are extracted again, after a change of the settings, only if neither
            their current facts nor the new extraction involve a model.
        prune
            Delete documents below these paths whose file or row no longer exists. The paths themselves need not exist
            any more.
        budget
            Limit on spending on the language model. When it is used up, the run stops with the reason in the report;
            calling the method again resumes it.
        exclude
            Patterns of files and folders to skip, in addition to those in the settings: a name or a path, in which
            ``**`` matches any number of folders.
        changed
            Read only files that are among these absolute paths or below one of them, and prune only these; by default
            everything below ``paths``.

        Returns
        -------
        IndexReport
            Numbers of documents, chunks and facts, skipped inputs, failed chunks and usage.

        Raises
        ------
        StoreBusy
            Another process is writing to this workspace.
        WeightsMissing
            The weights of the embedding model are not on this machine.
        ModelUnavailable
            The language model's API key is missing. Later model errors are in the report.
        """
        seen = SeenSources()
        existing = still_there(paths, self.documents()) if prune and self.home.exists() else paths
        run = RunProgress()
        sources = seen.watch(run.watch_documents(self._read(existing, exclude, run, changed)))
        skipped, document = _first_document(sources)
        if document is None and not self.home.exists():
            return _skipped_report(skipped)
        first = [] if document is None else [document]
        report = await self._index(
            chain(skipped, first, sources),
            lambda progress: report_progress(run.completed(progress)),
            extractor,
            budget,
            roots_of(paths),
        )
        if prune and not report.stopped:
            gone = seen.missing(self.documents(), paths if changed is None else list(changed))
            await withdraw(self._existing_store, [record.id for record in gone], lambda: self.embedder)
            report.pruned = [record.source for record in gone]
        return report

    def index_on_ray(
        self,
        names: Sequence[str],
        report_progress: Callable[[IndexProgress], None] = lambda progress: None,
        extractor: ExtractorName | None = None,
        budget: SpendingBudget | None = None,
        address: str | None = None,
        workers: int | None = None,
    ) -> IndexReport:
        """Index on a Ray cluster (docs/ray.md); the workspace must be in PostgreSQL.

        There is no asynchronous version: the calling thread waits for Ray.

        Parameters
        ----------
        names
            Files and folders that exist under the same path on every host, and URIs of object storage.
        report_progress, extractor
            As for :meth:`aindex`.
        budget
            As for :meth:`aindex`; the limit applies to all workers together.
        address
            Address of the cluster. None: the value of ``RAY_ADDRESS``, else a local cluster for this run.
        workers
            Number of workers; each makes up to ``at_once`` concurrent calls. None: one per host.

        Returns
        -------
        IndexReport
            As for :meth:`aindex`, summed over the workers.

        Raises
        ------
        PackageMissing
            The packages of the extra ``ray`` are not installed.
        PolyadicError
            The workspace is a folder, the cluster cannot be joined, or the run cannot continue.
        """
        from polyadic.indexing.ray.cluster import joined, need_ray
        from polyadic.indexing.ray.indexing_run import RayRun
        from polyadic.indexing.ray.sources import list_sources, local_paths
        from polyadic.indexing.ray.worker_env import WorkerEnvironment

        need_ray()
        if isinstance(self.home, LocalFolder):
            what = f"workers on many hosts cannot write to the folder {self.home}"
            raise PolyadicError(what, "use a workspace in PostgreSQL: -w postgresql://HOST/DATABASE#NAME")
        by = factory.wanted(extractor, self.settings)
        if by == "model":
            check_prices(budget, self.settings.model, "extraction")
            self._required_model("extraction").check()
        # Fail early: weights that are missing here may also be missing on the hosts that embed.
        _ = self.embedder
        sources = list(list_sources(names, self.settings.reading))
        skipped = [source for source in sources if isinstance(source, SkippedInput)]
        files = [source for source in sources if isinstance(source, str)]
        if not files:
            return _skipped_report(skipped)
        record_roots(self._store, roots_of(local_paths(names)))
        with joined(address):
            run = RayRun(
                self._address,
                self._store,
                self.settings,
                WorkerEnvironment.of(self.settings, self.folder),
                by,
                extractor is not None,
                budget,
                workers,
                report_progress,
            )
            return run.index(files, skipped)

    async def aretry(
        self,
        report_progress: Callable[[IndexProgress], None] = lambda progress: None,
        budget: SpendingBudget | None = None,
    ) -> IndexReport:
        """Extract again from chunks that failed in an earlier run.

        The text is taken from the workspace; files are not read again.

        Parameters
        ----------
        report_progress, budget
            As for :meth:`aindex`.

        Returns
        -------
        IndexReport
            As for :meth:`aindex`.

        Raises
        ------
        NotFound
            The workspace does not exist.
        StoreBusy, WeightsMissing, ModelUnavailable
            As for :meth:`aindex`.
        """
        with self._existing_store.read() as reader:
            failed = [reader.records.document(record.id) for record in reader.records.documents() if record.failed]
        return await self.aadd(failed, report_progress, budget=budget)

    async def aadd(
        self,
        documents: Iterable[Document | SkippedInput],
        report_progress: Callable[[IndexProgress], None] = lambda progress: None,
        extractor: ExtractorName | None = None,
        budget: SpendingBudget | None = None,
    ) -> IndexReport:
        """Index documents that are already in memory.

        Parameters
        ----------
        documents
            Documents, identified by ``source``: a document whose source is known replaces the earlier version.
        report_progress, extractor, budget
            As for :meth:`aindex`.

        Returns
        -------
        IndexReport
            As for :meth:`aindex`.

        Raises
        ------
        PolyadicError
            ``documents`` contains something else, such as a path.
        StoreBusy, WeightsMissing, ModelUnavailable
            As for :meth:`aindex`.
        """
        return await self._index(_checked_documents(documents), report_progress, extractor, budget)

    async def _index(
        self,
        documents: Iterable[Document | SkippedInput],
        report_progress: Callable[[IndexProgress], None],
        extractor: ExtractorName | None,
        budget: SpendingBudget | None,
        roots: Collection[str] = (),
    ) -> IndexReport:
        """Index documents as :meth:`aadd` does, and record new roots of the workspace first."""
        # Load the models before the store, so that no workspace is created if weights or a key are missing.
        embedder = self.embedder
        if factory.wanted(extractor, self.settings) == "model":
            self._required_model("extraction").check()
        store = self._store
        record_roots(store, roots)
        selected = self._extractor(extractor, StoreResponseCache(store), budget)
        chunking, reextract = self.settings.chunking, extractor is not None
        indexer = Indexer(store, selected.extractor, embedder, chunking, report_progress, reextract, selected.spent)
        throttled_before = selected.throttle_count()
        report = await indexer.index(documents)
        report.throttle_count = selected.throttle_count() - throttled_before
        return report

    async def aestimate(
        self, paths: Sequence[Path | str], extractor: ExtractorName | None = None, exclude: Sequence[str] = ()
    ) -> IndexingEstimate:
        """Estimate calls, tokens, money and time of indexing, without calling a model.

        Parameters
        ----------
        paths, extractor, exclude
            As for :meth:`aindex`.

        Returns
        -------
        IndexingEstimate
            The estimate, and the inputs that would be skipped.
        """
        sources = self._read(paths, exclude)
        selected = self._extractor(extractor, NullCache())
        if not self.home.exists():
            return await self._estimator(selected, KnownWork(), extractor).estimate(sources)
        with self._store.read() as reader:
            known = KnownWork(
                reader.records.stamp, lambda key: reader.records.reply(key) is not None, reader.records.spent()
            )
            return await self._estimator(selected, known, extractor).estimate(sources)

    async def adelete(self, references: str | Sequence[str], forget_replies: bool = False) -> list[DocumentRecord]:
        """Delete documents, and the facts that no other document supports.

        Parameters
        ----------
        references
            One or several references: a path or other source, a title, or at least 8 digits of the identifier. A
            folder stands for all documents below it, a .jsonl or .csv file for all of its rows, ``PATH#ROW`` for one
            row, and a pattern such as ``notes/**/*.md`` for all that match. If one of the references matches no
            document, nothing is deleted.
        forget_replies
            Also delete the cached replies of language models, for all documents. The cache avoids paying twice for
            the same request; its replies quote the documents.

        Returns
        -------
        list of DocumentRecord
            The deleted documents, sorted by source.

        Raises
        ------
        NotFound
            A reference matches no document, or a title or identifier matches more than one.
        StoreBusy
            Another process is writing to this workspace.
        """
        records = self.find_documents([references] if isinstance(references, str) else references)
        await withdraw(self._existing_store, [record.id for record in records], lambda: self.embedder)
        if forget_replies:
            with self._existing_store.write() as writer:
                writer.forget_replies()
        return records

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

    index = async_to_sync(aindex)
    retry = async_to_sync(aretry)
    add = async_to_sync(aadd)
    estimate = async_to_sync(aestimate)
    delete = async_to_sync(adelete)
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
            raise NotFound(f"there is no workspace in {self._display_place} yet", "create it with polyadic index PATH")

    def _read(
        self,
        paths: Sequence[Path | str],
        exclude: Sequence[str],
        run: RunProgress | None = None,
        changed: Collection[Path] | None = None,
    ) -> Iterator[Document | SkippedInput]:
        """Read the documents at these paths, without the workspace's own files and excluded ones."""
        reading = self.settings.reading
        reading = reading.model_copy(update={"exclude": (*reading.exclude, *exclude)})
        run = run or RunProgress()

        def watch(found: Iterator[Path | SkippedInput]) -> Iterator[Path | SkippedInput]:
            found = found if changed is None else among(found, changed)
            return run.watch_files(with_prune_hints(found, lambda: self.documents() if self.home.exists() else ()))

        return read_documents(paths, reading, exclude=self._excluded_folders, watch=watch)

    @property
    def _excluded_folders(self) -> list[Path]:
        """Folders that are never indexed: the workspace's own folder."""
        return [self.folder] if isinstance(self.home, LocalFolder) else []

    @property
    def _display_place(self) -> Path | StoreLocation:
        """Folder or address of the workspace, for messages."""
        return self.folder if isinstance(self.home, LocalFolder) else self.home

    def _model(self, role: ModelRole) -> LanguageModel | None:
        return self._models.of(role)

    def _required_model(self, role: ModelRole) -> LanguageModel:
        model = self._model(role)
        if model is None:
            raise NO_MODEL
        return model

    def _extractor(
        self, name: ExtractorName | None, cache: ResponseCache, budget: SpendingBudget | None = None
    ) -> SelectedExtractor:
        if factory.wanted(name, self.settings) == "sentences":
            return factory.without_model(self.settings)
        return factory.with_model(self._required_model("extraction"), cache, self._prompts, self.settings, budget)

    def _estimator(
        self, selected: SelectedExtractor, known: KnownWork, name: ExtractorName | None
    ) -> IndexingEstimator:
        settings = self.settings
        return IndexingEstimator(
            selected.extractor,
            self.embedder,
            settings.chunking,
            settings.model.of_role("extraction"),
            known,
            name is not None,
        )

    @property
    def _query_engine(self) -> QueryEngine:
        store = self._existing_store
        return QueryEngine(
            self.settings,
            store,
            self.embedder,
            partial(self._model, "answers"),
            self._prompts,
            StoreResponseCache(store),
            reranker=self.reranker,
        )


def _checked_documents(documents: Iterable[Document | SkippedInput]) -> Iterator[Document | SkippedInput]:
    """Yield documents; raise PolyadicError for anything else, such as the paths that ``index`` takes."""
    if isinstance(documents, Document):
        raise PolyadicError("add takes a list of documents, not a single one", "call add([document])")
    for document in documents if isinstance(documents, Iterable) else [documents]:
        if not isinstance(document, Document | SkippedInput):
            what = f"add takes Document objects, not {type(document).__name__}"
            raise PolyadicError(what, "to read files, call index with their paths")
        yield document


def _skipped_report(skipped: Sequence[SkippedInput]) -> IndexReport:
    report = IndexReport()
    report.skip(*skipped)
    return report


def _first_document(sources: Iterator[Document | SkippedInput]) -> tuple[list[SkippedInput], Document | None]:
    """Return the first document and the inputs skipped before it; the rest stays in the iterator."""
    skipped: list[SkippedInput] = []
    for source in sources:
        if isinstance(source, Document):
            return skipped, source
        skipped.append(source)
    return skipped, None
