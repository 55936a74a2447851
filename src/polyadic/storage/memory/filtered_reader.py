"""Reading a state of a store as if it held nothing but some of its documents (see filter_view.py)."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from polyadic.errors import NotFound
from polyadic.model.aggregation import Attribute, EntityTally, mean_score
from polyadic.model.hierarchy import Hierarchy
from polyadic.model.identity import called, entity_id, entity_key
from polyadic.model.resolution import ResolutionDecision
from polyadic.model.types import Chunk, Document, Entity, Evidence, Fact, SourceSpan
from polyadic.storage.connection import Connection
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.memory.filter_view import FilteredView, is_split_off
from polyadic.storage.memory.filtered_bm25 import FilteredBM25
from polyadic.storage.memory.hierarchy_filter import FilteredHierarchy
from polyadic.storage.memory.hierarchy_reader import SqlHierarchyReader
from polyadic.storage.memory.reader import ArrayReader
from polyadic.storage.memory.row_vectors import SegmentValues
from polyadic.storage.memory.snapshot import ArraySnapshot
from polyadic.storage.memory.top_k import contenders
from polyadic.storage.memory.vector_reader import HIGHEST, Scored
from polyadic.storage.prefetch import Expected
from polyadic.storage.protocol import (
    Counts,
    DocumentListing,
    DocumentRecord,
    FailedChunk,
    Fingerprint,
    Hits,
    Rows,
    Side,
    Vectors,
)
from polyadic.storage.sql.full_text import WordIndex
from polyadic.storage.sql.hierarchy_records import hierarchy_of
from polyadic.storage.sql.spans import places_of_facts
from polyadic.storage.sql.sql_in import select_in

_NOT_THERE = np.float32(-np.inf)
# No cosine is lower: what is not said in scope is like nothing.
_UNLIKE = np.float32(-1.0)


class FilteredReader(ArrayReader):
    """Implements :class:`polyadic.storage.protocol.Reader` for what is in scope."""

    def __init__(
        self, connection: Connection, words: WordIndex, scope: FilteredView, themes: Callable[[], FilteredHierarchy]
    ) -> None:
        super().__init__(connection, words, lambda: scope.state, lambda: themes().arrays)
        self._scope = scope
        self._scoped_themes = themes

    @property
    def _arrays(self) -> ArraySnapshot:
        return self._scope.snapshot

    @cached_property
    def _scope_words(self) -> FilteredBM25:
        rows = self.all_rows("chunk")
        return FilteredBM25(zip(rows.tolist(), self.chunk_places(rows), strict=True))

    def search(self, text: str, k: int) -> Hits:
        return self._scope_words.search(text, k)

    # rows

    def size(self, side: Side) -> int:
        return int(self._scope.seen[side].sum())

    def all_rows(self, side: Side) -> Rows:
        return np.flatnonzero(self._scope.seen[side])

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        found = super().named(loose_names)
        kept = {loose: [row for row in rows if self._is_called(row, loose)] for loose, rows in found.items()}
        return {loose: rows for loose, rows in kept.items() if rows}

    def keyed(self, keys: Sequence[str]) -> dict[str, int]:
        found = {key: row for key, row in super().keyed(keys).items() if self._scope.seen["entity"][row]}
        named = self.entities(np.array(list(found.values()), dtype=np.int64))
        return {key: row for (key, row), entity in zip(found.items(), named, strict=True) if entity.key == key}

    def identified(self, side: Side, prefix: str, limit: int) -> Rows:
        seen = self._scope.seen[side]
        # No more than what is out of scope can stand before what is in it.
        rows = super().identified(side, prefix, limit + int((~seen).sum()))
        return rows[seen[rows]][:limit]

    def chunks_in(self, document_id: str) -> Rows:
        return super().chunks_in(document_id) if document_id in self._scope.documents else np.zeros(0, dtype=np.int64)

    def similarity(self, side: Side, rows: Rows, vectors: Vectors) -> Vectors:
        found = super().similarity(side, rows, vectors)
        for at in self._formless(side, rows):
            found[:, at] = self._by_facts(rows[at : at + 1], vectors)
        return found

    # what is said in scope

    def entities(self, rows: Rows) -> list[Entity]:
        found = zip(rows.tolist(), self.degrees("entity", rows).tolist(), super().entities(rows), strict=True)
        return [self._as_said(row, facts, entity) for row, facts, entity in found]

    def facts(self, rows: Rows) -> list[Fact]:
        links = self.entities_of(rows)
        distinct = np.unique(links.targets)
        entities = dict(zip(distinct.tolist(), self.entities(distinct), strict=True))
        members: dict[int, list[Entity]] = {row: [] for row in rows.tolist()}
        for fact, entity in zip(links.sources.tolist(), links.targets.tolist(), strict=True):
            members[fact].append(entities[entity])
        found = zip(rows.tolist(), super().facts(rows), strict=True)
        return [self._as_stated(row, _names(members[row]), fact) for row, fact in found]

    def fact_places(self, facts: Rows) -> list[tuple[SourceSpan, ...]]:
        ids, stating = self._arrays.ids("fact", facts).tolist(), self.chunks_of(facts, self.size("chunk")).targets
        heard = set(self._arrays.ids("chunk", stating).tolist())
        places = places_of_facts(self._connection, ids, heard)
        return [places.get(i, ()) for i in ids]

    # the catalogue

    def counts(self) -> Counts:
        whole, seen = super().counts(), self._scope.snapshot
        evidence = [said for document in self._scope.documents for _, told in self.evidence(document) for said in told]
        return Counts(
            documents=len(self.documents()),
            chunks=self.size("chunk"),
            evidence=len(evidence),
            stated=sum(said.fact_id is not None for said in evidence),
            facts=self.size("fact"),
            entities=self.size("entity"),
            participations=len(seen.fact_entities),
            vectors=whole.vectors,
            dimension=whole.dimension,
        )

    def arities(self) -> dict[int, int]:
        seen = self._scope.snapshot.fact_ids[self._scope.seen["fact"]].tolist()
        arities = select_in(self._connection, "SELECT arity FROM fact WHERE id IN ({})", seen)
        return dict(sorted(Counter(arity for (arity,) in arities).items()))

    def documents(self) -> list[DocumentRecord]:
        records = (super(FilteredReader, self).record(document) for document in self._scope.documents)
        return sorted((record for record in records if record), key=lambda record: record.source)

    def listed(self, after: str | None, limit: int, words: str = "") -> DocumentListing:
        sought, documents = words.casefold(), self.documents()
        found = [one for one in documents if sought in one.source.casefold() or sought in one.title.casefold()]
        later = [one for one in found if after is None or one.source > after]
        return DocumentListing(later[:limit], len(found), len(later) > limit)

    def extractors(self) -> dict[str, int]:
        return dict(sorted(Counter(record.extractor for record in self.documents()).items()))

    def failures(self) -> list[FailedChunk]:
        sources = {record.source for record in self.documents()}
        return [failed for failed in super().failures() if failed.source in sources]

    def stamp(self, document_id: str) -> Fingerprint | None:
        return super().stamp(document_id) if document_id in self._scope.documents else None

    def record(self, document_id: str) -> DocumentRecord | None:
        return super().record(document_id) if document_id in self._scope.documents else None

    def document(self, document_id: str) -> Document:
        if document_id not in self._scope.documents:
            raise NotFound(f"no document has the identifier {document_id}", "it may be outside of what was asked for")
        return super().document(document_id)

    def evidence(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        return super().evidence(document_id) if document_id in self._scope.documents else []

    def decisions(self) -> list[tuple[ResolutionDecision, str]]:
        """None: what was decided may name what only other documents say."""
        return []

    def themes(self) -> HierarchyReader:
        found = self._scoped_themes()
        return SqlHierarchyReader(self._connection, found.arrays, self._rows, found.keys)

    def hierarchy(self) -> Hierarchy:
        return hierarchy_of(self._connection, self._scoped_themes().keys)

    def expect(self, *expected: Expected) -> None:
        """All vectors are compared, which is done when it is asked."""

    # steps of the above

    def _near(self, side: Side, vector: Vectors, k: int, scored: Scored | None = None) -> Rows:
        vectors = self._state.vectors(side)
        cosines = vectors.cosines(vector)
        if side == "entity":
            size = len(cosines.base)
            base = self._of_seen(side, cosines.base, np.arange(size))
            cosines = SegmentValues(base, self._of_seen(side, cosines.tail, size + np.arange(len(cosines.tail))))
        values, most = vectors.in_order(vectors.of_rows(cosines)), 1.0
        if side == "entity" and len(self._scope.formless):
            values[self._scope.formless] = self._cosines(side, self._scope.formless, vector)
        if scored:
            values, most = values * self._arrays.scores(scored, np.arange(len(values))), HIGHEST[scored]
        return contenders(np.where(self._scope.seen[side], values, _NOT_THERE), k, vectors.doubt * most)

    def _cosines(self, side: Side, rows: Rows, vector: Vectors) -> Vectors:
        found = super()._cosines(side, rows, vector)
        for at in self._formless(side, rows):
            found[at] = self._by_facts(rows[at : at + 1], vector[None, :])[0]
        return found

    def _formless(self, side: Side, rows: Rows) -> list[int]:
        """Places of the entities without a vector that may be seen."""
        return np.flatnonzero(np.isin(rows, self._scope.formless)).tolist() if side == "entity" else []

    def _by_facts(self, entity: Rows, vectors: Vectors) -> Vectors:
        """How near an entity is by the nearest of its facts."""
        facts = self.facts_of(entity, self.size("fact"), vectors[0]).targets
        return np.asarray(super().similarity("fact", facts, vectors).max(axis=1), dtype=np.float32)

    def _of_seen(self, side: Side, similarities: Vectors, places: Rows) -> Vectors:
        if side != "entity":
            return similarities
        return np.where(self._scope.seen_forms[places], similarities, _UNLIKE)

    def _is_seen_chunk(self, chunk: int) -> bool:
        return bool(self._scope.seen["chunk"][self._arrays.rows("chunk", [chunk])[0]])

    def _is_called(self, row: int, loose: str) -> bool:
        if not self._scope.seen["entity"][row]:
            return False
        said = self._scope.entities.get(row)
        if said is None:
            return True
        (entity,) = super().entities(np.array([row]))
        names = _versions(said, Attribute.NAME)
        return any(loose in called(name) for name in (*names, self._shown(entity.key, names)))

    def _shown(self, key: str, names: Sequence[str]) -> str:
        """What an entity is called by those names that are said here, the best supported first.

        A decision's name is heeded only if it is among them, or was made for these documents: by a merge, it may be one
        that only others say.
        """
        decided = self.overlay().name(key)
        return decided if decided and (decided in names or self._is_split_off(key)) else names[0]

    def _as_said(self, row: int, facts: int, entity: Entity) -> Entity:
        """The entity as the evidence in scope has it."""
        said = self._scope.entities.get(row)
        if said is None:
            return entity
        names = _versions(said, Attribute.NAME)
        name = self._shown(entity.key, names)
        is_known = self._is_split_off(entity.key) or entity.key in map(entity_key, names)
        key = entity.key if is_known else entity_key(name)
        return Entity(
            entity_id(key),
            key,
            name,
            next(iter(_versions(said, Attribute.TYPE)), ""),
            next(iter(_versions(said, Attribute.DESCRIPTION)), ""),
            mean_score(said.score, said.evidence),
            facts,
        )

    def _is_split_off(self, key: str) -> bool:
        return is_split_off(self.overlay(), key, self._scope.documents)

    def _as_stated(self, row: int, names: tuple[str, ...], fact: Fact) -> Fact:
        stated = self._scope.facts.get(row)
        if stated is None:
            return replace(fact, entities=names)
        return replace(fact, entities=names, score=mean_score(stated.score, stated.evidence), support=stated.evidence)


def _versions(said: EntityTally, attribute: Attribute) -> list[str]:
    """What is said of an attribute, the best supported first."""
    times = [(-count, value) for (of, value), count in said.said.items() if of is attribute]
    return [value for _, value in sorted(times)]


def _names(entities: Sequence[Entity]) -> tuple[str, ...]:
    return tuple(entity.name for entity in sorted(entities, key=lambda entity: entity.key))
