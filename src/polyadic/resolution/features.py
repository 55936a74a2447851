"""Features for entity resolution, as arrays over all entities: names, facts and documents."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyadic.model.types import Entity
from polyadic.model.value_entities import is_value
from polyadic.resolution.descriptions import DescriptionIndex
from polyadic.resolution.parsed_name import ParsedName
from polyadic.storage.incidence import positions_of
from polyadic.storage.protocol import Reader, Rows

_MAX_CHUNKS = 64
_MAX_FACTS = 8
# In facts with more entities, only entities within this distance count as connected.
_MAX_DISTANCE = 32


@dataclass(frozen=True)
class ResolutionFeatures:
    """All entities, with the facts and documents of each, and the entities of each fact.

    Entities and facts are numbered in the order of their identifiers, whatever rows the store gives them. Valid as long
    as its reader is open.
    """

    reader: Reader
    entity_rows: Rows
    fact_rows: Rows
    entities: list[Entity]
    facts: tuple[Rows, Rows]
    members: tuple[Rows, Rows]
    documents: tuple[Rows, Rows]

    @classmethod
    def of(cls, reader: Reader) -> "ResolutionFeatures":
        entity_rows, fact_rows = reader.rows("entity"), reader.rows("fact")
        members = reader.links("fact_entities", fact_rows)
        facts, entities = positions_of(fact_rows, members.sources), positions_of(entity_rows, members.targets)
        stated = reader.links("fact_chunks", fact_rows, _MAX_CHUNKS)
        chunk_rows = reader.rows("chunk")
        document_of = np.full(len(chunk_rows), -1, dtype=np.int64)
        for number, record in enumerate(reader.records.documents()):
            document_of[positions_of(chunk_rows, reader.chunks_in(record.id))] = number
        return cls(
            reader,
            entity_rows,
            fact_rows,
            reader.entities(entity_rows),
            _grouped(entities, facts, len(entity_rows)),
            _grouped(facts, entities, len(fact_rows)),
            _entity_documents(
                facts,
                entities,
                positions_of(fact_rows, stated.sources),
                document_of[positions_of(chunk_rows, stated.targets)],
                len(entity_rows),
            ),
        )

    @cached_property
    def names(self) -> list[ParsedName]:
        return [ParsedName.of(entity.name) for entity in self.entities]

    @cached_property
    def values(self) -> frozenset[int]:
        """Entities that are dates, amounts or numbers."""
        return frozenset(row for row, entity in enumerate(self.entities) if is_value(entity.name, entity.type))

    @cached_property
    def descriptions(self) -> DescriptionIndex:
        return DescriptionIndex(self.entities, self.names)

    def best_fact(self, entity: int) -> str:
        """Return the text of the entity's fact with the highest score; empty if it has none."""
        rows = self.fact_rows[_row_items(self.facts, entity)]
        best = rows[np.argsort(-self.reader.scores("fact", rows), kind="stable")[:1]]
        return next((fact.text for fact in self.reader.facts(best)), "")

    def documents_of(self, entity: int) -> Rows:
        """Return the numbers of the documents with facts of the entity, in the order of sources."""
        return _row_items(self.documents, entity)

    def share_a_document(self, one: int, other: int) -> bool:
        """Return whether a document has facts of both entities."""
        return bool(np.intersect1d(self.documents_of(one), self.documents_of(other)).size)

    def says_both(self, one: int, other: int, says: Callable[[str, str, str], bool]) -> bool:
        """Return whether ``says(text, one, other)`` is true of a fact that connects both entities."""
        shared = np.intersect1d(_row_items(self.facts, one), _row_items(self.facts, other))[:_MAX_FACTS]
        names = self.entities[one].name, self.entities[other].name
        return any(says(fact.text, *names) for fact in self.reader.facts(self.fact_rows[shared]))

    def together(self, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each pair, shape (n, 2), smaller number first, whether a fact connects both entities."""
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
