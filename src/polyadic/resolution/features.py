"""All entities of a store at once, as arrays: their names, and which facts and documents they are in."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyadic.model.types import Entity
from polyadic.resolution.names import ParsedName
from polyadic.storage.protocol import Reader, Rows

_MOST_PLACES = 64
_MOST_TEXTS = 8
# Of a fact that connects more, only neighbours in it count as standing together.
_MOST_APART = 32


@dataclass(frozen=True)
class ResolutionFeatures:
    """Entities by row, and for each its facts, for each fact its entities, for each entity its documents.

    To be used as long as its reader is.
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
        stated = reader.chunks_of(facts, _MOST_PLACES)
        held = np.full(reader.size("chunk"), -1, dtype=np.int64)
        for number, record in enumerate(reader.documents()):
            held[reader.chunks_in(record.id)] = number
        return cls(
            reader,
            entities,
            _grouped(members.targets, members.sources, len(entities)),
            _grouped(members.sources, members.targets, len(facts)),
            _joined(members.sources, members.targets, stated.sources, held[stated.targets], len(entities)),
        )

    @cached_property
    def names(self) -> list[ParsedName]:
        return [ParsedName.of(entity.name) for entity in self.entities]

    def facts_of(self, row: int) -> Rows:
        return _of(self.facts, row)

    def documents_of(self, row: int) -> Rows:
        """Numbers of the documents whose facts the entity is in, in the order of sources."""
        return _of(self.documents, row)

    def says_both(self, one: int, other: int, says: Callable[[str, str, str], bool]) -> bool:
        """Whether the text of some fact that connects both says this of their names."""
        shared = np.intersect1d(self.facts_of(one), self.facts_of(other))[:_MOST_TEXTS]
        names = self.entities[one].name, self.entities[other].name
        return any(says(fact.text, *names) for fact in self.reader.facts(shared))

    def together(self, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether some fact connects both entities of each pair, shape (n, 2), the smaller row first."""
        count = len(self.entities)
        wanted = pairs[:, 0] * count + pairs[:, 1]
        starts, members = self.members
        owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        found = np.zeros(len(pairs), dtype=bool)
        for distance in range(1, min(len(members), _MOST_APART)):
            same = owners[distance:] == owners[:-distance]
            if not same.any():
                break
            one, other = members[:-distance][same], members[distance:][same]
            found |= np.isin(wanted, np.minimum(one, other) * count + np.maximum(one, other))
        return found


def _of(grouped: tuple[Rows, Rows], row: int) -> Rows:
    starts, items = grouped
    return items[starts[row] : starts[row + 1]]


def _grouped(owners: Rows, items: Rows, count: int) -> tuple[Rows, Rows]:
    order = np.lexsort((items, owners))
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(owners, minlength=count), out=starts[1:])
    return starts, items[order]


def _joined(facts: Rows, entities: Rows, stated: Rows, documents: Rows, count: int) -> tuple[Rows, Rows]:
    """Which documents each entity is in: by its facts, and where these are stated."""
    most = int(max(facts.max(initial=-1), stated.max(initial=-1))) + 1
    starts, places = _grouped(stated, documents, most)
    sizes = (starts[1:] - starts[:-1])[facts]
    owners = np.repeat(entities, sizes)
    offsets = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    found = places[np.repeat(starts[facts], sizes) + offsets]
    distinct = np.unique(np.stack([owners, found], axis=1), axis=0) if len(owners) else np.zeros((0, 2), np.int64)
    return _grouped(distinct[:, 0], distinct[:, 1], count)
