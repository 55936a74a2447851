"""A workspace's language model, asked by batch files: requests out, responses in.

What is asked is what asking over the network would ask, by the same code: the model behind it notes a request instead
of sending it, and answers once the reply has come. So whatever needs further replies (another look, the halves of a
reply that was cut off, the names of a question) asks for them in the next file.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from polyadic.batch.collect import ResponseCollector
from polyadic.batch.missing_replies import RequestShard, shards
from polyadic.batch.parameter_support import learn, speak
from polyadic.batch.question_files import BatchQuestion, add_answers, check_answers, read_questions
from polyadic.batch.report import BatchReadReport, BatchWriteReport
from polyadic.batch.request_writer import MOST_BYTES, MOST_REQUESTS, RequestFileWriter
from polyadic.batch.resume import BatchRun
from polyadic.concurrency.sync import run_sync
from polyadic.config import Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import NotFound, PolyadicError
from polyadic.indexing.report import IndexProgress
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.loaders.loader import SkippedInput, read_documents
from polyadic.model.types import Document
from polyadic.query.engine import NO_MODEL
from polyadic.storage.pending_requests import PendingCounts
from polyadic.storage.protocol import Store

ReportProgress = Callable[[IndexProgress], None]


@dataclass(frozen=True, slots=True)
class BatchApi:
    """Reached as ``Workspace.batch``. ``open_store`` makes a store if it is called with True."""

    settings: Settings
    own_files: Sequence[Path]
    prompts: PromptLibrary
    open_store: Callable[[bool], Store]
    load_embedder: Callable[[], Embedder]

    async def awrite(
        self,
        file: Path | str,
        paths: Sequence[Path | str] = (),
        questions: Path | str | None = None,
        method: str | None = None,
        context_tokens: int | None = None,
        anew: bool = False,
        overwrite: bool = False,
        report_progress: ReportProgress = lambda progress: None,
        most_requests: int = MOST_REQUESTS,
        most_bytes: int = MOST_BYTES,
        hierarchy: bool = False,
    ) -> BatchWriteReport:
        """Write what would be asked of the language model and has no reply yet: about documents, for questions, and
        for the hierarchy.

        Documents are kept unseen until their replies have been read; one whose replies are all known is published at
        once. No endpoint is asked, and no key is needed.

        Parameters
        ----------
        file
            For request lines; where a provider's limits ask for more files, they are FILE-2, FILE-3, ...
        paths
            Files and folders to index. What was written before and is missing still is written again without them.
        questions
            A file of questions, which are kept until they have been answered.
        method, context_tokens
            How these are answered; as for Workspace.query.
        anew
            Ask also about documents that were read in another way before.
        overwrite
            Whether what an earlier writing left under these names may be replaced; anything else never is.
        report_progress
            Called after every step that takes time.
        most_requests, most_bytes
            Of one file.
        hierarchy
            Ask for the hierarchy, unless documents wait that it is to be made from: one layer after the other, and
            then for reports.

        Raises
        ------
        SettingsError
            No language model is named.
        PolyadicError
            A file of this name is there already (with ``overwrite``: one that holds something other than requests, or
            is read here), or the questions cannot be read. NotFound: there is no workspace,
            and no document to make one for.
        StoreBusy
            Another process is writing to this workspace.
        """
        model = self._model()
        asked = read_questions(Path(questions), method, context_tokens) if questions else []
        url = "/chat/completions" if self.settings.model.azure_api_version else "/v1/chat/completions"
        inputs = [Path(path) for path in (*paths, *([questions] if questions else []))]
        files = RequestFileWriter(Path(file), url, overwrite, most_requests, most_bytes, inputs)
        embedder = self.load_embedder()
        store, sources = self._store_for(paths, files)
        run = BatchRun(self.settings, store, embedder, model, self.prompts, report_progress, note=files.add)
        with store.exclusive(), files:
            speak(model, store)
            _keep(asked, store)
            index = await run.index(sources, anew)
            themes = run.themes()
            is_wanted = (hierarchy and not _missing(store).documents) or themes.is_awaited()
            built = await themes.build() if is_wanted else None
            told = await run.answer()
            missing = _missing(store)
        return BatchWriteReport(
            files.files,
            files.requests,
            files.bytes,
            index,
            len(told.answers),
            told.asked_again,
            told.failed,
            missing,
            built,
        )

    async def aread(
        self,
        files: Sequence[Path | str],
        output: Path | str | None = None,
        report_progress: ReportProgress = lambda progress: None,
    ) -> BatchReadReport:
        """Take in response lines, in any order, and go on: documents are published, the hierarchy is built, questions
        are answered.

        Reading a file twice changes nothing and enters nothing in the ledger again; killed at any moment, the same
        call goes on. Questions are forgotten once they have been answered.

        Parameters
        ----------
        files
            What the provider sent back: responses, errors, part of them; none to go on with what is known.
        output
            A file to add answers to, one a line, before their questions are forgotten.
        report_progress
            Called after every step that takes time.

        Raises
        ------
        NotFound
            There is no workspace, or no such file.
        PolyadicError
            The file for answers holds something else.
        StoreBusy
            Another process is writing to this workspace.
        """
        model, store = self._model(), self.open_store(False)
        _check_all([Path(file) for file in files], output)
        report = BatchReadReport()
        taking = ResponseCollector(store, model, self.settings.model.batch_discount, report)
        run = BatchRun(self.settings, store, self.load_embedder(), model, self.prompts, report_progress, taking.errors)
        with store.exclusive():
            speak(model, store)
            for file in files:
                await taking.take(Path(file))
            report.adapted = learn(model, store, taking.refusals)
            report.index = await run.index()
            themes = run.themes()
            report.hierarchy = await themes.build() if themes.is_awaited() else None
            told = await run.answer()
            if output and told.answers:
                add_answers(Path(output), told.answers)
            with store.write() as writer:
                writer.waiting.answered([answer.key for answer in told.answers])
            report.missing = _missing(store)
        report.failed, report.failed_questions, report.failed_themes = run.failed, told.failed, themes.failed
        report.answers, report.asked_again = told.answers, told.asked_again
        return report

    def missing(self) -> PendingCounts:
        """What is awaited; raises NotFound where there is no workspace, StoreBusy while another process writes."""
        return _missing(self.open_store(False))

    def shards(self, files: Sequence[Path | str]) -> list[RequestShard]:
        """Of which of these request files replies are missing still, in the files' order.

        Raises
        ------
        NotFound
            There is no workspace, or no such file.
        PolyadicError
            One is no file of requests, or not whole.
        """
        with self.open_store(False).write() as writer:

            def is_awaited(key: str) -> bool:
                awaited = writer.waiting.get(key)
                return awaited is not None and not awaited.known

            return list(shards([Path(file) for file in files], is_awaited))

    def forget(self) -> PendingCounts:
        """Await nothing any more; returns what was awaited. Documents that are published stay as they are.

        Raises
        ------
        NotFound
            There is no workspace.
        StoreBusy
            Another process is writing to this workspace.
        """
        store = self.open_store(False)
        with store.joined() as claims, store.write() as writer:
            forgotten = writer.waiting.counts()
            writer.waiting.forget()
            writer.drop_staged(claims)
        return forgotten

    write = run_sync(awrite)
    read = run_sync(aread)

    def _model(self) -> EndpointModel:
        if not self.settings.model.name:
            raise NO_MODEL
        return EndpointModel(self.settings.model)

    def _store_for(
        self, paths: Sequence[Path | str], files: RequestFileWriter
    ) -> tuple[Store, Iterable[Document | SkippedInput]]:
        """The store, made if there is none and there is something to put into it, and what is to be read."""
        sources = read_documents(paths, self.settings.reading, [*self.own_files, *files.before]) if paths else iter(())
        try:
            return self.open_store(False), sources
        except NotFound as error:
            skipped: list[SkippedInput] = []
            for source in sources:
                if isinstance(source, Document):
                    return self.open_store(True), chain(skipped, [source], sources)
                skipped.append(source)
            raise PolyadicError(f"nothing could be read: {skipped[0]}") if skipped else error from None


def _keep(questions: Sequence[BatchQuestion], store: Store) -> None:
    with store.write() as writer:
        for question in questions:
            writer.waiting.ask(question.key, question.dump())


def _missing(store: Store) -> PendingCounts:
    with store.write() as writer:
        return writer.waiting.counts()


def _check_all(files: Sequence[Path], output: Path | str | None) -> None:
    """What is wrong with any file is said before the first is read."""
    for file in files:
        if not file.is_file():
            raise NotFound(f"there is no file {file}", "name the file that the provider sent back")
    if output:
        check_answers(Path(output))
