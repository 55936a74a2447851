"""Serialize values for Ray Data: as JSON, one per row of a single column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import TypeAdapter

from polyadic.indexing.report import IndexReport
from polyadic.loaders.loader import SkippedInput
from polyadic.model.types import Document

T = TypeVar("T")
Packed = Mapping[str, Sequence[bytes]]
"""A batch of rows as Ray Data passes it: the column by its name."""
COLUMN = "packed"


@dataclass(frozen=True, slots=True)
class RayDocument:
    """An input: a document, or a skipped input with the reason."""

    document: Document | None = None
    skipped: SkippedInput | None = None

    @classmethod
    def of(cls, one: Document | SkippedInput) -> "RayDocument":
        return cls(document=one) if isinstance(one, Document) else cls(skipped=one)

    @property
    def one(self) -> Document | SkippedInput:
        """The document or the skipped input; raises ValueError if it is neither."""
        item = self.document or self.skipped
        if item is None:
            raise ValueError("neither a document nor a skipped input")
        return item


@dataclass(frozen=True, slots=True)
class BatchResult:
    """Result of a batch: the report, or the error (message, next step) that ends the run."""

    report: IndexReport
    error: tuple[str, str] | None = None


class RowCodec(Generic[T]):
    """Serialize and deserialize values of one type.

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
