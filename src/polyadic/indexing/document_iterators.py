"""Iterators over the documents that a run indexes."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.errors import PolyadicError
from polyadic.indexing.ocr_session import OcrSession
from polyadic.indexing.progress import RunProgress
from polyadic.indexing.pruning import with_prune_hints
from polyadic.indexing.report import IndexReport
from polyadic.loaders.folder_watcher import among
from polyadic.loaders.loader import read_documents
from polyadic.loaders.skipped import SkippedInput
from polyadic.model.types import Document
from polyadic.storage.protocol import DocumentRecord


def documents_below(
    paths: Sequence[Path | str],
    reading: ReadingSettings,
    excluded_folders: Sequence[Path],
    ocr: OcrSession,
    run: RunProgress,
    indexed: Callable[[], Sequence[DocumentRecord]],
    changed: Collection[Path] | None = None,
) -> Iterator[Document | SkippedInput]:
    """Read the documents at paths, and count them and their files for the progress of the run.

    Parameters
    ----------
    paths, reading, excluded_folders
        As for :func:`~polyadic.loaders.loader.read_documents`.
    ocr
        OCR and captions of the run.
    run
        Progress of the run.
    indexed
        Returns the documents of the workspace, for hints on missing paths that they were read from.
    changed
        Read only files that are among these paths or below one of them; None for all.
    """

    def watch(found: Iterator[Path | SkippedInput]) -> Iterator[Path | SkippedInput]:
        return run.watch_files(with_prune_hints(found if changed is None else among(found, changed), indexed))

    documents = read_documents(paths, reading, excluded_folders, watch, ocr.recognizer, ocr.captioner)
    return run.watch_documents(documents)


def checked_documents(documents: Iterable[Document | SkippedInput]) -> Iterator[Document | SkippedInput]:
    """Yield documents; raise PolyadicError for anything else, such as the paths that ``index`` takes."""
    if isinstance(documents, Document):
        raise PolyadicError("add takes a list of documents, not a single one", "call add([document])")
    for document in documents if isinstance(documents, Iterable) else [documents]:
        if not isinstance(document, Document | SkippedInput):
            what = f"add takes Document objects, not {type(document).__name__}"
            raise PolyadicError(what, "to read files, call index with their paths")
        yield document


def first_document(sources: Iterator[Document | SkippedInput]) -> tuple[list[SkippedInput], Document | None]:
    """Return the first document and the inputs skipped before it; the rest stays in the iterator."""
    skipped: list[SkippedInput] = []
    for source in sources:
        if isinstance(source, Document):
            return skipped, source
        skipped.append(source)
    return skipped, None


def skipped_report(skipped: Sequence[SkippedInput]) -> IndexReport:
    """Return the report of a run that found nothing to index."""
    report = IndexReport()
    report.skip(*skipped)
    return report
