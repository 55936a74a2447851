"""The part of a hypergraph around a question; its size does not depend on the size of the store."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.incidence import distinct
from polyadic.storage.protocol import Links, NeighbourPrefetch, Reader, Rows

Places = NDArray[np.int64]

NO_LINKS = Links(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
CHUNKS_OF_A_FACT = 30
"""A fact stated by more passages than this is boilerplate, and not used as a connection."""


@dataclass(frozen=True)
class Subgraph:
    """Facts with all their entities, the chunks that state them, and the entities that name those chunks' documents.

    ``facts``, ``entities`` and ``chunks`` are sorted rows of the store. Edges are pairs of positions in these, one
    array of shape (2, n) for each kind of incidence; ``likeness`` joins entities whose names may mean the same.
    """

    facts: Rows
    entities: Rows
    chunks: Rows
    participation: Places
    statement: Places
    naming: Places
    likeness: Places

    @cached_property
    def sizes(self) -> tuple[int, int, int]:
        return len(self.facts), len(self.entities), len(self.chunks)


def surround(facts: Rows, chunks: Rows, reader: Reader, aliases: Links = NO_LINKS) -> Subgraph:
    """Build the subgraph of these facts; these chunks are included even if they state none of the facts."""
    facts = distinct(facts)
    reader.prefetch(NeighbourPrefetch(facts, CHUNKS_OF_A_FACT, chunks))
    participation, statement = (
        reader.links("fact_entities", facts),
        reader.links("fact_chunks", facts, CHUNKS_OF_A_FACT),
    )
    chunks = distinct(statement.targets, chunks)
    naming = reader.links("chunk_topic", chunks)
    entities = distinct(participation.targets, naming.targets, aliases.sources, aliases.targets)
    return Subgraph(
        facts,
        entities,
        chunks,
        _places(participation, facts, entities),
        _places(statement, facts, chunks),
        _places(naming, chunks, entities),
        _places(aliases, entities, entities),
    )


def joined(first: Links, second: Links) -> Links:
    """Concatenate links."""
    return Links(np.concatenate([first.sources, second.sources]), np.concatenate([first.targets, second.targets]))


def position(rows: Rows, among: Rows) -> Places:
    """Return the positions of rows in a sorted array that contains them all."""
    return among.searchsorted(rows)


def assign(values: NDArray[Any], among: Rows, rows: Rows, given: NDArray[Any]) -> None:
    """Assign values to those of ``rows`` that occur in ``among`` (sorted); ``values`` has one element per ``among``."""
    if len(among):
        at = np.minimum(position(rows, among), len(among) - 1)
        present = among[at] == rows
        values[at[present]] = given[present]


def _places(links: Links, sources: Rows, targets: Rows) -> Places:
    return np.stack([position(links.sources, sources), position(links.targets, targets)])
