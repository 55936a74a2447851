"""Read a state through a document filter, as if the store held no other documents (see filter_view.py)."""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from polyadic.model.aggregation import Attribute, mean_score
from polyadic.model.identity import called, entity_id, entity_key
from polyadic.model.types import Entity, Fact, SourceSpan
from polyadic.storage.arrays.filter_view import FilteredState, is_split_off
from polyadic.storage.arrays.hierarchy_arrays import HierarchyArrays
from polyadic.storage.arrays.reader import ArrayReader
from polyadic.storage.arrays.top_k import best_of
from polyadic.storage.connection import Connection
from polyadic.storage.protocol import Hits, NodeType, Rows, Vectors
from polyadic.storage.record_reader import RecordReader
from polyadic.storage.sql.full_text import DIGITS, WordIndex, fts5_query, searchable, terms_of
from polyadic.storage.sql.spans import places_of_facts

_MATCHES = (
    f"SELECT rowid, round(-bm25(passage_fts), {DIGITS}) FROM passage_fts WHERE passage_fts MATCH ? ORDER BY rowid"
)


class FilteredReader(ArrayReader):
    """Reader of the selected documents; implements :class:`polyadic.storage.protocol.Reader`."""

    def __init__(
        self, connection: Connection, words: WordIndex, view: FilteredState, hierarchy: Callable[[], HierarchyArrays]
    ) -> None:
        super().__init__(connection, words, lambda: view, hierarchy)
        self._view = view

    @property
    def records(self) -> RecordReader:
        return RecordReader(self._connection, self, self._view.documents, lambda: self._load_hierarchy().visible or ())

    # Rows

    def search(self, words: str, k: int) -> Hits:
        query = fts5_query(terms_of(words))
        hits = self._full_text.execute(_MATCHES, (query,)).fetchall() if query else []
        rows = np.array([row for row, _ in hits], dtype=np.int64)
        return best_of(rows, np.array([score for _, score in hits], dtype=np.float32), k)

    def rows(self, node_type: NodeType, prefix: str = "", limit: int | None = None) -> Rows:
        if not prefix:
            return super().rows(node_type, prefix, limit)
        rows = super().rows(node_type, prefix)
        rows = rows[self._view.seen[node_type][rows]]
        if node_type == "entity":
            # An entity may be shown under another key than the store's, if that occurs only in other documents.
            rows = np.union1d(rows, np.array(list(self._view.entities), dtype=np.int64))
            shown = sorted((entity.id, row) for entity, row in zip(self.entities(rows), rows.tolist(), strict=True))
            rows = np.array([row for identifier, row in shown if identifier.startswith(prefix.lower())], dtype=np.int64)
        return rows[:limit]

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        matches = super().named(loose_names)
        kept = {loose: [row for row in rows if self._has_name(row, loose)] for loose, rows in matches.items()}
        return {loose: rows for loose, rows in kept.items() if rows}

    def chunks_in(self, document_id: str) -> Rows:
        return super().chunks_in(document_id) if document_id in self._view.documents else np.zeros(0, dtype=np.int64)

    def main_vectors(self, entities: Rows) -> Vectors:
        vectors = self.directions("entity", entities)
        has_form = ~np.isin(entities, list(self._view.formless))
        vectors[has_form] = super().main_vectors(entities[has_form])
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
        ids, stating = self._keys("fact", facts).tolist(), self.links("fact_chunks", facts).targets
        chunk_ids = set(self._keys("chunk", stating).tolist())
        places = places_of_facts(self._connection, ids, chunk_ids)
        return [places.get(i, ()) for i in ids]

    # Helpers

    @cached_property
    def _full_text(self) -> sqlite3.Connection:
        """A full-text index of the selected chunks by row, as BM25 needs the statistics of these chunks."""
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        connection.execute(
            "CREATE VIRTUAL TABLE passage_fts USING fts5"
            " (title, text, content = '', tokenize = 'unicode61 remove_diacritics 2')"
        )
        rows = self.rows("chunk")
        places = zip(rows.tolist(), self.chunk_places(rows), strict=True)
        connection.executemany(
            "INSERT INTO passage_fts (rowid, title, text) VALUES (?, ?, ?)",
            ((row, searchable(place.title), searchable(place.quote)) for row, place in places),
        )
        return connection

    def _is_seen_chunk(self, chunk: int) -> bool:
        return bool(self._view.seen["chunk"][self._rows("chunk", [chunk])[0]])

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
        decided = self._view.resolution.name(key)
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
        return is_split_off(self._view.resolution, key, self._view.documents)

    def _filtered_fact(self, row: int, names: tuple[str, ...], fact: Fact) -> Fact:
        tally = self._view.facts.get(row)
        if tally is None:
            return replace(fact, entities=names)
        return replace(fact, entities=names, score=mean_score(tally.score, tally.evidence), support=tally.evidence)


def _names(entities: Sequence[Entity]) -> tuple[str, ...]:
    return tuple(entity.name for entity in sorted(entities, key=lambda entity: entity.key))
