"""What a store can tell of its hierarchy to those who search it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from polyadic.model.hierarchy import Community, Summary
from polyadic.storage.records import Hits, Links, Rows, Vectors


@dataclass(frozen=True, slots=True)
class HierarchyMembers:
    """Pairs of a community or summary and one of its members, which are of two kinds."""

    entities: Links
    summaries: Links


class HierarchyReader(Protocol):
    """The summaries and reported communities of the state that a reader reads, without all that is stale.

    Summaries and communities have rows of their own, in the order of their identifiers; entities and facts have those
    of the reader. In a scope there is nothing that rests on a document outside.
    """

    @property
    def summary_count(self) -> int: ...
    @property
    def community_count(self) -> int: ...

    def nearest(self, vector: Vectors, k: int) -> Hits:
        """The k summaries most similar to a vector of shape (d,)."""

    def similarity(self, summaries: Rows, vectors: Vectors) -> Vectors:
        """Cosine of each of m vectors, shape (m, d), with each of n summaries: shape (m, n)."""

    def summaries_of(self, entities: Rows) -> Links:
        """Summaries of layer 1 that cover each entity."""

    def above(self, summaries: Rows) -> Links:
        """Summaries of the next layer that cover each summary."""

    def covered(self, summaries: Rows) -> HierarchyMembers:
        """Entities or summaries that each summary covers."""

    def communities_of(self, entities: Rows, summaries: Rows) -> Rows:
        """The communities that hold any of these, sorted; all levels."""

    def held(self, communities: Rows) -> HierarchyMembers:
        """Entities and summaries that each community holds."""

    # fetch, in the order asked
    def summaries(self, rows: Rows) -> list[Summary]: ...
    def communities(self, rows: Rows) -> list[Community]: ...
    def facts(self, identifiers: Sequence[str]) -> Rows:
        """Fact rows of the reader by public identifier, in the order asked; all of them must exist in its state."""

    def entities(self, identifiers: Sequence[str]) -> Rows:
        """Entity rows of the reader by public identifier, in the order asked; all of them must exist in its state."""
