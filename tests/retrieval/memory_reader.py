"""A Reader over lists and arrays, built from evidence: small, exact and slow."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np

from polyadic.model import identity
from polyadic.model.aggregation import Attribute, mean_score, tally
from polyadic.model.hierarchy import Hierarchy
from polyadic.model.identity import loose_name
from polyadic.model.resolution import NO_OVERLAY, EntityResolution, ResolutionDecision
from polyadic.model.types import Chunk, Document, Entity, Evidence, Fact, Heading, SourceSpan, Span
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.prefetch import Expected
from polyadic.storage.protocol import (
    Counts,
    DocumentListing,
    DocumentRecord,
    FailedChunk,
    Fingerprint,
    Hits,
    LedgerEntry,
    Links,
    Rows,
    Side,
    Statement,
    UsageTotals,
    Vectors,
)
from polyadic.storage.record_reader import RecordReader
from polyadic.storage.records import DegreeWay, LinkWay
from polyadic.text.headings import headings, headings_of
from tests.retrieval.memory_hierarchy import MemoryHierarchyReader

Embed = Callable[[Sequence[str]], Vectors]
NO_HIERARCHY = Hierarchy()


class MemoryReader:
    """Reads what a list of (document, chunk, evidence) derives to, and a hierarchy over it."""

    def __init__(
        self,
        read: Iterable[tuple[Document, Chunk, Sequence[Evidence]]],
        embed: Embed,
        windows: Callable[[str], list[str]] = lambda text: [text],
        hierarchy: Hierarchy = NO_HIERARCHY,
    ) -> None:
        self._hierarchy = hierarchy
        self._read = list(read)
        self._embed_texts = embed
        counts = tally((document.id, evidence) for document, _, evidence in self._read)
        self._facts = sorted(counts.facts)
        self._keys = sorted(counts.entities, key=identity.entity_id)
        self._tallies = counts
        self._row_of_key = {key: row for row, key in enumerate(self._keys)}
        fact_row = {fact: row for row, fact in enumerate(self._facts)}
        entity_row = self._row_of_key
        self._entities_of = [[entity_row[key] for key in counts.facts[fact].participants] for fact in self._facts]
        self._facts_of: dict[int, list[int]] = defaultdict(list)
        for fact, entities in enumerate(self._entities_of):
            for entity in entities:
                self._facts_of[entity].append(fact)
        self._facts_in: list[list[int]] = []
        self._chunks_of: dict[int, list[int]] = defaultdict(list)
        self._places: dict[int, list[SourceSpan]] = defaultdict(list)
        for row, (document, chunk, evidence) in enumerate(self._read):
            stated = [(fact_row[e.fact_id], e) for e in evidence if e.fact_id is not None]
            self._facts_in.append(list(dict.fromkeys(fact for fact, _ in stated)))
            for fact in self._facts_in[-1]:
                self._chunks_of[fact].append(row)
            for fact, said in stated:
                self._places[fact] += [_place(document, chunk, span.start, span.end) for span in said.spans]
        self._title = [entity_row.get(identity.entity_key(d.title), -1) if d.title else -1 for d, _, _ in self._read]
        self._chunks_about: dict[int, list[int]] = defaultdict(list)
        for chunk_row, entity in enumerate(self._title):
            self._chunks_about[entity].append(chunk_row)
        self._names: dict[str, list[int]] = defaultdict(list)
        for key, row in entity_row.items():
            for loose in {form for name in self._said(key, Attribute.NAME) for form in identity.called(name)}:
                self._names[loose].append(row)
        by_key, by_fact = counts.entities, counts.facts
        self._entity_scores = np.array(
            [mean_score(by_key[k].score, by_key[k].evidence) for k in self._keys], np.float32
        )
        self._fact_scores = np.array(
            [mean_score(by_fact[f].score, by_fact[f].evidence) for f in self._facts], np.float32
        )
        self._vectors: dict[Side, tuple[Rows, Vectors]] = {
            "fact": self._embed(embed, [[counts.facts[fact].text] for fact in self._facts]),
            "entity": self._embed(embed, [self._said(key, Attribute.FORM)[:8] for key in self._keys]),
            "chunk": self._embed(embed, [windows(f"{d.title}\n{c.text}") for d, c, _ in self._read]),
        }

    @property
    def records(self) -> RecordReader:
        return self

    def embedded(self, text: str) -> Vectors:
        """The vector of a text, shape (d,)."""
        vector: Vectors = self._embed_texts([text])[0]
        return vector

    def _said(self, key: str, attribute: Attribute) -> list[str]:
        said = self._tallies.entities[key].value_counts
        return [text for (kind, text), _ in sorted(said.items(), key=lambda x: (-x[1], x[0])) if kind is attribute]

    @staticmethod
    def _embed(embed: Embed, texts: list[list[str]]) -> tuple[Rows, Vectors]:
        owners = np.array([row for row, own in enumerate(texts) for _ in own], dtype=np.int64)
        return owners, embed([text for own in texts for text in own])

    def nearest(self, side: Side, vector: Vectors, k: int, by_score: bool = False) -> Hits:
        rows = self.rows(side)
        scores = self.similarity(side, rows, vector[None, :])[0]
        if by_score and side != "chunk":
            scores = scores * self.scores(side, rows)
        best = np.argsort(-scores, kind="stable")[:k]
        return Hits(rows[best], scores[best])

    def prefetch(self, *expected: Expected) -> None:
        """All of it is here."""

    def similarity(self, side: Side, rows: Rows, vectors: Vectors) -> Vectors:
        owners, stored = self._vectors[side]
        if not len(rows):
            return np.zeros((len(vectors), 0), np.float32)
        first, last = np.searchsorted(owners, rows), np.searchsorted(owners, rows, "right")
        places = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
        starts = np.concatenate([[0], np.cumsum(last - first)[:-1]])
        return np.maximum.reduceat(vectors @ stored[places].T, starts, axis=1)

    def directions(self, entities: Rows) -> Vectors:
        owners, stored = self._vectors["entity"]
        sums = np.array([stored[owners == row].sum(axis=0) for row in entities.tolist()], np.float32)
        return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True), np.float32)

    def search(self, words: str, k: int) -> Hits:
        wanted = set(identity.loose_name(words).split())
        scores = np.array(
            [len(wanted & set(identity.loose_name(c.text).split())) for _, c, _ in self._read], np.float32
        )
        ids = np.array([chunk.id for _, chunk, _ in self._read])
        best = [row for row in np.lexsort((ids, -scores))[:k] if scores[row] > 0]
        return Hits(np.array(best, dtype=np.int64), scores[best])

    def headings(self, chunk_ids: Sequence[str]) -> dict[str, tuple[Heading, ...]]:
        return {
            chunk.id: headings_of(headings(document.text), chunk.span)
            for document, chunk, _ in self._read
            if chunk.id in chunk_ids
        }

    def statements(self, chunk_ids: Sequence[str]) -> list[Statement]:
        row = {fact: row for row, fact in enumerate(self._facts)}
        return [
            Statement(chunk.id, span, row[said.fact_id])
            for _, chunk, evidence in self._read
            if chunk.id in chunk_ids
            for said in evidence
            if said.fact_id is not None
            for span in said.spans
        ]

    def chunks_with_words(self, words: Sequence[str], limit: int) -> Links:
        said = [loose_name(chunk.text).split() for _, chunk, _ in self._read]

        def held(place: int) -> list[int]:
            return [row for row, text in enumerate(said) if words[place] in text][:limit]

        return _links(np.arange(len(words)), held)

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        return {name: self._names[name] for name in loose_names if name in self._names}

    def facts_of(self, entities: Rows, limit: int, toward: Vectors) -> Links:
        vectors = np.broadcast_to(toward, (len(entities), toward.shape[-1]))
        found = [self._nearest_facts(*one, limit) for one in zip(entities.tolist(), vectors, strict=True)]
        return Links(
            entities.repeat([len(facts) for facts in found]), np.array([fact for facts in found for fact in facts], int)
        )

    def _nearest_facts(self, entity: int, toward: Vectors, limit: int) -> list[int]:
        facts = self._facts_of[entity]
        if len(facts) <= limit:
            return facts
        scores = self.similarity("fact", np.array(facts), toward[None, :])[0]
        return [facts[i] for i in np.argsort(-scores, kind="stable")[:limit]]

    def links(self, way: LinkWay, rows: Rows, limit: int | None = None) -> Links:
        neighbours: Mapping[LinkWay, Callable[[int], Sequence[int]]] = {
            "fact_entities": lambda fact: self._entities_of[fact],
            "fact_chunks": lambda fact: self._chunks_of[fact],
            "chunk_facts": lambda chunk: sorted(self._facts_in[chunk]),
            "chunk_topic": lambda chunk: [self._title[chunk]] if self._title[chunk] >= 0 else [],
            "topic_chunks": lambda entity: self._chunks_about.get(entity, []),
        }
        return _links(rows, lambda row: list(neighbours[way](row))[:limit])

    def containing(self, entities: Rows, limit: int) -> Rows:
        facts = [row for row, members in enumerate(self._entities_of) if {*entities.tolist()} <= {*members}]
        return np.array(facts[:limit], dtype=np.int64)

    def rows(self, side: Side, prefix: str = "", limit: int | None = None) -> Rows:
        ids = {
            "fact": lambda: self._facts,
            "entity": lambda: [identity.entity_id(key) for key in self._keys],
            "chunk": lambda: [chunk.id for _, chunk, _ in self._read],
        }[side]()
        matching = [row for row, one in enumerate(ids) if one.startswith(prefix.lower())]
        return np.array(matching[:limit], dtype=np.int64)

    def degrees(self, way: DegreeWay, rows: Rows) -> Rows:
        counts: Mapping[DegreeWay, Callable[[int], int]] = {
            "entity_facts": lambda entity: len(self._facts_of[entity]),
            "entity_chunks": lambda entity: self._tallies.entities[self._keys[entity]].chunks,
            "fact_entities": lambda fact: len(self._entities_of[fact]),
            "chunk_facts": lambda chunk: len(self._facts_in[chunk]),
        }
        return np.array([counts[way](row) for row in rows.tolist()], dtype=np.int64)

    def scores(self, side: Literal["entity", "fact"], rows: Rows) -> Vectors:
        of = self._fact_scores if side == "fact" else self._entity_scores
        return of[rows]

    def tokens(self, side: Literal["fact", "chunk"], rows: Rows) -> Rows:
        said = self.facts(rows) if side == "fact" else [self._read[row][1] for row in rows.tolist()]
        return np.array([one.tokens for one in said], dtype=np.int64)

    def entities(self, rows: Rows) -> list[Entity]:
        return [self._entity(self._keys[row]) for row in rows.tolist()]

    def _entity(self, key: str) -> Entity:
        said = self._tallies.entities[key]
        best = [(self._said(key, kind) or [""])[0] for kind in (Attribute.NAME, Attribute.TYPE, Attribute.DESCRIPTION)]
        row = self._row_of_key[key]
        score = mean_score(said.score, said.evidence)
        return Entity(identity.entity_id(key), key, best[0], best[1], best[2], score, len(self._facts_of[row]))

    def facts(self, rows: Rows) -> list[Fact]:
        return [self._fact(self._facts[row]) for row in rows.tolist()]

    def _fact(self, fact: str) -> Fact:
        said = self._tallies.facts[fact]
        score = mean_score(said.score, said.evidence)
        named = tuple(self._said(key, Attribute.NAME)[0] for key in sorted(said.participants))
        return Fact(fact, said.text, score, named, said.evidence, len(said.text) // 4 + 1)

    def overlay(self) -> EntityResolution:
        return NO_OVERLAY

    def decisions(self) -> list[tuple[ResolutionDecision, str]]:
        return []

    def size(self, side: Side) -> int:
        return {"fact": len(self._facts), "entity": len(self._keys), "chunk": len(self._read)}[side]

    def hierarchy(self) -> Hierarchy:
        return self._hierarchy

    def hierarchy_reader(self) -> HierarchyReader:
        entities = {identity.entity_id(key): row for row, key in enumerate(self._keys)}
        facts = {one: row for row, one in enumerate(self._facts)}
        return MemoryHierarchyReader(self._hierarchy, entities, facts, self._embed_texts)

    # the catalogue, which no method reads

    def counts(self) -> Counts:
        raise NotImplementedError

    def arities(self) -> dict[int, int]:
        raise NotImplementedError

    def documents(self) -> list[DocumentRecord]:
        raise NotImplementedError

    def listed(self, after: str | None, limit: int, words: str = "") -> DocumentListing:
        raise NotImplementedError

    def select(self, sources: Sequence[str], where: Mapping[str, str]) -> frozenset[str]:
        documents = {document.id: document for document, _, _ in self._read}
        return frozenset(
            key
            for key, one in documents.items()
            if (not sources or one.source in sources) and where.items() <= dict(one.metadata).items()
        )

    def extractors(self) -> dict[str, int]:
        raise NotImplementedError

    def failures(self) -> list[FailedChunk]:
        raise NotImplementedError

    def stamp(self, document_id: str) -> Fingerprint | None:
        raise NotImplementedError

    def reply(self, key: str) -> tuple[str, bool] | None:
        raise NotImplementedError

    def spent(self) -> UsageTotals:
        raise NotImplementedError

    def spent_on(self, document_id: str) -> UsageTotals:
        raise NotImplementedError

    def ledger(self) -> list[LedgerEntry]:
        raise NotImplementedError

    def record(self, document_id: str) -> DocumentRecord | None:
        raise NotImplementedError

    def document(self, document_id: str) -> Document:
        raise NotImplementedError

    def evidence(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        raise NotImplementedError

    def chunks_in(self, document_id: str) -> Rows:
        raise NotImplementedError

    def fact_places(self, facts: Rows) -> list[tuple[SourceSpan, ...]]:
        return [tuple(self._places[row]) for row in facts.tolist()]

    def chunk_places(self, chunks: Rows) -> list[SourceSpan]:
        read = (self._read[row] for row in chunks.tolist())
        return [_place(document, chunk, chunk.span.start, chunk.span.end) for document, chunk, _ in read]


def _place(document: Document, chunk: Chunk, start: int, end: int) -> SourceSpan:
    return SourceSpan(
        document.id, document.source, document.title, chunk.id, Span(start, end), document.text[start:end]
    )


def _links(rows: Rows, of: Callable[[int], list[int]]) -> Links:
    pairs = [(source, target) for source in rows.tolist() for target in of(source)]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Links(table[:, 0], table[:, 1])
