"""Which documents one run works on, where several write to a store at once."""

from collections.abc import Iterable
from typing import Protocol


class DocumentLeases(Protocol):
    """What a run has taken for itself, until it lets go of it or ends, however it ends."""

    def take(self, document_ids: Iterable[str]) -> frozenset[str]:
        """Those of the documents that nobody else works on: from now on they are this run's. Waits for none."""

    def let_go(self, document_ids: Iterable[str]) -> None:
        """Leave documents that were taken to others."""


class NoLeases:
    """The claims of a run that is alone: all that it asks for.

    >>> sorted(NoLeases().take(["00ff", "ff00"]))
    ['00ff', 'ff00']
    """

    def take(self, document_ids: Iterable[str]) -> frozenset[str]:
        return frozenset(document_ids)

    def let_go(self, document_ids: Iterable[str]) -> None: ...
