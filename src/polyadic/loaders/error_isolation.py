"""Defects of Polyadic that one document brings to light: that document is skipped, all others are indexed."""

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
_REPORT_IT = "report this defect with what POLYADIC_DEBUG=1 prints, and with the document if you may share it"


class DocumentDefect(Exception):
    """An unforeseen error in work on a single document; ``__cause__`` is that error."""


@contextmanager
def on_one_document() -> Iterator[None]:
    """Mark work that looks at one document and at nothing else, so that a defect in it concerns this document alone.

    Raises
    ------
    Defect
        An error that is not a :class:`PolyadicError`; what the user is to be told passes as it is.
    """
    try:
        yield
    except (PolyadicError, DocumentDefect):
        raise
    except Exception as error:
        raise DocumentDefect(_place(error)) from error


def skipped_because(source: str, defect: DocumentDefect) -> SkippedInput:
    """The report of a document that was skipped; where POLYADIC_DEBUG is set, the defect is raised instead."""
    if os.environ.get("POLYADIC_DEBUG"):
        raise defect
    return SkippedInput(source, f"not indexed, because of a defect in Polyadic ({defect})", _REPORT_IT)


def isolate_failures(
    documents: Sequence[Document], work: Callable[[Sequence[Document]], T]
) -> tuple[T, dict[str, SkippedInput]]:
    """Work on several documents together; where that fails, on those on which it does not fail alone.

    Returns
    -------
    tuple
        What the work gives, and a report for each document (by id) on which it fails.

    Raises
    ------
    Exception
        What the work raised, if it fails on none of the documents alone: then no document is to blame.
    """
    try:
        return work(documents), {}
    except PolyadicError:
        raise
    except Exception:
        failing = {document.id: found for document in documents if (found := _failure(work, document))}
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


def _place(error: Exception) -> str:
    """The kind of an error, and the line of this package that it passed last.

    What the error says is left out: that may be a piece of the document, or a path.
    """
    frames = [frame for frame in extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(_PACKAGE)]
    name = type(error).__name__
    if not frames:
        return name
    return f"{name} in {Path(frames[-1].filename).relative_to(_PACKAGE).as_posix()}, line {frames[-1].lineno}"
