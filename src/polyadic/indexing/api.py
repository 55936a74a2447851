"""Public methods of a workspace that change or estimate its contents: index, retry, add, estimate, delete."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from polyadic.concurrency.async_to_sync import async_to_sync
from polyadic.concurrency.run_in_thread import run_until_cancelled
from polyadic.config import ModelRole, Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.extraction import factory
from polyadic.extraction.factory import ExtractorName
from polyadic.indexing.document_iterators import checked_documents, documents_below, first_document, skipped_report
from polyadic.indexing.estimate import IndexingEstimator
from polyadic.indexing.indexer import Indexer
from polyadic.indexing.indexing_estimate import IndexingEstimate, KnownWork
from polyadic.indexing.ocr_session import OcrSession, OcrSetup
from polyadic.indexing.progress import RunProgress
from polyadic.indexing.pruning import SeenSources, kept_without_a_file, still_there
from polyadic.indexing.publisher import withdraw
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.indexing.workspace_roots import record_roots, roots_of
from polyadic.llm.budget import SpendingBudget
from polyadic.llm.cached_model import NullCache, StoreResponseCache
from polyadic.llm.language_model import LanguageModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.loaders.loader import SkippedInput
from polyadic.model.types import Document
from polyadic.storage.protocol import DocumentRecord, Store
from polyadic.storage.url import StoreLocation


class IndexingMixin(ABC):
    """Adding and deleting documents; each asynchronous method has a synchronous counterpart."""

    home: StoreLocation
    folder: Path
    settings: Settings

    @abstractmethod
    def store(self, make: bool = False) -> Store:
        """Return the store; with ``make``, create it if it does not exist."""

    @abstractmethod
    def documents(self) -> list[DocumentRecord]:
        """Return all documents."""

    @abstractmethod
    def find_documents(self, references: Sequence[str]) -> list[DocumentRecord]:
        """Return the documents that match the references, as :meth:`delete` takes them."""

    @property
    @abstractmethod
    def embedder(self) -> Embedder:
        """The embedding model of the settings."""

    @property
    @abstractmethod
    def _prompts(self) -> PromptLibrary:
        """Prompts for language models."""

    @property
    @abstractmethod
    def _excluded_folders(self) -> list[Path]:
        """Folders that are never indexed."""

    @abstractmethod
    def _required_model(self, role: ModelRole) -> LanguageModel:
        """Return the language model of a role; raise SettingsError if there is none."""

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
            Delete documents below these paths whose file or row no longer exists; the paths need not exist either.
        budget
            Limit on spending on the language model. When it is used up, the run stops with the reason in the report;
            calling the method again resumes it.
        exclude
            Patterns of files and folders to skip, in addition to those in the settings: a name or a path, in which
            ``**`` matches any number of folders.
        changed
            Read and prune only what is at or below one of these absolute paths; by default all below ``paths``.

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
        seen, run = SeenSources(), RunProgress(report_to=report_progress)
        existing = still_there(paths, self._existing_documents()) if prune else paths
        async with self.ocr_session(budget) as ocr:
            sources = seen.watch(self._read(existing, exclude, ocr, run, changed))
            report = await self._index_as_read(sources, run.report, extractor, budget, roots_of(paths), ocr)
        if prune and not report.stopped:
            report.pruned = await self._prune(seen, paths if changed is None else list(changed))
        elif changed is None and not report.stopped:
            report.notes += kept_without_a_file(seen, paths, self._existing_documents)
        return report

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
        with self.store().read() as reader:
            failed = [reader.records.document(record.id) for record in reader.records.documents() if record.failed]
        return await self.aadd(failed, report_progress, budget=budget)

    async def aadd(
        self,
        documents: Iterable[Document | SkippedInput],
        report_progress: Callable[[IndexProgress], None] = lambda progress: None,
        extractor: ExtractorName | None = None,
        budget: SpendingBudget | None = None,
        ocr: OcrSession | None = None,
    ) -> IndexReport:
        """Index documents that are already in memory.

        Parameters
        ----------
        documents
            Documents, identified by ``source``: a document whose source is known replaces the earlier version.
        report_progress, extractor, budget
            As for :meth:`aindex`.
        ocr
            The session in which ``documents`` are read, if they are read while the run iterates over them.

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
        return await self._index(checked_documents(documents), report_progress, extractor, budget, ocr=ocr)

    async def aestimate(
        self, paths: Sequence[Path | str], extractor: ExtractorName | None = None, exclude: Sequence[str] = ()
    ) -> IndexingEstimate:
        """Estimate calls, tokens, money and time of indexing, and list inputs that would be skipped; calls no model.

        Parameters
        ----------
        paths, extractor, exclude
            As for :meth:`aindex`.
        """
        recognizer, captioner = self._ocr.counting_recognizer(), self._ocr.counting_captioner()
        counting = replace(OcrSession.off(None), recognizer=recognizer, captioner=captioner)
        sources = self._read(paths, exclude, counting, RunProgress())
        cache = StoreResponseCache(self.store(make=True)) if self.home.exists() else NullCache()
        nothing = SpendingBudget(tokens=0)
        selected = factory.selected(extractor, self.settings, self._extraction_model, cache, self._prompts, nothing)
        chunking, model = self.settings.chunking, self.settings.model.of_role("extraction")
        with self.store(make=True).read() if self.home.exists() else nullcontext() as reader:
            known = KnownWork.of(reader.records) if reader else KnownWork()
            used = selected.extractor
            estimator = IndexingEstimator(used, self.embedder, chunking, model, known, extractor is not None)
            return self._ocr.added_to(await estimator.estimate(sources), recognizer, captioner, known.spent)

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
        await withdraw(self.store(), [record.id for record in records], lambda: self.embedder)
        if forget_replies:
            with self.store().write() as writer:
                writer.forget_replies()
        return records

    index = async_to_sync(aindex)
    retry = async_to_sync(aretry)
    add = async_to_sync(aadd)
    estimate = async_to_sync(aestimate)
    delete = async_to_sync(adelete)

    def ocr_session(self, budget: SpendingBudget | None = None) -> OcrSession:
        """Return the session in which a run reads scanned pages; it belongs to the running event loop.

        Raises
        ------
        ModelUnavailable, SettingsError
            The OCR engine of the settings cannot be used.
        """
        return self._ocr.session(budget)

    @property
    def _ocr(self) -> OcrSetup:
        open_store = partial(self.store, make=True)
        return OcrSetup(self.settings, self._prompts, self._required_model, self.home.exists, open_store)

    async def _index_as_read(
        self,
        sources: Iterator[Document | SkippedInput],
        report_progress: Callable[[IndexProgress], None],
        extractor: ExtractorName | None,
        budget: SpendingBudget | None,
        roots: Collection[str],
        ocr: OcrSession,
    ) -> IndexReport:
        """Index documents that are read meanwhile; no workspace is created if there are none."""
        skipped, document = await run_until_cancelled(ocr.cancel, first_document, sources)
        if document is None and not self.home.exists():
            return skipped_report(skipped)
        documents = chain(skipped, [document] if document else (), sources)
        return await self._index(documents, report_progress, extractor, budget, roots, ocr)

    async def _index(
        self,
        documents: Iterable[Document | SkippedInput],
        report_progress: Callable[[IndexProgress], None],
        extractor: ExtractorName | None,
        budget: SpendingBudget | None,
        roots: Collection[str] = (),
        ocr: OcrSession | None = None,
    ) -> IndexReport:
        """Index documents as :meth:`aadd` does, and record new roots of the workspace first."""
        # Load the models before the store, so that no workspace is created if weights or a key are missing.
        embedder = self.embedder
        if factory.wanted(extractor, self.settings) == "model":
            self._extraction_model().check()
        store = self.store(make=True)
        record_roots(store, roots)
        ocr = ocr or OcrSession.off(budget)
        select = partial(factory.selected, extractor, self.settings, self._extraction_model)
        selected = select(StoreResponseCache(store), self._prompts, budget, ocr.ledger)
        indexer = Indexer(
            store,
            selected.extractor,
            embedder,
            self.settings.chunking,
            report_progress,
            reextract=extractor is not None,
            spent=lambda: ocr.ledger.spent,
            cancel_reading=ocr.cancel,
        )
        throttled_before = selected.throttle_count()
        report = await indexer.index(documents)
        report.throttle_count = selected.throttle_count() - throttled_before
        return report

    async def _prune(self, seen: SeenSources, paths: Sequence[Path | str]) -> list[str]:
        """Delete the documents below these paths that were not seen; return their sources."""
        gone = seen.missing(self.documents(), paths)
        await withdraw(self.store(), [record.id for record in gone], lambda: self.embedder)
        return [record.source for record in gone]

    def _read(
        self,
        paths: Sequence[Path | str],
        exclude: Sequence[str],
        ocr: OcrSession,
        run: RunProgress,
        changed: Collection[Path] | None = None,
    ) -> Iterator[Document | SkippedInput]:
        """Read the documents at these paths, without the workspace's own files and excluded ones."""
        reading = self.settings.reading
        reading = reading.model_copy(update={"exclude": (*reading.exclude, *exclude)})
        return documents_below(paths, reading, self._excluded_folders, ocr, run, self._existing_documents, changed)

    def _existing_documents(self) -> Sequence[DocumentRecord]:
        return self.documents() if self.home.exists() else ()

    def _extraction_model(self) -> LanguageModel:
        return self._required_model("extraction")
