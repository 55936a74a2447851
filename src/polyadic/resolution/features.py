"""Features for entity resolution, as arrays over all entities: names, facts and documents."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyadic.model.types import Entity
from polyadic.resolution.names import ParsedName
from polyadic.storage.protocol import Reader, Rows

_MAX_CHUNKS = 64
_MAX_FACTS = 8
# In facts with more entities, only entities within this distance count as connected.
_MAX_DISTANCE = 32


@dataclass(frozen=True)
class ResolutionFeatures:
    """Entities by row, with the facts and documents of each, and the entities of each fact.

    Valid as long as its reader is open.
    """

    reader: Reader
    entities: list[Entity]
    facts: tuple[Rows, Rows]
    members: tuple[Rows, Rows]
    documents: tuple[Rows, Rows]

    @classmethod
    def of(cls, reader: Reader) -> "ResolutionFeatures":
        entities = reader.entities(np.arange(reader.size("entity")))
        facts = np.arange(reader.size("fact"))
        members = reader.entities_of(facts)
        stated = reader.chunks_of(facts, _MAX_CHUNKS)
        chunk_document = np.full(reader.size("chunk"), -1, dtype=np.int64)
        for number, record in enumerate(reader.documents()):
            chunk_document[reader.chunks_in(record.id)] = number
        return cls(
            reader,
            entities,
            _grouped(members.targets, members.sources, len(entities)),
            _grouped(members.sources, members.targets, len(facts)),
            _entity_documents(
                members.sources, members.targets, stated.sources, chunk_document[stated.targets], len(entities)
            ),
        )

    @cached_property
    def names(self) -> list[ParsedName]:
        return [ParsedName.of(entity.name) for entity in self.entities]

    def facts_of(self, row: int) -> Rows:
        return _row_items(self.facts, row)

    def documents_of(self, row: int) -> Rows:
        """Return the numbers of the documents with facts of the entity, in the order of sources."""
        return _row_items(self.documents, row)

    def says_both(self, one: int, other: int, says: Callable[[str, str, str], bool]) -> bool:
        """Return whether ``says(text, one, other)`` is true of a fact that connects both entities."""
        shared = np.intersect1d(self.facts_of(one), self.facts_of(other))[:_MAX_FACTS]
        names = self.entities[one].name, self.entities[other].name
        return any(says(fact.text, *names) for fact in self.reader.facts(shared))

    def together(self, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each pair, shape (n, 2), smaller row first, whether a fact connects both entities."""
        count = len(self.entities)
        wanted = pairs[:, 0] * count + pairs[:, 1]
        starts, members = self.members
        owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        found = np.zeros(len(pairs), dtype=bool)
        for distance in range(1, min(len(members), _MAX_DISTANCE)):
            same = owners[distance:] == owners[:-distance]
            if not same.any():
                break
            one, other = members[:-distance][same], members[distance:][same]
            found |= np.isin(wanted, np.minimum(one, other) * count + np.maximum(one, other))
        return found


def _row_items(grouped: tuple[Rows, Rows], row: int) -> Rows:
    starts, items = grouped
    return items[starts[row] : starts[row + 1]]


def _grouped(owners: Rows, items: Rows, count: int) -> tuple[Rows, Rows]:
    order = np.lexsort((items, owners))
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(owners, minlength=count), out=starts[1:])
    return starts, items[order]


def _entity_documents(facts: Rows, entities: Rows, stated: Rows, documents: Rows, count: int) -> tuple[Rows, Rows]:
    """Documents of each entity: those that state its facts."""
    most = int(max(facts.max(initial=-1), stated.max(initial=-1))) + 1
    starts, places = _grouped(stated, documents, most)
    sizes = (starts[1:] - starts[:-1])[facts]
    owners = np.repeat(entities, sizes)
    offsets = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    found = places[np.repeat(starts[facts], sizes) + offsets]
    distinct = np.unique(np.stack([owners, found], axis=1), axis=0) if len(owners) else np.zeros((0, 2), np.int64)
    return _grouped(distinct[:, 0], distinct[:, 1], count)
