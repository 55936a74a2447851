"""Iterators over the documents that a run indexes."""

from collections.abc import Iterable, Iterator, Sequence

from polyadic.errors import PolyadicError
from polyadic.indexing.report import IndexReport
from polyadic.loaders.skipped import SkippedInput
from polyadic.model.types import Document


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
