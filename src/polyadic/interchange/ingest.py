"""Ingest documents with their evidence into a store, published in the same way as indexed documents."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from polyadic.indexing.batching import BATCH_CHARACTERS, BATCH_DOCUMENTS
from polyadic.indexing.publisher import Publisher
from polyadic.indexing.report import IndexReport
from polyadic.interchange.document_record import DocumentExport, existing_export, failures_of


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
