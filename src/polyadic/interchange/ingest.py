"""Taking documents with their evidence into a store: a normal write, published like what was indexed here."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from polyadic.indexing.batching import BATCH_CHARACTERS, BATCH_DOCUMENTS
from polyadic.indexing.publisher import Publisher
from polyadic.indexing.report import IndexReport
from polyadic.interchange.document_record import DocumentExport, existing_export, failures_of


async def take(told: Iterable[DocumentExport], publisher: Publisher, report: IndexReport) -> None:
    """Publish documents as they are told; one that the store already holds just so costs nothing.

    Each document is replaced whole or not at all. Vectors are those that indexing would give.

    Parameters
    ----------
    told
        No document twice.
    publisher
        As indexing uses it.
    report
        What was done is entered here.

    Raises
    ------
    StoreBusy
        Another process is writing to the store.
    """
    started = time.perf_counter()
    with publisher.store.exclusive():
        with publisher.store.read() as reader:
            failures = failures_of(reader)
        for batch in _batches(told):
            await _take_batch(batch, publisher, report, failures)
    report.seconds = time.perf_counter() - started


async def _take_batch(
    batch: Sequence[DocumentExport], publisher: Publisher, report: IndexReport, failures: Mapping[str, str]
) -> None:
    with publisher.store.read() as reader:
        before = [existing_export(reader, told.document.id, failures) for told in batch]
    todo = [told for told, known in zip(batch, before, strict=True) if told != known]
    report.unchanged += len(batch) - len(todo)
    if not todo:
        return
    _stage(todo, publisher)
    report.chunks += sum(len(told.passages) for told in todo)
    report.chunks_read += sum(len(told.passages) for told in todo)
    chunks = {told.document.id: told.chunks for told in todo}
    left_out = await publisher.publish([told.document for told in todo], chunks, report)
    is_new = {told.document.id: known is None for told, known in zip(batch, before, strict=True)}
    taken = [is_new[document_id] for document_id in chunks if document_id not in left_out]
    report.added += sum(taken)
    report.changed += len(taken) - sum(taken)


def _stage(todo: Sequence[DocumentExport], publisher: Publisher) -> None:
    with publisher.store.write() as writer:
        writer.stage([(told.document, told.stamp, told.chunks) for told in todo])
        writer.put_evidence(
            {one.document.id: {p.chunk.id: p.evidence for p in one.passages if p.failure is None} for one in todo}
        )
        for told in todo:
            for passage in told.passages:
                if passage.failure is not None:
                    writer.put_failure(told.document.id, passage.chunk.id, passage.failure)


def _batches(told: Iterable[DocumentExport]) -> Iterator[list[DocumentExport]]:
    """Documents in groups that are published together."""
    batch: list[DocumentExport] = []
    characters = 0
    for one in told:
        if len(batch) == BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
        batch.append(one)
        characters += len(one.document.text)
    if batch:
        yield batch
