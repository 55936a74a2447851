"""Document leases: which documents each of several concurrent runs works on."""

from collections.abc import Iterable
from typing import Protocol


class DocumentLeases(Protocol):
    """The documents leased by a run; leases end when they are released or the run ends, even if it crashes."""

    def acquire(self, document_ids: Iterable[str]) -> frozenset[str]:
        """Lease the documents that no other run holds and return them; never blocks."""

    def release(self, document_ids: Iterable[str]) -> None:
        """Release leased documents."""


class NoLeases:
    """Leases for a store with a single writer: every request is granted.

    >>> sorted(NoLeases().acquire(["00ff", "ff00"]))
    ['00ff', 'ff00']
    """

    def acquire(self, document_ids: Iterable[str]) -> frozenset[str]:
        return frozenset(document_ids)

    def release(self, document_ids: Iterable[str]) -> None: ...
