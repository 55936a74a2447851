"""Import a HIF or facts file into a workspace; documents are published in the same way as indexed ones."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from polyadic.concurrency.async_to_sync import async_to_sync
from polyadic.config import ChunkingSettings
from polyadic.errors import UnreadableDocument
from polyadic.indexing.document_batches import BATCH_CHARACTERS, BATCH_DOCUMENTS
from polyadic.indexing.publisher import Publisher
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.interchange.chunk_alignment import NAME
from polyadic.interchange.document_export import DocumentExport, existing_export, failures_of
from polyadic.interchange.document_matching import DocumentMatcher
from polyadic.interchange.facts_reader import FactLines
from polyadic.interchange.hif_reader import MOST_MEGABYTES, contents_of, parse_hif
from polyadic.interchange.validation import InvalidFile
from polyadic.loaders.file_access import byte_limit, opened, read_whole
from polyadic.loaders.loader import read_documents
from polyadic.resolution.apply_decisions import apply_decisions, check
from polyadic.workspace import Workspace

LINES = (".jsonl", ".ndjson")
"""Suffixes of facts files; all other files are read as HIF."""


async def aimport_file(
    kb: Workspace,
    path: Path | str,
    documents: Sequence[Path | str] = (),
    report_progress: Callable[[IndexProgress], None] = lambda progress: None,
) -> IndexReport:
    """Import HIF (.json, .hif) or facts as JSON lines (.jsonl, .ndjson); importing a file again changes nothing.

    Parameters
    ----------
    kb
        The workspace; created if there is none.
    path
        The file. All of it is checked before anything changes.
    documents
        Files and folders with the documents that the facts are about; without them, documents are created from the
        facts.
    report_progress
        Called after every step that takes time.

    Raises
    ------
    InvalidFile
        The file is unreadable or does not conform to its format.
    DecisionRefused
        Entity resolution decisions of the file contradict those of the workspace.
    StoreBusy
        Another process is writing to this workspace.
    WeightsMissing
        The embedding model has not been downloaded yet.
    """
    file = Path(path).expanduser().resolve()
    report = IndexReport(extractor=NAME)
    try:
        if file.suffix.lower() in LINES:
            await _import_facts(kb, file, documents, report_progress, report)
        else:
            await _import_hif(kb, file, report_progress, report)
    except UnreadableDocument as problem:
        raise InvalidFile(f"{file} cannot be imported ({problem.what})", problem.next_step) from problem
    report.problems = +report.problems
    return report


import_file = async_to_sync(aimport_file)


async def _import_hif(
    kb: Workspace, file: Path, report_progress: Callable[[IndexProgress], None], report: IndexReport
) -> None:
    if file.is_file() and file.stat().st_size > byte_limit(MOST_MEGABYTES):
        raise InvalidFile(
            f"{file} is over the limit of {MOST_MEGABYTES} MB for HIF", "convert it to JSON lines of facts"
        )
    contents = contents_of(
        parse_hif(read_whole(file, MOST_MEGABYTES), str(file)), str(file), _chunking(kb), report.problems
    )
    if not contents.resolution.decisions:
        await _import_documents(kb, iter(contents.documents), report_progress, report)
        return
    embedder = kb.embedder
    store = kb.store(make=True)
    # Decisions are checked before any document is imported; the lock excludes other decisions in between.
    with store.exclusive_session():
        check(store, contents.resolution.decisions)
        await _import_documents(kb, iter(contents.documents), report_progress, report)
        outcome = await apply_decisions(store, lambda: embedder, contents.resolution.decisions)
    report.decided = len(outcome.decided)


async def _import_facts(
    kb: Workspace,
    file: Path,
    documents: Sequence[Path | str],
    report_progress: Callable[[IndexProgress], None],
    report: IndexReport,
) -> None:
    with opened(file) as stream:
        lines = FactLines(stream, str(file), report.problems)
        lines.check()
        matcher = DocumentMatcher(lines, str(file), _chunking(kb), report.problems, report.skipped)
        exports = matcher.on_their_own()
        if documents:
            exports = matcher.in_documents(read_documents(documents, kb.settings.reading, exclude=[kb.folder, file]))
        await _import_documents(kb, exports, report_progress, report)


async def _import_documents(
    kb: Workspace,
    exports: Iterator[DocumentExport],
    report_progress: Callable[[IndexProgress], None],
    report: IndexReport,
) -> None:
    """Import the documents; the workspace is created only if there is one."""
    for first in exports:
        await ingest_exports(chain([first], exports), _publisher(kb, report_progress), report)


def _publisher(kb: Workspace, report_progress: Callable[[IndexProgress], None]) -> Publisher:
    # The embedder is loaded first, so that no workspace is created if its weights are missing.
    embedder = kb.embedder
    return Publisher(kb.store(make=True), embedder, _chunking(kb), lambda report: report_progress(report.progress()))


def _chunking(kb: Workspace) -> ChunkingSettings:
    """Return the chunking settings for extraction by a model, which usually produced the imported facts."""
    return kb.settings.chunking.read_by(paid=False)


async def ingest_exports(exports: Iterable[DocumentExport], publisher: Publisher, report: IndexReport) -> None:
    """Publish documents with their evidence; documents that the store already holds unchanged are skipped.

    Each document is replaced atomically and embedded as in indexing.

    Parameters
    ----------
    exports
        Documents, each at most once.
    publisher
        Publisher as in indexing.
    report
        Report to add counts to.

    Raises
    ------
    StoreBusy
        Another process is writing to the store.
    """
    started = time.perf_counter()
    with publisher.store.exclusive_session():
        with publisher.store.read() as reader:
            failures = failures_of(reader)
        for batch in _batches(exports):
            await _publish_batch(batch, publisher, report, failures)
    report.seconds = time.perf_counter() - started


async def _publish_batch(
    batch: Sequence[DocumentExport], publisher: Publisher, report: IndexReport, failures: Mapping[str, str]
) -> None:
    with publisher.store.read() as reader:
        before = [existing_export(reader, export.document.id, failures) for export in batch]
    pending = [export for export, existing in zip(batch, before, strict=True) if export != existing]
    report.unchanged += len(batch) - len(pending)
    if not pending:
        return
    _stage(pending, publisher)
    report.chunks += sum(len(export.chunk_exports) for export in pending)
    report.chunks_read += sum(len(export.chunk_exports) for export in pending)
    chunks = {export.document.id: export.chunks for export in pending}
    failed = await publisher.publish([export.document for export in pending], chunks, report)
    is_new = {export.document.id: existing is None for export, existing in zip(batch, before, strict=True)}
    is_new_document = [is_new[document_id] for document_id in chunks if document_id not in failed]
    report.added += sum(is_new_document)
    report.changed += len(is_new_document) - sum(is_new_document)


def _stage(pending: Sequence[DocumentExport], publisher: Publisher) -> None:
    with publisher.store.write() as writer:
        writer.stage([(export.document, export.stamp, export.chunks) for export in pending])
        writer.put_evidence(
            {
                export.document.id: {p.chunk.id: p.evidence for p in export.chunk_exports if p.failure is None}
                for export in pending
            }
        )
        for export in pending:
            for chunk_export in export.chunk_exports:
                if chunk_export.failure is not None:
                    writer.put_failure(export.document.id, chunk_export.chunk.id, chunk_export.failure)


def _batches(documents: Iterable[DocumentExport]) -> Iterator[list[DocumentExport]]:
    """Group documents that are published together."""
    batch: list[DocumentExport] = []
    characters = 0
    for export in documents:
        if len(batch) == BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
        batch.append(export)
        characters += len(export.document.text)
    if batch:
        yield batch
