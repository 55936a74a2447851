"""Workspace: one body of documents with its settings, facts and indexes; everything is used through it.

What waits for a model or works for long has an asynchronous twin (``aindex``, ``aretry``, ``aadd``, ``aestimate``,
``adelete``, ``areembed``, ``aretrieve``, ``aquery``, ``astream``); the plain method waits for it, also where a loop is
running. Looking things up is plain and quick.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Self

from polyadic.batch.api import BatchApi
from polyadic.concurrency.sync import run_sync, sync_iter
from polyadic.config import DEFAULT_FOLDER, FILE_NAME, EmbeddingSettings, Settings, expanded, load_settings
from polyadic.doctor.check_result import CheckResult
from polyadic.doctor.checks import run_checks
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
from polyadic.llm.budget import SpendingBudget, check_prices
from polyadic.llm.cached_model import NullCache, ResponseCache
from polyadic.llm.language_model import LanguageModel
from polyadic.llm.loading import load_language_model
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.store_cache import StoreResponseCache
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
    """One body of documents.

    Parameters
    ----------
    place
        The folder where the workspace lives, made when something is indexed; its ``polyadic.toml`` is read where there
        is one. Or the address of one in PostgreSQL, ``postgresql://user@host/database#name`` (needs
        ``polyadic[postgres]``): then settings and prompts are those of the current folder.
    settings
        Instead of those of the folder.
    folder
        Of a workspace in PostgreSQL: where its settings and prompts are, if not in the current folder.

    Raises
    ------
    SettingsError
        The settings of the folder or the environment cannot be used.

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
        """What it is called among others beside it."""
        return self.home.name

    # documents in, documents out

    async def aindex(
        self,
        paths: Sequence[Path | str],
        report_progress: Callable[[IndexProgress], None] = lambda progress: None,
        extractor: ExtractorName | None = None,
        prune: bool = False,
        budget: SpendingBudget | None = None,
        exclude: Sequence[str] = (),
    ) -> IndexReport:
        """Read files and folders into the workspace. What is unchanged costs nothing.

        A workspace is made only where there is something to put into it.

        Parameters
        ----------
        paths
            Files and folders.
        report_progress
            Called after every step that takes time.
        extractor
            ``model`` or ``sentences``: documents that were read in another way are read again. If left out, new and
            changed documents are read as the settings say, and nothing that was paid for is read again.
        prune
            Delete documents below these paths whose file is gone, or whose row of a file; also where a path itself is
            gone.
        budget
            The most that may be spent on the language model; where it is used up, the run stops as the report says,
            and goes on when it is called again.
        exclude
            Patterns of files and folders to pass over, beside those of the settings: a name, or a path, with ``**``
            for any folders.

        Raises
        ------
        StoreBusy
            Another process is writing to this workspace.
        WeightsMissing
            The embedding model is not on this machine yet.
        ModelUnavailable
            The language model's key is not there. What goes wrong with it later stands in the report.
        """
        seen = SeenSources()
        there = still_there(paths, self.documents()) if prune and self.home.exists() else paths
        run = RunProgress()
        sources = seen.watch(run.watch_documents(self._read(there, exclude, run)))
        skipped, document = _first_document(sources)
        if document is None and not self.home.exists():
            return _nothing_but(skipped)
        first = [] if document is None else [document]
        report = await self.aadd(
            chain(skipped, first, sources),
            lambda progress: report_progress(run.completed(progress)),
            extractor,
            budget,
        )
        if prune and not report.stopped:
            gone = seen.gone(self.documents(), paths)
            await withdraw(self._existing_store, [record.id for record in gone], lambda: self.embedder)
            report.withdrawn = [record.source for record in gone]
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
        """As :meth:`index`, on a cluster of Ray (docs/ray.md); the workspace is one in PostgreSQL.

        It has no asynchronous twin, as Ray is waited for in the thread that asks.

        Parameters
        ----------
        names
            Files and folders, which are there under the same name on every host, and URIs of other storage.
        report_progress, extractor, budget
            As for :meth:`aindex`; the budget is that of all workers together.
        address
            Of the cluster; None: the one that ``RAY_ADDRESS`` names, else one of this machine for this run.
        workers
            How many; each has so many calls at once as the settings say. None: one a host.

        Raises
        ------
        PackageMissing
            The packages of the extra ``ray`` are not installed.
        PolyadicError
            The workspace is a folder, the cluster cannot be joined, or work cannot go on.
        """
        from polyadic.indexing.ray.cluster import joined, need_ray
        from polyadic.indexing.ray.indexing_run import RayRun
        from polyadic.indexing.ray.sources import list_sources
        from polyadic.indexing.ray.worker_env import WorkerEnvironment

        need_ray()
        if isinstance(self.home, LocalFolder):
            what = f"workers on many hosts cannot write to the folder {self.home}"
            raise PolyadicError(what, "use a workspace in PostgreSQL: -w postgresql://HOST/DATABASE#NAME")
        by = factory.wanted(extractor, self.settings)
        if by == "model":
            check_prices(budget, self.settings.model)
            self._required_model().check()
        # The weights are to be on the hosts that embed; where they lack here, they may lack there.
        _ = self.embedder
        everything = list(list_sources(names, self.settings.reading))
        skipped = [one for one in everything if isinstance(one, SkippedInput)]
        files = [one for one in everything if isinstance(one, str)]
        if not files:
            return _nothing_but(skipped)
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
        """Try the chunks again that could not be read, of all documents; their text is that in the workspace."""
        with self._existing_store.read() as reader:
            marked = [reader.document(record.id) for record in reader.documents() if record.failed]
        return await self.aadd(marked, report_progress, budget=budget)

    async def aadd(
        self,
        documents: Iterable[Document | SkippedInput],
        report_progress: Callable[[IndexProgress], None] = lambda progress: None,
        extractor: ExtractorName | None = None,
        budget: SpendingBudget | None = None,
    ) -> IndexReport:
        """Read documents that you already hold; ``source`` is their identity. As :meth:`aindex` otherwise."""
        # Of a new workspace the models come first, so that none is made where weights or a key are missing.
        embedder = self.embedder
        if factory.wanted(extractor, self.settings) == "model":
            self._required_model().check()
        store = self._store
        chosen = self._extractor(extractor, StoreResponseCache(store), budget)
        chunking, anew = self.settings.chunking.sized(chosen.extractor.paid), extractor is not None
        indexer = Indexer(store, chosen.extractor, embedder, chunking, report_progress, anew, chosen.spent)
        slowed_before = chosen.slowed()
        report = await indexer.index(documents)
        report.slowed = chosen.slowed() - slowed_before
        return report

    async def aestimate(
        self, paths: Sequence[Path | str], extractor: ExtractorName | None = None, exclude: Sequence[str] = ()
    ) -> IndexingEstimate:
        """What indexing these would cost, before anything is spent; parameters as for :meth:`aindex`."""
        sources = self._read(paths, exclude)
        chosen = self._extractor(extractor, NullCache())
        if not self.home.exists():
            return await self._estimator(chosen, KnownWork(), extractor).estimate(sources)
        with self._store.read() as reader:
            known = KnownWork(reader.stamp, lambda key: reader.reply(key) is not None, reader.spent())
            return await self._estimator(chosen, known, extractor).estimate(sources)

    async def adelete(self, references: str | Sequence[str], forget_replies: bool = False) -> list[DocumentRecord]:
        """Delete documents with all that only they support; returns what was deleted, by source.

        Parameters
        ----------
        references
            One or several: path or other source, title, or 8 digits or more of the identifier. The path of a folder
            means all documents below it, that of a .jsonl or .csv file all of its rows, ``PATH#ROW`` one; a pattern
            such as ``notes/**/*.md`` all that match. Nothing is deleted where one of them names no document.
        forget_replies
            Forget as well what language models replied, of all documents: replies are kept so that nothing is paid
            for twice, and hold what documents said.

        Raises
        ------
        NotFound
            No document matches one of the references, or a title or identifier fits more than one.
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
        """Bring the workspace to another embedding model; readers are served from the old vectors until the switch.

        Documents may come and go meanwhile, with the old model. A run that is stopped goes on when this is called
        again.

        Parameters
        ----------
        embedding
            The model to bring it to, which these settings then name; the one that they name already if left out.
        report_progress
            Called after every batch.
        force
            Also where the workspace is filled with a model of that name: an endpoint may serve another one under it.

        Raises
        ------
        StoreBusy
            Someone else is changing the embedding model of this workspace.
        WeightsMissing, ModelUnavailable
            The new model is not to be had; the workspace stays as it was.
        """
        self._check_existence()
        target = embedding or self.settings.embedding
        embedder, store = load_embedder(target), self.home.open(None)
        try:
            report = await Reembedder(store, embedder, self.settings.chunking, report_progress).reembed(force)
        finally:
            await asyncio.to_thread(store.close)
            await embedder.close()
        # All at once, so that whatever else this workspace is asked meanwhile finds the one model or the other.
        self.settings = self.settings.model_copy(update={"embedding": target})
        old_store, old_embedder = self.__dict__.pop("_store", None), self.__dict__.pop("embedder", None)
        if old_store is not None:
            await asyncio.to_thread(old_store.close)
        if old_embedder is not None:
            await old_embedder.close()
        return report

    # what it holds, and what is wrong

    def status(self) -> WorkspaceStatus:
        """What the workspace holds."""
        return status_of(self._existing_store, str(self.home), embedder_name(self.settings.embedding))

    def ledger(self, reference: str | None = None) -> CostLedger:
        """Every call of a model that was paid for, and what they sum to.

        Parameters
        ----------
        reference
            Only the calls about these documents, named as for :meth:`adelete`.

        Raises
        ------
        NotFound
            No document matches the reference, or more than one does.
        """
        store = self._existing_store
        if reference is None:
            return ledger_of(store)
        with store.read() as reader:
            about = frozenset(record.id for record in lookup.documents(reader, reference))
        return ledger_of(store, about)

    def aexamine(self, whole_window: bool = False) -> AsyncGenerator[CheckResult, None]:
        """Look at disk, store and models; findings come as they are made. Nothing is changed.

        Parameters
        ----------
        whole_window
            Try the language model's whole context, also where that is long and costs money.
        """
        return run_checks(self.home, self.settings, whole_window)

    # plain twins

    index = run_sync(aindex)
    retry = run_sync(aretry)
    add = run_sync(aadd)
    estimate = run_sync(aestimate)
    delete = run_sync(adelete)
    reembed = run_sync(areembed)
    examine = sync_iter(aexamine)

    @property
    def entities(self) -> ResolutionApi:
        """Who is who: what may be one, what was decided, and deciding."""
        at_once = self.settings.model.at_once
        return ResolutionApi(self.store, lambda: self.embedder, self._required_model, self._prompts, at_once)

    @property
    def hierarchy(self) -> HierarchyApi:
        """Themes over all facts: building them, what that would cost, and what they look like."""
        return HierarchyApi(self.settings, self.store, lambda: self.embedder, self._required_model, self._prompts)

    # what it stands on

    @property
    def batch(self) -> BatchApi:
        """The language model, asked by batch files instead of calls."""
        return BatchApi(self.settings, self._own_files, self._prompts, self.store, lambda: self.embedder)

    async def aclose(self) -> None:
        """Let go of files and connections; the workspace opens them again if it is used again."""
        for model in (self.__dict__.get(name) for name in ("embedder", "_model", "_reranker")):
            if model is not None:
                await model.close()
        store = self.__dict__.pop("_store", None)
        if store is not None:
            # It may have to wait for arrays that are being made, and others share this loop.
            await asyncio.to_thread(store.close)

    close = run_sync(aclose)

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
        return self._store if make else self._existing_store

    @cached_property
    def embedder(self) -> Embedder:
        return load_embedder(self.settings.embedding)

    @cached_property
    def _model(self) -> LanguageModel | None:
        return load_language_model(self.settings.model)

    @cached_property
    def _reranker(self) -> Reranker | None:
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
            if self._own_files and self.folder.is_file():
                raise NotFound(f"there is no workspace in {self.folder}", "it is a file, a workspace is a folder")
            raise NotFound(f"there is no workspace in {self._called} yet", "polyadic index PATH makes one")

    def _read(
        self, paths: Sequence[Path | str], exclude: Sequence[str], run: RunProgress | None = None
    ) -> Iterator[Document | SkippedInput]:
        """The documents at these paths, without the workspace's own files and what is excluded."""
        reading = self.settings.reading
        reading = reading.model_copy(update={"exclude": (*reading.exclude, *exclude)})
        run = run or RunProgress()

        def watch(found: Iterator[Path | SkippedInput]) -> Iterator[Path | SkippedInput]:
            return run.watch_files(with_prune_hints(found, lambda: self.documents() if self.home.exists() else ()))

        return read_documents(paths, reading, exclude=self._own_files, watch=watch)

    @property
    def _own_files(self) -> list[Path]:
        """What is never read as a document."""
        return [self.folder] if isinstance(self.home, LocalFolder) else []

    @property
    def _called(self) -> Path | StoreLocation:
        """The place as who named it would."""
        return self.folder if isinstance(self.home, LocalFolder) else self.home

    def _required_model(self) -> LanguageModel:
        if self._model is None:
            raise NO_MODEL
        return self._model

    def _extractor(
        self, name: ExtractorName | None, memory: ResponseCache, budget: SpendingBudget | None = None
    ) -> SelectedExtractor:
        if factory.wanted(name, self.settings) == "sentences":
            return factory.without_model(self.settings)
        return factory.with_model(self._required_model(), memory, self._prompts, self.settings, budget)

    def _estimator(self, chosen: SelectedExtractor, known: KnownWork, name: ExtractorName | None) -> IndexingEstimator:
        settings = self.settings
        chunking = settings.chunking.sized(chosen.extractor.paid)
        return IndexingEstimator(chosen.extractor, self.embedder, chunking, settings.model, known, name is not None)

    @property
    def _asker(self) -> QueryEngine:
        store = self._existing_store
        return QueryEngine(
            self.settings,
            store,
            self.embedder,
            lambda: self._model,
            self._prompts,
            StoreResponseCache(store),
            reranker=self._reranker,
        )


def _nothing_but(skipped: Sequence[SkippedInput]) -> IndexReport:
    report = IndexReport()
    report.skip(*skipped)
    return report


def _first_document(sources: Iterator[Document | SkippedInput]) -> tuple[list[SkippedInput], Document | None]:
    """The first document there is, and what could not be read before it; the rest stays in the iterator."""
    skipped: list[SkippedInput] = []
    for source in sources:
        if isinstance(source, Document):
            return skipped, source
        skipped.append(source)
    return skipped, None
