"""Taking a file into a workspace: the one entry for what comes in."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from polyadic.concurrency.sync import run_sync
from polyadic.config import ChunkingSettings
from polyadic.errors import UnreadableDocument
from polyadic.indexing.publisher import Publisher
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.interchange.chunk_alignment import NAME
from polyadic.interchange.document_record import DocumentExport
from polyadic.interchange.facts_alignment import FactAlignment
from polyadic.interchange.facts_reader import FactLines
from polyadic.interchange.hif_reader import contents_of
from polyadic.interchange.hif_schema import MOST_MEGABYTES, parse_hif
from polyadic.interchange.ingest import take
from polyadic.interchange.validation import InvalidFile
from polyadic.loaders.file_access import byte_limit, opened, read_whole
from polyadic.loaders.loader import read_documents
from polyadic.resolution.apply import apply_decisions, check
from polyadic.workspace import Workspace

LINES = (".jsonl", ".ndjson")
"""Files of facts; every other file is taken for HIF."""


async def aimport_file(
    kb: Workspace,
    path: Path | str,
    documents: Sequence[Path | str] = (),
    report_progress: Callable[[IndexProgress], None] = lambda progress: None,
) -> IndexReport:
    """Take in HIF (.json, .hif) or facts as JSON lines (.jsonl, .ndjson); the same file twice changes nothing.

    Parameters
    ----------
    kb
        The workspace; made if there is none yet.
    path
        The file. All of it is checked before anything changes.
    documents
        Files and folders with the documents that facts are about; without them, facts are their own documents.
    report_progress
        Called after every step that takes time.

    Raises
    ------
    InvalidFile
        The file is not readable or not what its format asks for.
    DecisionRefused
        What the file decides on who is who contradicts what was decided here.
    StoreBusy
        Another process is writing to this workspace.
    WeightsMissing
        The embedding model is not on this machine yet.
    """
    file = Path(path).expanduser().resolve()
    report = IndexReport(extractor=NAME)
    try:
        if file.suffix.lower() in LINES:
            await _take_facts(kb, file, documents, report_progress, report)
        else:
            await _take_hif(kb, file, report_progress, report)
    except UnreadableDocument as problem:
        raise InvalidFile(f"{file} cannot be taken in ({problem.what})", problem.next_step) from problem
    report.problems = +report.problems
    return report


import_file = run_sync(aimport_file)


async def _take_hif(kb: Workspace, file: Path, tell: Callable[[IndexProgress], None], report: IndexReport) -> None:
    if file.is_file() and file.stat().st_size > byte_limit(MOST_MEGABYTES):
        raise InvalidFile(f"{file} is over the limit of {MOST_MEGABYTES} MB for HIF", "bring it as JSON lines of facts")
    contents = contents_of(
        parse_hif(read_whole(file, MOST_MEGABYTES), str(file)), str(file), _chunking(kb), report.problems
    )
    if not contents.overlay.decisions:
        await _take(kb, iter(contents.documents), tell, report)
        return
    embedder = kb.embedder
    store = kb.store(make=True)
    # What contradicts decisions here is refused before any document is taken in, and nobody decides in between.
    with store.exclusive():
        check(store, contents.overlay.decisions)
        await _take(kb, iter(contents.documents), tell, report)
        outcome = await apply_decisions(store, lambda: embedder, contents.overlay.decisions)
    report.decided = len(outcome.decided)


async def _take_facts(
    kb: Workspace,
    file: Path,
    documents: Sequence[Path | str],
    tell: Callable[[IndexProgress], None],
    report: IndexReport,
) -> None:
    with opened(file) as stream:
        lines = FactLines(stream, str(file), report.problems)
        lines.check()
        placing = FactAlignment(lines, str(file), _chunking(kb), report.problems, report.skipped)
        told = placing.on_their_own()
        if documents:
            told = placing.in_documents(read_documents(documents, kb.settings.reading, exclude=[kb.folder, file]))
        await _take(kb, told, tell, report)


async def _take(
    kb: Workspace, told: Iterator[DocumentExport], tell: Callable[[IndexProgress], None], report: IndexReport
) -> None:
    """A workspace is made only where there is something to put into it."""
    for first in told:
        await take(chain([first], told), _publisher(kb, tell), report)


def _publisher(kb: Workspace, tell: Callable[[IndexProgress], None]) -> Publisher:
    # Of a new workspace the model comes first, so that none is made where weights are missing.
    embedder = kb.embedder
    return Publisher(kb.store(make=True), embedder, _chunking(kb), lambda report: tell(report.progress()))


def _chunking(kb: Workspace) -> ChunkingSettings:
    """What comes with its facts is cut as for a model: somebody else's has read it."""
    return kb.settings.chunking.sized(by_model=True)
