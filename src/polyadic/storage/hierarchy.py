"""Protocol for searching the hierarchy of a store."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from polyadic.model.hierarchy import Community, Summary
from polyadic.storage.records import Hits, Links, Rows, Vectors


@dataclass(frozen=True, slots=True)
class HierarchyMembers:
    """Links from communities or summaries to their members: entities and summaries."""

    entities: Links
    summaries: Links


class HierarchyReader(Protocol):
    """The current summaries and community reports in the state of a reader, without stale ones.

    Summaries and communities have their own rows, ordered by identifier; entity and fact rows are the reader's. With a
    document filter, everything that depends on any other document is left out.
    """

    @property
    def summary_count(self) -> int: ...
    @property
    def community_count(self) -> int: ...

    def nearest(self, vector: Vectors, k: int) -> Hits:
        """Return the k summaries most similar to a vector of shape (d,)."""

    def similarity(self, summaries: Rows, vectors: Vectors) -> Vectors:
        """Compute the cosine of m vectors, shape (m, d), with n summaries: shape (m, n)."""

    def summaries_of(self, entities: Rows) -> Links:
        """Return the layer-1 summaries that cover each entity."""

    def above(self, summaries: Rows) -> Links:
        """Return the summaries of the next layer that cover each summary."""

    def covered(self, summaries: Rows) -> HierarchyMembers:
        """Return the entities or summaries that each summary covers."""

    def communities_of(self, entities: Rows, summaries: Rows) -> Rows:
        """Return the communities of all levels that contain any of these, sorted."""

    def held(self, communities: Rows) -> HierarchyMembers:
        """Return the entities and summaries that each community contains."""

    # Records, in the order of the rows given
    def summaries(self, rows: Rows) -> list[Summary]: ...
    def communities(self, rows: Rows) -> list[Community]: ...
    def facts(self, identifiers: Sequence[str]) -> Rows:
        """Return the reader's fact rows for public identifiers, in the order given; all must exist in its state."""

    def entities(self, identifiers: Sequence[str]) -> Rows:
        """Return the reader's entity rows for public identifiers, in the order given; all must exist in its state."""
