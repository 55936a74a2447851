"""Read a state through a document filter, as if the store held no other documents (see filter_view.py)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from polyadic.model.aggregation import Attribute, mean_score
from polyadic.model.identity import called, entity_id, entity_key
from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Entity, Fact, SourceSpan
from polyadic.storage.arrays.filter_view import FilteredView, is_split_off
from polyadic.storage.arrays.filtered_bm25 import FilteredBM25
from polyadic.storage.arrays.hierarchy_filter import FilteredHierarchy
from polyadic.storage.arrays.hierarchy_reader import SqlHierarchyReader
from polyadic.storage.arrays.matmul import normalized
from polyadic.storage.arrays.reader import ArrayReader
from polyadic.storage.arrays.row_vectors import SegmentValues
from polyadic.storage.arrays.snapshot import ArraySnapshot
from polyadic.storage.arrays.top_k import contenders
from polyadic.storage.arrays.vector_reader import HIGHEST, Scored
from polyadic.storage.connection import Connection
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import (
    Hits,
    NodeType,
    Rows,
    Vectors,
)
from polyadic.storage.reader import Expected
from polyadic.storage.record_reader import RecordReader
from polyadic.storage.sql.full_text import WordIndex
from polyadic.storage.sql.spans import places_of_facts

_EXCLUDED = np.float32(-np.inf)
# The lowest cosine: forms that do not occur in the selected documents match nothing.
_LOWEST_COSINE = np.float32(-1.0)


class FilteredReader(ArrayReader):
    """Reader of the selected documents; implements :class:`polyadic.storage.protocol.Reader`."""

    def __init__(
        self, connection: Connection, words: WordIndex, scope: FilteredView, hierarchy: Callable[[], FilteredHierarchy]
    ) -> None:
        super().__init__(connection, words, lambda: scope.state, lambda: hierarchy().arrays)
        self._view = scope
        self._load_hierarchy = hierarchy

    @property
    def records(self) -> RecordReader:
        return RecordReader(self._connection, self, self._view.documents, lambda: self._load_hierarchy().keys)

    @property
    def participations(self) -> int:
        return self._arrays.participations

    @cached_property
    def _resolution(self) -> EntityResolution:
        return self.records.resolution()

    @property
    def _arrays(self) -> ArraySnapshot:
        return self._view.snapshot

    @cached_property
    def _bm25(self) -> FilteredBM25:
        rows = self.rows("chunk")
        return FilteredBM25(zip(rows.tolist(), self.chunk_places(rows), strict=True))

    def search(self, text: str, k: int) -> Hits:
        return self._bm25.search(text, k)

    # Rows

    def size(self, node_type: NodeType) -> int:
        return int(self._view.seen[node_type].sum())

    def rows(self, node_type: NodeType, prefix: str = "", limit: int | None = None) -> Rows:
        if not prefix:
            return np.flatnonzero(self._view.seen[node_type])[:limit]
        seen = self._view.seen[node_type]
        rows = self._with_prefix(node_type, prefix, None)
        rows = rows[seen[rows]]
        if node_type == "entity":
            # An entity may be shown under another key than the store's, if that occurs only in other documents.
            changed = np.array(sorted(self._view.entities), dtype=np.int64)
            rows = np.union1d(rows, changed)
            shown = [entity.id for entity in self.entities(rows)]
            order = sorted(
                (identifier, place) for place, identifier in enumerate(shown) if identifier.startswith(prefix.lower())
            )
            rows = rows[[place for _, place in order]]
        return rows[:limit]

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        matches = super().named(loose_names)
        kept = {loose: [row for row in rows if self._has_name(row, loose)] for loose, rows in matches.items()}
        return {loose: rows for loose, rows in kept.items() if rows}

    def chunks_in(self, document_id: str) -> Rows:
        return super().chunks_in(document_id) if document_id in self._view.documents else np.zeros(0, dtype=np.int64)

    def similarity(self, node_type: NodeType, rows: Rows, vectors: Vectors) -> Vectors:
        cosines = super().similarity(node_type, rows, vectors)
        for index in self._indices_without_vector(node_type, rows):
            cosines[:, index] = self._by_facts(rows[index : index + 1], vectors)
        return cosines

    def directions(self, node_type: NodeType, rows: Rows) -> Vectors:
        if node_type != "entity":
            return super().directions(node_type, rows)
        vectors = self._state.vectors("entity")
        places, owners = vectors.places(rows)
        seen = self._view.seen_forms[places]
        sums = np.zeros((len(rows), vectors.dimension), dtype=np.float32)
        np.add.at(sums, owners[seen], vectors.at(places[seen]))
        for index in self._indices_without_vector("entity", rows):
            facts, _ = self._arrays.linked("entity_facts", rows[index : index + 1])
            of_facts = self._state.vectors("fact")
            sums[index] = of_facts.at(of_facts.places(facts)[0]).sum(axis=0)
        return normalized(sums)

    def main_vectors(self, entities: Rows) -> Vectors:
        vectors = np.zeros((len(entities), self._state.vectors("entity").dimension), dtype=np.float32)
        formless = np.isin(entities, self._view.formless)
        if formless.any():
            vectors[formless] = self.directions("entity", entities[formless])
        if not formless.all():
            vectors[~formless] = super().main_vectors(entities[~formless])
        return vectors

    def _form_support(self, entity: int, form: str, occurrences: int) -> int:
        tally = self._view.entities.get(entity)
        return occurrences if tally is None else tally.value_counts[Attribute.FORM, form]

    # Records from the evidence in the selected documents

    def entities(self, rows: Rows) -> list[Entity]:
        records = zip(rows.tolist(), self.degrees("entity_facts", rows).tolist(), super().entities(rows), strict=True)
        return [self._filtered_entity(row, facts, entity) for row, facts, entity in records]

    def facts(self, rows: Rows) -> list[Fact]:
        links = self.links("fact_entities", rows)
        distinct = np.unique(links.targets)
        entities = dict(zip(distinct.tolist(), self.entities(distinct), strict=True))
        members: dict[int, list[Entity]] = {row: [] for row in rows.tolist()}
        for fact, entity in zip(links.sources.tolist(), links.targets.tolist(), strict=True):
            members[fact].append(entities[entity])
        records = zip(rows.tolist(), super().facts(rows), strict=True)
        return [self._filtered_fact(row, _names(members[row]), fact) for row, fact in records]

    def fact_places(self, facts: Rows) -> list[tuple[SourceSpan, ...]]:
        ids, stating = self._arrays.ids("fact", facts).tolist(), self.links("fact_chunks", facts).targets
        chunk_ids = set(self._arrays.ids("chunk", stating).tolist())
        places = places_of_facts(self._connection, ids, chunk_ids)
        return [places.get(i, ()) for i in ids]

    def hierarchy_reader(self) -> HierarchyReader:
        hierarchy = self._load_hierarchy()
        return SqlHierarchyReader(self._connection, hierarchy.arrays, self._rows, hierarchy.keys)

    def prefetch(self, *expected: Expected) -> None:
        """Ignore hints: a filtered reader compares all vectors at query time."""

    # Helpers

    def _near(self, node_type: NodeType, vector: Vectors, k: int, scored: Scored | None = None) -> Rows:
        vectors = self._state.vectors(node_type)
        cosines = vectors.cosines(vector)
        if node_type == "entity":
            size = len(cosines.base)
            base = self._of_seen(node_type, cosines.base, np.arange(size))
            cosines = SegmentValues(base, self._of_seen(node_type, cosines.delta, size + np.arange(len(cosines.delta))))
        values, most = vectors.in_order(vectors.of_rows(cosines)), 1.0
        if node_type == "entity" and len(self._view.formless):
            values[self._view.formless] = self._cosines(node_type, self._view.formless, vector)
        if scored:
            values, most = values * self._arrays.scores(scored, np.arange(len(values))), HIGHEST[scored]
        return contenders(np.where(self._view.seen[node_type], values, _EXCLUDED), k, vectors.doubt * most)

    def _cosines(self, node_type: NodeType, rows: Rows, vector: Vectors) -> Vectors:
        cosines = super()._cosines(node_type, rows, vector)
        for index in self._indices_without_vector(node_type, rows):
            cosines[index] = self._by_facts(rows[index : index + 1], vector[None, :])[0]
        return cosines

    def _indices_without_vector(self, node_type: NodeType, rows: Rows) -> list[int]:
        """Return the indices into ``rows`` of entities without a visible vector."""
        return np.flatnonzero(np.isin(rows, self._view.formless)).tolist() if node_type == "entity" else []

    def _by_facts(self, entity: Rows, vectors: Vectors) -> Vectors:
        """Return the similarity of an entity's nearest fact."""
        facts = self.facts_of(entity, self.size("fact"), vectors[0]).targets
        return np.asarray(super().similarity("fact", facts, vectors).max(axis=1), dtype=np.float32)

    def _of_seen(self, node_type: NodeType, similarities: Vectors, places: Rows) -> Vectors:
        if node_type != "entity":
            return similarities
        return np.where(self._view.seen_forms[places], similarities, _LOWEST_COSINE)

    def _is_seen_chunk(self, chunk: int) -> bool:
        return bool(self._view.seen["chunk"][self._arrays.rows("chunk", [chunk])[0]])

    def _has_name(self, row: int, loose: str) -> bool:
        if not self._view.seen["entity"][row]:
            return False
        tally = self._view.entities.get(row)
        if tally is None:
            return True
        (entity,) = super().entities(np.array([row]))
        names = tally.ranked(Attribute.NAME)
        return any(loose in called(name) for name in (*names, self._display_name(entity.key, names)))

    def _display_name(self, key: str, names: Sequence[str]) -> str:
        """Return the display name of an entity, given its names in the selected documents, best supported first.

        A name set by a decision applies only if it is among them, or if the decision split the entity off for one of
        these documents; a merge may have set a name that occurs only in other documents.
        """
        decided = self._resolution.name(key)
        return decided if decided and (decided in names or self._is_split_off(key)) else names[0]

    def _filtered_entity(self, row: int, facts: int, entity: Entity) -> Entity:
        """Return the entity as described by the evidence in the selected documents."""
        tally = self._view.entities.get(row)
        if tally is None:
            return entity
        names = tally.ranked(Attribute.NAME)
        name = self._display_name(entity.key, names)
        is_known = self._is_split_off(entity.key) or entity.key in map(entity_key, names)
        key = entity.key if is_known else entity_key(name)
        return Entity(
            entity_id(key),
            key,
            name,
            next(iter(tally.ranked(Attribute.TYPE)), ""),
            next(iter(tally.ranked(Attribute.DESCRIPTION)), ""),
            mean_score(tally.score, tally.evidence),
            facts,
        )

    def _is_split_off(self, key: str) -> bool:
        return is_split_off(self._resolution, key, self._view.documents)

    def _filtered_fact(self, row: int, names: tuple[str, ...], fact: Fact) -> Fact:
        tally = self._view.facts.get(row)
        if tally is None:
            return replace(fact, entities=names)
        return replace(fact, entities=names, score=mean_score(tally.score, tally.evidence), support=tally.evidence)


def _names(entities: Sequence[Entity]) -> tuple[str, ...]:
    return tuple(entity.name for entity in sorted(entities, key=lambda entity: entity.key))
