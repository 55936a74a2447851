"""Method ``hypergraph``: HyperGraphRAG (arXiv 2503.21322, section 4.2), with the paper's numbers as defaults.

K* = F*_V + F*_H + K_chunk: the facts of retrieved entities, the retrieved facts, the retrieved passages. K* is a set;
here facts are ordered by similarity x score, with passages in between. Everything else that is added to the equations
has a setting of its own, which the preset ``paper`` switches off (docs/paper-presets.md).
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from polyadic.config import HypergraphSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge
from polyadic.retrieval.entity_search import nearest_entities
from polyadic.retrieval.items import RetrievedRow, retrieved_rows, similar
from polyadic.retrieval.query_entity_extraction import QueryEntityFinder, embed_question_and_names
from polyadic.retrieval.token_budget import knowledge_of
from polyadic.retrieval.trace import Trace
from polyadic.storage.incidence import among, distinct
from polyadic.storage.protocol import Hits, NearestPrefetch, Reader, Rows, Vectors

_FACTS_BEFORE_A_CHUNK = 4
_FACTS_OF_A_CHUNK = 60
_FURTHER_FACTS = 200
_RANK_OFFSET = 60
_FURTHER_CHUNKS = 20
_BLOCK = 40


class HypergraphRAG:
    """HyperGraphRAG; the settings ``entity_retrieval``, ``fact_retrieval`` and ``chunk_retrieval`` allow ablations."""

    name = "hypergraph"

    def __init__(self, settings: HypergraphSettings, question_entities: QueryEntityFinder) -> None:
        self._settings = settings
        self._question_entities = question_entities

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        # h_q, and h_Vq = f(V_q joined by commas)
        named, (h_q, h_vq) = await embed_question_and_names(
            question, self._question_entities, reader, embedder, trace, joined=True
        )
        self._expect(h_q, reader)
        entities = self._entities(h_vq if named.names or self._settings.fallback else None, reader, trace)
        matching = self._matching(question, reader, trace)
        facts, gathered = self._facts(h_q, entities.rows, matching, reader, trace)
        chunks = self._chunks(h_q, matching, reader, trace)
        s = self._settings
        room = context_tokens - sum(retrieved.tokens for retrieved in (*facts, *chunks))
        if s.fill and s.fact_retrieval and room > 0:
            facts += _further_facts(h_q, gathered, room, s.passage_discount, reader, trace)
        searches = s.entity_retrieval or s.fact_retrieval or s.chunk_retrieval
        mixed = _mixed(facts, chunks)
        fitted = knowledge_of(question, self.name, mixed, context_tokens, trace, reader, as_listed=s.repeat_facts)
        return replace(fitted, usage=named.usage, retrieves=searches)

    def _expect(self, h_q: Vectors, reader: Reader) -> None:
        """Prefetch what is nearest to the question, concurrently with the search for entities."""
        s = self._settings
        if s.fact_retrieval:
            reader.prefetch(NearestPrefetch("fact", h_q, s.facts, scored=True))
        if s.chunk_retrieval:
            reader.prefetch(NearestPrefetch("chunk", h_q, self._chunks_sought))

    @property
    def _chunks_sought(self) -> int:
        s = self._settings
        return max(s.chunks, _FURTHER_CHUNKS) if s.fill else s.chunks

    def _entities(self, h_vq: Vectors | None, reader: Reader, trace: Trace) -> Hits:
        """R_V(q), Eq. 14; no entities if V_q is empty (``h_vq`` is None)."""
        s = self._settings
        if not s.entity_retrieval:
            return _nothing("entities", "switched off", trace)
        if h_vq is None:
            return _nothing("entities", "the question names none", trace)
        near = nearest_entities(h_vq, s.entities, reader, s.one_vector_per_entity, by_score=True)
        hits, detail = _above(near, s.entity_threshold, s.fallback)
        trace.done("entities", detail)
        return hits

    def _matching(self, question: str, reader: Reader, trace: Trace) -> Rows:
        """Return the passages that best match the words of the question (BM25), best first."""
        s = self._settings
        if not (s.words and s.chunk_retrieval):
            return np.zeros(0, dtype=np.int64)
        rows = reader.search(question, self._chunks_sought).rows
        trace.done("search", f"{len(rows)} passages by their words")
        return rows

    def _facts(
        self, h_q: Vectors, entities: Rows, matching: Rows, reader: Reader, trace: Trace
    ) -> tuple[list[RetrievedRow], Rows]:
        """K_H = F*_V + F*_H, Eq. 16 to 18, and facts of the first matching passages; the best, and rows of all."""
        retrieved = self._retrieved_facts(h_q, reader, trace)
        s = self._settings
        links = reader.facts_of(entities, s.facts_per_entity or max(1, reader.size("fact")), h_q)
        first_matching = matching[: s.chunks if s.fact_retrieval else 0]
        stated = reader.links("chunk_facts", first_matching, _FACTS_OF_A_CHUNK).targets
        facts = distinct(retrieved.rows, links.targets, stated)
        similarity = reader.similarity("fact", facts, h_q[None, :])[0]
        products = similarity * reader.scores("fact", facts)
        best = _discounted_order(facts, products, s.passage_discount, reader)[: s.max_facts or None]
        through = _first_names(facts[best], links.targets, links.sources, entities, reader)
        whys = _whys(facts[best], similarity[best], retrieved.rows, through)
        first = retrieved_rows("fact", facts[best], products[best], whys, reader)
        further = f"{len(facts)} facts, {len(facts) - len(retrieved.rows)} of them only by entities and passages"
        trace.done("expand", further + (f"; the first {len(first)} are kept" if len(first) < len(facts) else ""))
        return first, facts

    def _retrieved_facts(self, h_q: Vectors, reader: Reader, trace: Trace) -> Hits:
        """R_H(q), Eq. 15."""
        s = self._settings
        if not s.fact_retrieval:
            return _nothing("facts", "switched off", trace)
        hits, detail = _above(reader.nearest("fact", h_q, s.facts, by_score=True), s.fact_threshold, s.fallback)
        trace.done("facts", detail)
        return hits

    def _chunks(self, h_q: Vectors, matching: Rows, reader: Reader, trace: Trace) -> list[RetrievedRow]:
        """K_chunk, Eq. 20; fused with matching passages by reciprocal ranks (Cormack et al., SIGIR 2009)."""
        s = self._settings
        if not s.chunk_retrieval:
            _nothing("passages", "switched off", trace)
            return []
        near = reader.nearest("chunk", h_q, self._chunks_sought)
        hits, detail = _above(Hits(near.rows[: s.chunks], near.scores[: s.chunks]), s.chunk_threshold, s.fallback)
        hits = near if s.fill else hits
        whys = dict(zip(hits.rows.tolist(), similar(hits.scores.tolist()), strict=True))
        if len(matching):
            hits = _by_ranks(hits.rows, matching if s.fill else matching[: s.chunks])
        why = [whys.get(row, "matches words of the question") for row in hits.rows.tolist()]
        chunks = retrieved_rows("chunk", hits.rows, hits.scores, why, reader)
        trace.done("passages", detail + (f", {len(chunks)} where there is room" if s.fill else ""))
        return chunks


def _by_ranks(*rankings: Rows) -> Hits:
    """Fuse rankings by the sum of reciprocal ranks, relative to the highest possible sum; ties keep their order.

    >>> _by_ranks(np.array([7, 8]), np.array([8])).rows.tolist()
    [8, 7]
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, row in enumerate(ranking.tolist(), 1):
            scores[row] = scores.get(row, 0.0) + (_RANK_OFFSET + 1) / (_RANK_OFFSET + rank) / len(rankings)
    best = sorted(scores, key=lambda row: -scores[row])
    return Hits(np.array(best, dtype=np.int64), np.array([scores[row] for row in best], dtype=np.float32))


def _above(hits: Hits, threshold: float, fallback: int) -> tuple[Hits, str]:
    """Return the hits above a threshold, or the first ``fallback`` if there are none; also describe the result."""
    passed: NDArray[np.bool_] = hits.scores > threshold
    if passed.any() or not len(hits.rows) or not fallback:
        return Hits(hits.rows[passed], hits.scores[passed]), f"{int(passed.sum())} above {threshold:g}"
    first = Hits(hits.rows[:fallback], hits.scores[:fallback])
    return first, f"none above {threshold:g}, so the first {len(first.rows)}"


def _further_facts(
    h_q: Vectors, but: Rows, room: int, discount: float, reader: Reader, trace: Trace
) -> list[RetrievedRow]:
    """Return the next facts by similarity x score that may fit."""
    near = reader.nearest("fact", h_q, _FURTHER_FACTS + len(but), by_score=True)
    new = ~among(near.rows, but)
    rows, products = near.rows[new][:_FURTHER_FACTS], near.scores[new][:_FURTHER_FACTS]
    order, facts = _discounted_order(rows, products, discount, reader), list[RetrievedRow]()
    for start in range(0, len(order), _BLOCK):
        if sum(fact.tokens for fact in facts) >= room:
            break
        chosen = order[start : start + _BLOCK]
        similarity = reader.similarity("fact", rows[chosen], h_q[None, :])[0]
        facts += retrieved_rows("fact", rows[chosen], products[chosen], similar(similarity.tolist()), reader)
    trace.done("fill", f"{len(facts)} further facts")
    return facts


def _nothing(what: str, why: str, trace: Trace) -> Hits:
    trace.done(what, why)
    return Hits(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))


def _mixed(facts: list[RetrievedRow], chunks: list[RetrievedRow]) -> list[RetrievedRow]:
    """Insert a passage after every few facts, so that neither crowds the other out of the budget."""
    heads = [facts[i : i + _FACTS_BEFORE_A_CHUNK] for i in range(0, len(facts), _FACTS_BEFORE_A_CHUNK)]
    mixed = [row for head, chunk in zip_longest(heads, chunks) for row in (*(head or ()), chunk)]
    return [row for row in mixed if row is not None]


def _whys(facts: Rows, similarity: Vectors, retrieved: Rows, through: Mapping[int, str]) -> list[str]:
    """Explain each fact: by its similarity, by a retrieved entity, or by the passage that states it."""
    whys = {row: f"about {name}" for row, name in through.items()}
    of_retrieved = zip(facts.tolist(), similar(similarity.tolist()), among(facts, retrieved).tolist(), strict=True)
    whys |= {row: why for row, why, is_retrieved in of_retrieved if is_retrieved}
    return [whys.get(row, "stated by a passage with words of the question") for row in facts.tolist()]


def _first_names(facts: Rows, targets: Rows, sources: Rows, entities: Rows, reader: Reader) -> dict[int, str]:
    """Return for each fact the name of the best retrieved entity that led to it."""
    rank = {entity: i for i, entity in enumerate(entities.tolist())}
    wanted = among(targets, facts)
    best: dict[int, int] = {}
    for fact, entity in zip(targets[wanted].tolist(), sources[wanted].tolist(), strict=True):
        if rank[entity] < rank.get(best.get(fact, -1), len(rank)):
            best[fact] = entity
    rows = np.array(sorted(set(best.values())), dtype=np.int64)
    named = {row: entity.name for row, entity in zip(rows.tolist(), reader.entities(rows), strict=True)}
    return {fact: named[entity] for fact, entity in best.items()}


def _discounted_order(facts: Rows, scores: Vectors, discount: float, reader: Reader) -> NDArray[np.intp]:
    """Order facts by score, multiplied by ``discount`` for each better fact of the same passage.

    A passage's next fact partly repeats the one before, and tokens are scarce. With a discount of 1, the order is that
    of the scores.
    """
    order = np.argsort(-scores, kind="stable")
    if discount == 1:
        return order
    passages = reader.links("fact_chunks", facts[order], 1).targets
    discounted = np.maximum(scores[order], 0).astype(np.float64) * discount ** _times_before(passages)
    return order[np.argsort(-discounted, kind="stable")]


def _times_before(values: Rows) -> Rows:
    """Return how often each value has occurred before its position.

    >>> _times_before(np.array([5, 4, 5, 5])).tolist()
    [0, 0, 1, 2]
    """
    together = np.argsort(values, kind="stable")
    ordered = values[together]
    times = np.empty(len(values), dtype=np.int64)
    times[together] = np.arange(len(values)) - ordered.searchsorted(ordered)
    return times
