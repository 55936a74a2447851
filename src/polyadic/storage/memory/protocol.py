"""What readers need of the numbers and neighbours of one state, however it is put together.

Rows are positions in the order of public identifiers, as in the store protocol.
"""

from collections.abc import Sequence
from typing import Literal, Protocol

from polyadic.storage.incidence import Floats, Integers
from polyadic.storage.protocol import Side

Way = Literal["fact_entity", "entity_fact", "fact_chunk", "chunk_fact"]
"""From the rows of which side to their neighbours on which."""


class Arrays(Protocol):
    """One state. Neighbours of several rows are targets, and for each the index of the row that it belongs to."""

    @property
    def participations(self) -> int:
        """How many pairs of a fact and an entity there are."""

    def size(self, side: Side) -> int:
        """How many rows there are on one side."""

    def ids(self, side: Side, rows: Integers) -> Integers:
        """Keys of the tables, by row."""

    def rows(self, side: Side, ids: Sequence[int] | Integers) -> Integers:
        """Rows of keys of the tables, each of which must be there."""

    def linked(self, way: Way, rows: Integers, limit: int | None = None) -> tuple[Integers, Integers]:
        """Neighbours of each row in ascending order, at most ``limit`` each."""

    def degrees(self, side: Side, rows: Integers) -> Integers:
        """Facts of each entity, entities of each fact, facts of each chunk: how many."""

    def scores(self, side: Literal["entity", "fact"], rows: Integers) -> Floats:
        """The score of each row."""

    def spread(self, entities: Integers) -> Integers:
        """In how many chunks each entity occurs."""

    def about(self, chunks: Integers) -> Integers:
        """The entity that each chunk is about, -1 where there is none."""

    def chunks_about(self, entities: Integers, limit: int) -> tuple[Integers, Integers]:
        """Chunks that are about each entity in the order of documents, at most ``limit`` each."""
