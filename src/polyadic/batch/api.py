"""Batch API: write language model requests to batch files and read the provider's responses.

The same code builds the requests as for online calls: the batch model records a request instead of sending it, and
returns the reply once it is known. Steps that need further replies (gleaning, the halves of a reply that was cut off,
the names in a question) put their requests into the next file.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from polyadic.batch.batch_run import BatchRun, BatchWork, pending_counts
from polyadic.batch.parameter_support import learn, speak
from polyadic.batch.question_files import check_answers, read_questions
from polyadic.batch.report import BatchReadReport, BatchWriteReport
from polyadic.batch.request_files import MOST_BYTES, MOST_REQUESTS, RequestFileWriter, RequestShard, shards
from polyadic.batch.response_collector import ResponseCollector
from polyadic.batch.role_models import BatchRoleModels
from polyadic.concurrency.async_to_sync import async_to_sync
from polyadic.concurrency.run_in_thread import run_until_cancelled
from polyadic.config import ModelRole, Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import NO_MODEL, NotFound, PolyadicError
from polyadic.indexing.ocr_session import OcrSession
from polyadic.indexing.report import IndexProgress
from polyadic.llm.batch_model import PendingRequest
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.loaders.loader import SkippedInput, read_documents
from polyadic.model.types import Document
from polyadic.rerankers.pair_scoring.scorer import PairScorer
from polyadic.rerankers.reranker import Reranker
from polyadic.storage.pending_requests import PendingCounts
from polyadic.storage.protocol import Store

ReportProgress = Callable[[IndexProgress], None]


@dataclass(frozen=True, slots=True)
class BatchApi:
    """Batch files of a workspace, available as ``Workspace.batch``.

    ``open_store(True)`` creates the store if there is none. ``load_reranker`` and ``load_judge`` return None if there
    is none. ``open_ocr`` opens the session in which scanned pages are read.

    Raises
    ------
    NotFound
        Every method: there is no workspace.
    StoreBusy
        Every method: another process is writing to this workspace.
    """

    settings: Settings
    own_files: Sequence[Path]
    prompts: PromptLibrary
    open_store: Callable[[bool], Store]
    load_embedder: Callable[[], Embedder]
    load_reranker: Callable[[], Reranker | None]
    load_judge: Callable[[], PairScorer | None]
    open_ocr: Callable[[], OcrSession]

    async def awrite(
        self,
        file: Path | str,
        paths: Sequence[Path | str] = (),
        questions: Path | str | None = None,
        method: str | None = None,
        context_tokens: int | None = None,
        reextract: bool = False,
        overwrite: bool = False,
        report_progress: ReportProgress = lambda progress: None,
        most_requests: int = MOST_REQUESTS,
        most_bytes: int = MOST_BYTES,
        hierarchy: bool = False,
        pairs: int = 0,
    ) -> BatchWriteReport:
        """Write the requests that have no reply yet, for documents, questions and the hierarchy, to batch files.

        Documents stay staged, and invisible to queries, until their replies have been read; a document whose replies
        are all known is published at once. No endpoint is called and no API key is needed, except by the OCR engine.

        Parameters
        ----------
        file
            File for the request lines. Where a provider's limits require more files, they are FILE-2, FILE-3, ...
        paths
            Files and folders to index. Earlier requests without a reply are written again in any case.
        questions
            File of questions; they are stored until they have been answered.
        method, context_tokens
            Retrieval method and token budget for the questions, as for ``Workspace.query``.
        reextract
            Extract again from documents that were indexed with other settings.
        overwrite
            Replace request files of an earlier run with these names. Other files are never replaced.
        report_progress
            Called after every step that takes time.
        most_requests, most_bytes
            Limits per file.
        hierarchy
            Write requests for the hierarchy, one layer per round and then the reports, unless documents are pending.
        pairs
            Write requests about so many pairs of entities, as ``Workspace.entities.review`` sends them, unless
            documents are pending.

        Raises
        ------
        SettingsError
            No language model is configured.
        PolyadicError
            The file exists (with ``overwrite``: it is not a request file, or is one of the inputs), or the questions
            cannot be read.
        NotFound
            There is no workspace, and no document to create one for.
        """
        models = self._models({"extraction": paths, "answers": questions, "summaries": hierarchy})
        asked = read_questions(Path(questions), method, context_tokens) if questions else []
        inputs = [Path(path) for path in (*paths, *([questions] if questions else []))]
        files = RequestFileWriter(Path(file), overwrite, most_requests, most_bytes, inputs)
        return await self._write(files, BatchWork(paths, asked, reextract, hierarchy, pairs), models, report_progress)

    async def aread(
        self,
        files: Sequence[Path | str],
        output: Path | str | None = None,
        report_progress: ReportProgress = lambda progress: None,
    ) -> BatchReadReport:
        """Read response lines, in any order, then publish documents, build the hierarchy and answer questions.

        Reading a file twice changes nothing and adds nothing to the ledger. After an interruption, the same call
        resumes. Questions are deleted once they have been answered.

        Parameters
        ----------
        files
            Response or error files of the provider, possibly partial. Without files, processing continues with the
            replies that are known.
        output
            File to append answers to, one per line, before their questions are deleted.
        report_progress
            Called after every step that takes time.

        Raises
        ------
        NotFound
            There is no such file.
        PolyadicError
            The output file holds something other than answers.
        """
        models, store = self._models({}), self.open_store(False)
        _check_all([Path(file) for file in files], output)
        report = BatchReadReport()
        collector = ResponseCollector(store, models.for_purpose, report)
        run = self._run(store, models, self.load_embedder(), report_progress, collector.errors)
        with store.exclusive_session():
            speak(models.distinct, store)
            for file in files:
                await collector.take(Path(file))
            report.adapted = learn(models.distinct, store, collector.refusals)
            await run.read(report, Path(output) if output else None)
        return report

    def missing(self) -> PendingCounts:
        """Count pending requests."""
        return pending_counts(self.open_store(False))

    def shards(self, files: Sequence[Path | str]) -> list[RequestShard]:
        """Count the requests and the missing replies of each request file, in the order of ``files``.

        Raises
        ------
        NotFound
            There is no such file.
        PolyadicError
            A file is not a request file, or is truncated.
        """
        with self.open_store(False).write() as writer:

            def is_pending(key: str) -> bool:
                pending = writer.waiting.get(key)
                return pending is not None and not pending.known

            return list(shards([Path(file) for file in files], is_pending))

    def forget(self) -> PendingCounts:
        """Drop all pending requests and return their counts; published documents are kept."""
        store = self.open_store(False)
        with store.indexing_session() as claims, store.write() as writer:
            forgotten = writer.waiting.counts()
            writer.waiting.forget()
            writer.drop_staged(claims)
        return forgotten

    write = async_to_sync(awrite)
    read = async_to_sync(aread)

    def _models(self, needed: Mapping[ModelRole, object]) -> BatchRoleModels:
        """Return the models; raise SettingsError if there is none, or none for a role that has work."""
        models = BatchRoleModels(self.settings.model)
        roles = [role for role, work in needed.items() if work]
        if not any(model.name for model in models.distinct) or not all(models.of(role).name for role in roles):
            raise NO_MODEL
        return models

    async def _write(
        self, files: RequestFileWriter, work: BatchWork, models: BatchRoleModels, report_progress: ReportProgress
    ) -> BatchWriteReport:
        embedder = self.load_embedder()
        async with self.open_ocr() if work.paths else OcrSession.off(None) as ocr:
            store, sources = await run_until_cancelled(ocr.cancel, self._store_for, work.paths, files, ocr)
            run = self._run(store, models, embedder, report_progress, {}, files.add)
            with store.exclusive_session(), files:
                speak(models.distinct, store)
                return await run.write(sources, work, files)

    def _run(
        self,
        store: Store,
        models: BatchRoleModels,
        embedder: Embedder,
        report_progress: ReportProgress,
        errors: Mapping[str, str],
        note: Callable[[PendingRequest], None] = lambda request: None,
    ) -> BatchRun:
        return BatchRun(
            self.settings,
            store,
            embedder,
            models,
            self.prompts,
            report_progress,
            errors,
            note,
            self.load_reranker,
            self.load_judge,
        )

    def _store_for(
        self, paths: Sequence[Path | str], files: RequestFileWriter, ocr: OcrSession
    ) -> tuple[Store, Iterable[Document | SkippedInput]]:
        """Return the store, created if there are documents to add, and the documents to index."""
        excluded = [*self.own_files, *files.before]
        reading = partial(read_documents, settings=self.settings.reading, exclude=excluded)
        sources = reading(paths, recognizer=ocr.recognizer, captioner=ocr.captioner) if paths else iter(())
        try:
            return self.open_store(False), sources
        except NotFound as error:
            skipped: list[SkippedInput] = []
            for source in sources:
                if isinstance(source, Document):
                    return self.open_store(True), chain(skipped, [source], sources)
                skipped.append(source)
            raise PolyadicError(f"no document could be read: {skipped[0]}") if skipped else error from None


def _check_all(files: Sequence[Path], output: Path | str | None) -> None:
    """Check all files before the first one is read."""
    for file in files:
        if not file.is_file():
            raise NotFound(f"there is no file {file}", "name the file that the provider sent back")
    if output:
        check_answers(Path(output))
