"""Reads over lists: small, exact and slow."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np

from polyadic.model import identity
from polyadic.model.aggregation import FORMS_EMBEDDED, Attribute, mean_score, tally
from polyadic.model.resolution import NO_OVERLAY, EntityResolution
from polyadic.model.types import Chunk, Document, Entity, Evidence, Fact, SourceSpan, Span, page_of
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.prefetch import Expected
from polyadic.storage.protocol import Hits, Links, Rows, Side, Statement, Vectors
from polyadic.storage.record_reader import RecordReader
from polyadic.storage.records import DegreeWay, LinkWay
from polyadic.storage.sql.full_text import searchable
from polyadic.text.headings import headings, headings_above

Embed = Callable[[Sequence[str]], Vectors]
ReadChunk = tuple[Document, Chunk, Sequence[Evidence]]
PLACES_SHOWN = 8


class MemoryReader:
    """Implements :class:`polyadic.storage.protocol.Reader` over chunks with their evidence, rows in the order given.

    ``windows`` gives the texts to embed for a chunk, ``tokens`` the number of tokens of a fact by identifier.
    """

    def __init__(
        self,
        read: Iterable[ReadChunk],
        embed: Embed,
        windows: Callable[[Document, Chunk], Sequence[str]] = lambda document, chunk: [
            f"{document.title}\n{chunk.text}"
        ],
        overlay: EntityResolution = NO_OVERLAY,
        tokens: Mapping[str, int] | None = None,
    ) -> None:
        self._read = list(read)
        self._embed, self._overlay, self._tokens = embed, overlay, tokens
        self._tallies = tally(((document.id, evidence) for document, _, evidence in self._read), overlay)
        self._ids: Mapping[Side, list[str]] = {
            "fact": sorted(self._tallies.facts),
            "entity": sorted(map(identity.entity_id, self._tallies.entities)),
            "chunk": [chunk.id for _, chunk, _ in self._read],
        }
        self._keys = sorted(self._tallies.entities, key=identity.entity_id)
        self._row_of_key = {key: row for row, key in enumerate(self._keys)}
        self._entities_of = [
            [self._row_of_key[key] for key, times in self._tallies.facts[fact].participants.items() if times]
            for fact in self._ids["fact"]
        ]
        self._facts_of: dict[int, list[int]] = defaultdict(list)
        for fact, entities in enumerate(self._entities_of):
            for entity in entities:
                self._facts_of[entity].append(fact)
        row_of_fact = {fact: row for row, fact in enumerate(self._ids["fact"])}
        self._stated: list[list[tuple[Span, int]]] = [
            [(s, row_of_fact[e.fact_id]) for e in evidence if e.fact_id for s in (e.spans or (chunk.span,))]
            for _, chunk, evidence in self._read
        ]
        self._topics = [self._topic(row) for row in range(len(self._read))]
        self._texts: Mapping[Side, list[Sequence[str]]] = {
            "fact": [[self._tallies.facts[fact].text] for fact in self._ids["fact"]],
            "entity": [self._values(key, Attribute.FORM)[:FORMS_EMBEDDED] for key in self._keys],
            "chunk": [windows(document, chunk) for document, chunk, _ in self._read],
        }
        self._vectors = {side: [embed(texts) for texts in by_row] for side, by_row in self._texts.items()}

    @property
    def records(self) -> RecordReader:
        raise NotImplementedError("this reader has no records")

    def hierarchy_reader(self) -> HierarchyReader:
        raise NotImplementedError("this store has no hierarchy")

    def prefetch(self, *expected: Expected) -> None:
        """All of it is here."""

    def texts(self) -> list[str]:
        """Return all texts that are embedded."""
        return [text for by_row in self._texts.values() for texts in by_row for text in texts]

    # vectors and words

    def nearest(self, side: Side, vector: Vectors, k: int, by_score: bool = False) -> Hits:
        rows = self.rows(side)
        scores = self.similarity(side, rows, vector[None, :])[0]
        if by_score and side != "chunk":
            scores = scores * self.scores(side, rows)
        return _best(scores, k)

    def similarity(self, side: Side, rows: Rows, vectors: Vectors) -> Vectors:
        best = [(vectors @ self._vectors[side][row].T).max(axis=1) for row in rows.tolist()]
        return np.array(best, dtype=np.float32).T.reshape(len(vectors), len(rows))

    def directions(self, side: Side, rows: Rows) -> Vectors:
        if not len(rows):
            return np.zeros((0, 0), np.float32)
        sums = np.array([self._vectors[side][row].sum(axis=0) for row in rows.tolist()], np.float32)
        return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True), np.float32)

    def main_vectors(self, entities: Rows) -> Vectors:
        return np.array([self._vectors["entity"][row][0] for row in entities.tolist()], np.float32)

    def search(self, words: str, k: int) -> Hits:
        scores = np.array([len(_words(words) & _words(chunk.text)) for _, chunk, _ in self._read], np.float32)
        best = np.lexsort((np.array(self._ids["chunk"]), -scores))[:k]
        rows = best[scores[best] > 0].astype(np.int64)
        return Hits(rows, scores[rows])

    def chunks_with_words(self, words: Sequence[str], limit: int) -> Links:
        texts = [_words(chunk.text) for _, chunk, _ in self._read]
        return _links(
            np.arange(len(words)), lambda place: [row for row, text in enumerate(texts) if words[place] in text][:limit]
        )

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        called = [self._called(key) for key in self._keys]
        found = {name: [row for row, names in enumerate(called) if name in names] for name in loose_names}
        return {name: rows for name, rows in found.items() if rows}

    # links and numbers

    def facts_of(self, entities: Rows, limit: int, toward: Vectors) -> Links:
        vectors = np.broadcast_to(toward, (len(entities), toward.shape[-1]))
        found = [self._nearest_facts(*one, limit) for one in zip(entities.tolist(), vectors, strict=True)]
        return Links(
            entities.repeat([len(facts) for facts in found]), np.array([fact for facts in found for fact in facts], int)
        )

    def links(self, way: LinkWay, rows: Rows, limit: int | None = None) -> Links:
        neighbours: Mapping[LinkWay, Callable[[int], Sequence[int]]] = {
            "fact_entities": lambda fact: self._entities_of[fact],
            "fact_chunks": lambda fact: [
                row for row, stated in enumerate(self._stated) if fact in {one for _, one in stated}
            ],
            "chunk_facts": lambda chunk: sorted({fact for _, fact in self._stated[chunk]}),
            "chunk_topic": lambda chunk: [self._topics[chunk]] if self._topics[chunk] >= 0 else [],
            "topic_chunks": lambda entity: sorted(
                (row for row, topic in enumerate(self._topics) if topic == entity), key=self._order
            ),
        }
        return _links(rows, lambda row: neighbours[way](row)[:limit])

    def containing(self, entities: Rows, limit: int) -> Rows:
        wanted = set(entities.tolist())
        facts = [row for row, members in enumerate(self._entities_of) if wanted and wanted <= set(members)]
        return np.array(facts[:limit], dtype=np.int64)

    def statements(self, chunk_ids: Sequence[str]) -> list[Statement]:
        stated = zip(self._read, self._stated, strict=True)
        return [Statement(one.id, *place) for (_, one, _), places in stated if one.id in chunk_ids for place in places]

    def rows(self, side: Side, prefix: str = "", limit: int | None = None) -> Rows:
        rows = [row for row, one in enumerate(self._ids[side]) if one.startswith(prefix.lower())]
        return np.array(rows[:limit], dtype=np.int64)

    def chunks_in(self, document_id: str) -> Rows:
        rows = [row for row, (document, _, _) in enumerate(self._read) if document.id == document_id]
        return np.array(sorted(rows, key=self._order), dtype=np.int64)

    def size(self, side: Side) -> int:
        return len(self._ids[side])

    def degrees(self, way: DegreeWay, rows: Rows) -> Rows:
        counts: Mapping[DegreeWay, Callable[[int], int]] = {
            "entity_facts": lambda entity: len(self._facts_of[entity]),
            "entity_chunks": lambda entity: self._tallies.entities[self._keys[entity]].chunks,
            "fact_entities": lambda fact: len(self._entities_of[fact]),
            "chunk_facts": lambda chunk: len({fact for _, fact in self._stated[chunk]}),
        }
        return np.array([counts[way](row) for row in rows.tolist()], dtype=np.int64)

    def scores(self, side: Literal["entity", "fact"], rows: Rows) -> Vectors:
        records: Sequence[Entity | Fact] = self.entities(rows) if side == "entity" else self.facts(rows)
        return np.array([one.score for one in records], dtype=np.float32)

    def tokens(self, side: Literal["fact", "chunk"], rows: Rows) -> Rows:
        records: Sequence[Fact | Chunk] = (
            self.facts(rows) if side == "fact" else [self._read[row][1] for row in rows.tolist()]
        )
        return np.array([one.tokens for one in records], dtype=np.int64)

    # records, in the order of the rows given

    def entities(self, rows: Rows) -> list[Entity]:
        return [self._entity(self._keys[row]) for row in rows.tolist()]

    def facts(self, rows: Rows) -> list[Fact]:
        return [self._fact(self._ids["fact"][row]) for row in rows.tolist()]

    def fact_places(self, facts: Rows) -> list[tuple[SourceSpan, ...]]:
        places: dict[int, list[SourceSpan]] = {fact: [] for fact in facts.tolist()}
        for row in sorted(range(len(self._read)), key=lambda row: (self._read[row][0].source, *self._order(row))):
            for span, fact in self._stated[row]:
                if fact in places and len(places[fact]) < PLACES_SHOWN:
                    places[fact].append(_place(self._read[row], span))
        return [tuple(places[fact]) for fact in facts.tolist()]

    def chunk_places(self, chunks: Rows) -> list[SourceSpan]:
        return [_place(self._read[row], self._read[row][1].span) for row in chunks.tolist()]

    # steps of the above

    def _values(self, key: str, attribute: Attribute) -> list[str]:
        """Return the values of an attribute of an entity, the most frequent first."""
        return list(self._tallies.entities[key].ranked(attribute))

    def _called(self, key: str) -> set[str]:
        names = (*self._values(key, Attribute.NAME), *filter(None, [self._overlay.name(key)]))
        return {loose for name in names for loose in identity.called(name)}

    def _entity(self, key: str) -> Entity:
        one = self._tallies.entities[key]
        name, type_, description = (
            next(iter(self._values(key, kind)), "") for kind in (Attribute.NAME, Attribute.TYPE, Attribute.DESCRIPTION)
        )
        facts = len(self._facts_of[self._row_of_key[key]])
        shown = self._overlay.name(key) or name
        return Entity(
            identity.entity_id(key), key, shown, type_, description, mean_score(one.score, one.evidence), facts
        )

    def _fact(self, fact: str) -> Fact:
        one = self._tallies.facts[fact]
        names = tuple(self._entity(key).name for key in sorted(key for key, times in one.participants.items() if times))
        tokens = len(one.text) // 4 + 1 if self._tokens is None else self._tokens[fact]
        return Fact(fact, one.text, mean_score(one.score, one.evidence), names, one.evidence, tokens)

    def _nearest_facts(self, entity: int, toward: Vectors, limit: int) -> list[int]:
        facts = self._facts_of[entity]
        if len(facts) <= limit:
            return facts
        hits = _best(self.similarity("fact", np.array(facts), toward[None, :])[0], limit)
        return [facts[place] for place in sorted(hits.rows.tolist())]

    def _topic(self, chunk: int) -> int:
        """Return the entity that the title of the chunk's document names; -1 if there is none."""
        document, _, _ = self._read[chunk]
        for title in (document.title, identity.without_qualifier(document.title)):
            row = self._row_of_key.get(self._overlay.key(identity.entity_key(title), document.id))
            if title and row is not None:
                return row
        return -1

    def _order(self, chunk: int) -> tuple[str, int]:
        document, one, _ = self._read[chunk]
        return document.id, one.span.start


def _words(text: str) -> set[str]:
    return set(identity.loose_name(searchable(text)).split())


def _best(scores: Vectors, k: int) -> Hits:
    rows = np.argsort(-scores, kind="stable")[:k].astype(np.int64)
    return Hits(rows, scores[rows])


def _place(read: ReadChunk, span: Span) -> SourceSpan:
    document, chunk, evidence = read
    return SourceSpan(
        document.id,
        document.source,
        document.title,
        chunk.id,
        span,
        document.text[span.start : span.end],
        page_of(document.pages, span.start),
        evidence[0].extractor if evidence else "",
        headings_above(headings(document.text), span.start, document.title),
    )


def _links(rows: Rows, of: Callable[[int], Sequence[int]]) -> Links:
    pairs = [(source, target) for source in rows.tolist() for target in of(source)]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Links(table[:, 0], table[:, 1])
