"""Document filters: a view of a state as if the store held only some of its documents.

Rows are unchanged and vectors are shared, so a view needs little memory. Entities and facts whose evidence is all in
the selected documents are taken as they are. The others are aggregated again from the evidence in these documents,
which gives their scores, names and descriptions.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from polyadic.model.aggregation import Attribute, EntityTally, FactTally, Tallies, mean_score, tally
from polyadic.model.identity import entity_key
from polyadic.model.resolution import DecisionKind, EntityResolution
from polyadic.storage.arrays.base import Base
from polyadic.storage.arrays.matrix import Matrix
from polyadic.storage.arrays.row_map import find
from polyadic.storage.arrays.segments import NodeRows, Segment
from polyadic.storage.arrays.state import StoreState, with_topics
from polyadic.storage.arrays.vector_search import RowVectors
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.incidence import DIGEST, Digests, Incidence, Integers, Mask
from polyadic.storage.records import NodeType, ScoredNodeType
from polyadic.storage.sql.encoding import entity_digest
from polyadic.storage.sql.revisions import evidence_of, resolution_of
from polyadic.storage.sql.title_entities import title_entities, titles_of_chunks

_EMBEDDED_FORMS = (
    "SELECT entity, value FROM attribute_value WHERE vector IS NOT NULL AND entity {any_of} ORDER BY value_digest"
)


@dataclass(frozen=True)
class FilteredState(StoreState):
    """A state with the rows that are visible through a document filter.

    Attributes
    ----------
    documents
        Identifiers of the selected documents.
    resolution
        All decisions.
    seen
        Masks of the visible rows.
    entities, facts
        By row, the tallies that were aggregated again.
    formless
        Entities whose visible forms have no vector: the vectors of their facts stand for them.
    whole
        Masks of the entities and facts that have no evidence outside the selected documents.
    """

    documents: frozenset[str]
    resolution: EntityResolution
    seen: Mapping[NodeType, Mask]
    entities: Mapping[int, EntityTally]
    facts: Mapping[int, FactTally]
    formless: frozenset[int]
    whole: Mapping[ScoredNodeType, Mask]

    def size(self, node_type: NodeType) -> int:
        return int(self.seen[node_type].sum())


@dataclass(frozen=True, slots=True)
class CorpusTotals:
    """Facts per entity, and chunks per fact, in the whole store."""

    facts: Integers
    chunks: Integers


def filtered(
    connection: Connection, state: StoreState, documents: frozenset[str], totals: CorpusTotals | None = None
) -> FilteredState:
    """Restrict a state to these documents (by identifier).

    Parameters
    ----------
    connection
        A connection whose transaction reads this state.
    state
        The whole store, or a part that contains all statements of these documents; the connection may be limited in the
        same way.
    totals
        Counts of the whole store, if the state is only a part.
    """
    return _Filter(connection, state, documents).view(totals)


def is_split_off(resolution: EntityResolution, key: str, documents: Collection[str]) -> bool:
    """Return whether a decision split an entity off, under this key, for one of these documents."""
    made = (d for d in resolution.decisions if d.kind is DecisionKind.SPLIT and entity_key(d.into) == key)
    return any(document in documents for decision in made for document in decision.documents)


class _Filter:
    """Builds the view of some documents."""

    def __init__(self, connection: Connection, state: StoreState, documents: frozenset[str]) -> None:
        self._connection = connection
        self._state = state
        self._documents = documents
        self._flat = state.flat
        self._resolution = resolution_of(connection)
        self._decided = self._rows_of(self._resolution.named)
        self._formless: set[int] = set()

    def view(self, totals: CorpusTotals | None) -> FilteredState:
        entity_facts, fact_chunks = (self._flat.incidence[way] for way in ("entity_facts", "fact_chunks"))
        totals = totals or CorpusTotals(entity_facts.sizes, fact_chunks.sizes)
        chunks = self._seen_chunks()
        chunk_counts = fact_chunks.count(chunks)
        facts, mixed_facts = chunk_counts > 0, (chunk_counts > 0) & (chunk_counts < totals.chunks)
        mixed_entities = (entity_facts.count(~facts | mixed_facts) > 0) | (totals.facts > entity_facts.sizes)
        entities = entity_facts.count(facts) > 0
        # Entities that a decision renames are aggregated as well: the name may occur only in other documents.
        counted = mixed_entities.copy()
        counted[list(self._decided.values())] = True
        counted &= entities
        tallies = self._aggregate(chunks, counted)
        self._entities = {
            row: tallies.entities[key] for key, row in self._rows_of(tallies.entities).items() if counted[row]
        }
        rows = find(self._flat.segments["fact"].columns["digest"], _packed(map(bytes.fromhex, tallies.facts))).tolist()
        self._facts = {row: fact for row, fact in zip(rows, tallies.facts.values(), strict=True) if mixed_facts[row]}
        entities &= ~counted
        entities[list(self._entities)] = True
        whole = entities & ~mixed_entities
        whole[self._with_outside_names()] = False
        self._seen: dict[NodeType, Mask] = {"chunk": chunks, "fact": facts, "entity": entities}
        return self._filtered({"entity": whole, "fact": facts & ~mixed_facts})

    def _filtered(self, whole: Mapping[ScoredNodeType, Mask]) -> FilteredState:
        state, seen = self._state, self._seen
        statements = self._flat.incidence["chunk_facts"]
        stated = statements.kept(seen["chunk"][statements.sources] & seen["fact"][statements.targets])
        base = with_topics(Base.of(self._segments(), self._participation(), stated))
        entities, others = self._entity_vectors(base)
        nodes = {node_type: NodeRows.of(segment) for node_type, segment in base.segments.items()}
        nodes["entity"] = NodeRows.of(entities)
        matrices = {node_type: vectors.matrices for node_type, vectors in state.vectors.items()}
        matrices["entity"] = (*matrices["entity"], others)
        return FilteredState(
            name=state.name,
            number=state.number,
            base=base,
            nodes=nodes,
            vectors={t: RowVectors(nodes[t], matrices[t], seen=np.flatnonzero(seen[t])) for t in nodes},
            documents=self._documents,
            resolution=self._resolution,
            seen=seen,
            entities=self._entities,
            facts=self._facts,
            formless=frozenset(self._formless),
            whole=whole,
        )

    def _seen_chunks(self) -> Mask:
        rows = select_in(
            self._connection,
            "SELECT c.id FROM document d JOIN chunk c ON c.revision = d.current WHERE d.digest {any_of}",
            [bytes.fromhex(document) for document in sorted(self._documents)],
        )
        seen = np.zeros(self._state.size("chunk"), dtype=bool)
        seen[self._state.rows("chunk", [row for (row,) in rows])] = True
        return seen

    def _rows_of(self, keys: Collection[str]) -> dict[str, int]:
        """Return the rows of entities by key; entities that do not exist are absent."""
        rows = find(self._flat.segments["entity"].columns["digest"], _packed(map(entity_digest, keys))).tolist()
        return {key: row for key, row in zip(keys, rows, strict=True) if row >= 0}

    def _aggregate(self, chunks: Mask, entities: Mask) -> Tallies:
        """Aggregate the visible evidence of all chunks that state facts about these entities."""
        facts, _ = self._state.linked("entity_facts", np.flatnonzero(entities))
        stating, _ = self._state.linked("fact_chunks", np.unique(facts))
        keys = self._state.ids("chunk", np.unique(stating[chunks[stating]]))
        return tally(evidence_of(self._connection, keys.tolist()), self._resolution)

    def _with_outside_names(self) -> list[int]:
        """Return the entities whose name was set by a decision and occurs in none of the selected documents."""
        return [
            row
            for key, row in self._decided.items()
            if row in self._entities
            and (Attribute.NAME, self._resolution.name(key)) not in self._entities[row].value_counts
            and not is_split_off(self._resolution, key, self._documents)
        ]

    def _participation(self) -> Incidence:
        """Return the visible entities of each visible fact, without those whose participation has only hidden evidence.

        Splits make such participations: the same name means another entity in another document.
        """
        links = self._flat.incidence["fact_entities"]
        kept = self._seen["fact"][links.sources] & self._seen["entity"][links.targets]
        for row, fact in self._facts.items():
            part = slice(links.starts[row], links.starts[row + 1])
            if len(fact.participants) < part.stop - part.start:
                kept[part] &= np.isin(links.targets[part], list(self._rows_of(fact.participants).values()))
        return links.kept(kept)

    def _segments(self) -> dict[NodeType, Segment]:
        """Return the segments with the filtered scores, counts and titles."""
        segments = self._flat.segments
        scores, chunks = (segments["entity"].columns[name].copy() for name in ("score", "chunks"))
        for row, entity in self._entities.items():
            scores[row], chunks[row] = mean_score(entity.score, entity.evidence), entity.chunks
        fact_scores = segments["fact"].columns["score"].copy()
        for row, fact in self._facts.items():
            fact_scores[row] = mean_score(fact.score, fact.evidence)
        return {
            "entity": segments["entity"].with_columns(score=scores, chunks=chunks),
            "fact": segments["fact"].with_columns(score=fact_scores),
            "chunk": segments["chunk"].with_columns(title=self._titles()),
        }

    def _titles(self) -> Integers:
        """Return the title entities; if one is hidden, the title without its qualifier may name another."""

        def is_hidden(entities: Integers) -> Mask:
            return np.asarray(~self._seen["entity"][self._state.rows("entity", entities)])

        titles = np.where(self._seen["chunk"], self._flat.segments["chunk"].columns["title"], -1)
        named = np.flatnonzero(titles >= 0)
        lost = named[is_hidden(titles[named])]
        chunks = self._state.ids("chunk", lost).tolist()
        found = title_entities(
            self._connection,
            self._resolution,
            titles_of_chunks(self._connection, chunks),
            lambda entity: not is_hidden(np.array([entity]))[0],
        )
        titles[lost] = [found[chunk] for chunk in chunks]
        return titles

    def _entity_vectors(self, base: Base) -> tuple[Segment, Matrix]:
        """Restrict entities with evidence in other documents to the vectors of their visible forms.

        Returns the segment of entities, and vectors that the state does not have in consecutive places.
        """
        segment, forms, facts = base.segments["entity"], self._state.vectors["entity"], self._state.vectors["fact"]
        ids, firsts, sizes = (segment.columns[name].copy() for name in ("id", "vector", "vectors"))
        embedded: dict[int, list[str]] = {}
        for entity, form in select_in(self._connection, _EMBEDDED_FORMS, ids[list(self._entities)].tolist()):
            embedded.setdefault(entity, []).append(form)
        others, in_state = Matrix.empty(), sum(map(len, forms.matrices))
        for row, counted in self._entities.items():
            is_seen = [(Attribute.FORM, form) in counted.value_counts for form in embedded[int(ids[row])]]
            places = firsts[row] + np.flatnonzero(is_seen)
            if len(places) and places[-1] - places[0] < len(places):
                firsts[row], sizes[row] = places[0], len(places)
                continue
            if not len(places):
                self._formless.add(row)
                stating, _ = base.incidence["entity_facts"].neighbours(np.array([row]))
            vectors = forms.at(places) if len(places) else facts.at(facts.places(stating)[0])
            firsts[row], sizes[row] = in_state + len(others), len(vectors)
            others = others.extended(vectors)
        return segment.with_columns(vector=firsts, vectors=sizes), others


def _packed(digests: Iterable[bytes]) -> Digests:
    return np.array(list(digests), dtype=DIGEST)
