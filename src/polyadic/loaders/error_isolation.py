"""Isolate crashes caused by a single document: skip that document and index all others."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb
from typing import TypeVar

from polyadic.errors import PolyadicError
from polyadic.loaders.skipped import SkippedInput
from polyadic.model.types import Document

T = TypeVar("T")
_PACKAGE = Path(__file__).parents[1]
_REPORT_IT = (
    "report this defect with the traceback that POLYADIC_DEBUG=1 prints, and with the document if you may share it"
)


class DocumentDefect(Exception):
    """An unexpected error while processing a single document; ``__cause__`` is that error."""


@contextmanager
def on_one_document() -> Iterator[None]:
    """Mark code that processes one document only, so that an unexpected error in it concerns that document alone.

    Raises
    ------
    DocumentDefect
        The code raised an error that is not a :class:`PolyadicError`. A :class:`PolyadicError` is passed on unchanged.
    """
    try:
        yield
    except (PolyadicError, DocumentDefect):
        raise
    except Exception as error:
        raise DocumentDefect(_location(error)) from error


def skipped_because(source: str, defect: DocumentDefect) -> SkippedInput:
    """Report a document that was skipped because of a defect; if POLYADIC_DEBUG is set, raise the defect instead."""
    if os.environ.get("POLYADIC_DEBUG"):
        raise defect
    return SkippedInput(source, f"not indexed because of a defect in Polyadic ({defect})", _REPORT_IT)


def isolate_failures(
    documents: Sequence[Document], work: Callable[[Sequence[Document]], T]
) -> tuple[T, dict[str, SkippedInput]]:
    """Process several documents together; if that fails, exclude the documents that fail on their own and try again.

    Returns
    -------
    tuple
        The result of the work, and a report for each excluded document (by id).

    Raises
    ------
    Exception
        The original error, if no document fails on its own: then no single document caused it.
    """
    try:
        return work(documents), {}
    except PolyadicError:
        raise
    except Exception:
        failing = {document.id: report for document in documents if (report := _failure(work, document))}
        if not failing:
            raise
    return work([document for document in documents if document.id not in failing]), failing


def _failure(work: Callable[[Sequence[Document]], T], document: Document) -> SkippedInput | None:
    try:
        with on_one_document():
            work([document])
    except DocumentDefect as defect:
        return skipped_because(document.source, defect)
    return None


def _location(error: Exception) -> str:
    """Return the type of an error and the innermost line of this package in its traceback.

    The error message is omitted, because it may contain a path or text of the document.
    """
    frames = [frame for frame in extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(_PACKAGE)]
    name = type(error).__name__
    if not frames:
        return name
    return f"{name} in {Path(frames[-1].filename).relative_to(_PACKAGE).as_posix()}, line {frames[-1].lineno}"
