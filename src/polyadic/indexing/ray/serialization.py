"""What Ray Data carries from step to step: values as JSON, one a row in a column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import TypeAdapter

from polyadic.indexing.report import IndexReport
from polyadic.loaders.loader import SkippedInput
from polyadic.model.types import Document

T = TypeVar("T")
Packed = Mapping[str, Sequence[bytes]]
"""Rows as Ray Data hands them over: the one column by its name."""
COLUMN = "packed"


@dataclass(frozen=True, slots=True)
class RayDocument:
    """One of what there was to read: a document, or why there is none."""

    document: Document | None = None
    skipped: SkippedInput | None = None

    @classmethod
    def of(cls, one: Document | SkippedInput) -> "RayDocument":
        return cls(document=one) if isinstance(one, Document) else cls(skipped=one)

    @property
    def one(self) -> Document | SkippedInput:
        """Raises ValueError where it is neither."""
        found = self.document or self.skipped
        if found is None:
            raise ValueError("neither a document nor why there is none")
        return found


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What became of a batch: the report, or what went wrong so that the run cannot go on (what, next step)."""

    report: IndexReport
    error: tuple[str, str] | None = None


class RowCodec(Generic[T]):
    """Packs values of one type, and unpacks them as they were.

    >>> passed = RowCodec(RayDocument)
    >>> ada = Document("memory:ada", "Ada", "Ada Lovelace met Charles Babbage.", {"year": "1833"}, (0,))
    >>> passed.unpacked(passed.packed(RayDocument.of(ada))).one == ada
    True
    """

    def __init__(self, kind: type[T]) -> None:
        self._adapter = TypeAdapter(kind)

    def packed(self, value: T) -> bytes:
        return self._adapter.dump_json(value)

    def unpacked(self, packed: bytes) -> T:
        return self._adapter.validate_json(packed)


FOUND, DONE = RowCodec(RayDocument), RowCodec(BatchResult)
