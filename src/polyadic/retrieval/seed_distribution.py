"""Seeds of the walk: entities that the question names, the nearest facts and passages, and the best by BM25."""

from dataclasses import dataclass

import numpy as np

from polyadic.retrieval.alias_expansion import expand_aliases
from polyadic.retrieval.edge_weights import completeness
from polyadic.retrieval.entity_linking import AnalyzedQuestion
from polyadic.retrieval.named_sections import passages_of_named_sections
from polyadic.retrieval.personalized_pagerank import PPRScores
from polyadic.retrieval.similarity_hits import targets_by_source
from polyadic.retrieval.subgraph import CHUNKS_OF_A_FACT, Subgraph, position
from polyadic.storage.incidence import among, distinct
from polyadic.storage.protocol import (
    ChunkFactsPrefetch,
    Hits,
    Links,
    NearestPrefetch,
    NeighbourPrefetch,
    Reader,
    Rows,
    Vectors,
)

ANCHOR_WEIGHT, FACT_WEIGHT, CHUNK_WEIGHT, LEXICAL_WEIGHT = 1.0, 1.0, 0.1, 0.1
SEED_FACTS, SEED_CHUNKS = 3, 10
SHARPNESS = 4
NAMING_WEIGHT = 0.2
# Weight of a term relative to a name of the same rarity, and of all terms in a question without names: a term only
# gives the kind of the answer, and many things are of a kind.
TERM_WEIGHT, TERMS_ALONE = 0.2, 0.5
NEAREST_FACTS, NEAREST_CHUNKS, LEXICAL_CHUNKS = 60, 20, 20
_FACTS_OF_AN_ANCHOR = 100
_CHUNKS_ABOUT_AN_ANCHOR = 3
# More facts than any passage has, except one of bare lines.
_FACTS_IN_A_CHUNK = 200


@dataclass(frozen=True, slots=True)
class Seeds:
    """Entry points of a question: its anchors, their equivalents, the nearest facts and chunks.

    ``weights`` has the weight of each anchor: rarer entities count more, names more than terms. ``lexical_chunks`` are
    the best by BM25; ``section_chunks`` are those of the sections that it names by number.

    ``facts`` and ``chunks`` are the distinct rows of the neighbourhood, over which the walk runs.
    """

    anchors: Rows
    weights: Vectors
    aliases: Links
    nearest_facts: Hits
    nearest_chunks: Hits
    lexical_chunks: Hits
    section_chunks: Rows
    facts: Rows
    chunks: Rows


def find_start(question: AnalyzedQuestion, vector: Vectors, reader: Reader) -> Seeds:
    """Gather the neighbourhood of a question; its size is bounded, independent of the size of the store and of hubs."""
    reader.prefetch(NearestPrefetch("fact", vector, NEAREST_FACTS), NearestPrefetch("chunk", vector, NEAREST_CHUNKS))
    same = expand_aliases(question.anchors, reader)
    near_chunks = reader.nearest("chunk", vector, NEAREST_CHUNKS)
    near_facts = reader.nearest("fact", vector, NEAREST_FACTS)
    about = reader.links("topic_chunks", distinct(question.anchors, same.targets), _CHUNKS_ABOUT_AN_ANCHOR).targets
    lexical = reader.search(question.text, LEXICAL_CHUNKS)
    of_sections = passages_of_named_sections(question.text, lexical.rows, reader)
    chunks = distinct(near_chunks.rows, lexical.rows, about, of_sections)
    reader.prefetch(ChunkFactsPrefetch(chunks, _FACTS_IN_A_CHUNK))
    of_anchors = reader.facts_of(question.anchors, _FACTS_OF_AN_ANCHOR, vector).targets
    facts = distinct(near_facts.rows, of_anchors, reader.links("chunk_facts", chunks, _FACTS_IN_A_CHUNK).targets)
    reader.prefetch(NeighbourPrefetch(facts, CHUNKS_OF_A_FACT, chunks))
    weights = _weights(question, reader)
    ranked_facts = _ranked(near_facts, question, weights, reader)
    return Seeds(question.anchors, weights, same, ranked_facts, near_chunks, lexical, of_sections, facts, chunks)


def seed(start: Seeds, graph: Subgraph, reader: Reader) -> PPRScores:
    """Return the reset distribution: anchors by weight, and a few facts and chunks by similarity."""
    facts, entities, chunks = (np.zeros(size, dtype=np.float32) for size in graph.sizes)
    held = among(start.anchors, graph.entities)
    entities[position(start.anchors[held], graph.entities)] = _shares(start.weights[held]) * start.weights.sum()
    near = start.nearest_chunks.rows[:SEED_CHUNKS]
    chunks[position(near, graph.chunks)] = CHUNK_WEIGHT * _sharpened(start.nearest_chunks.scores[:SEED_CHUNKS])
    lexical = start.lexical_chunks
    chunks[position(lexical.rows[:SEED_CHUNKS], graph.chunks)] += LEXICAL_WEIGHT * _shares(lexical.scores[:SEED_CHUNKS])
    stated, bare = _statements(start, reader)
    facts[position(stated.rows, graph.facts)] = FACT_WEIGHT * stated.scores
    chunks[position(bare.rows, graph.chunks)] += FACT_WEIGHT * bare.scores
    return PPRScores(facts, entities, chunks)


def _statements(start: Seeds, reader: Reader) -> tuple[Hits, Hits]:
    """Return the seed facts, and the seed passages without facts, with their shares."""
    factless = reader.degrees("chunk_facts", start.nearest_chunks.rows) == 0
    rows = np.concatenate([start.nearest_facts.rows, start.nearest_chunks.rows[factless]])
    scores = np.concatenate([start.nearest_facts.scores, start.nearest_chunks.scores[factless]])
    best = np.argsort(-scores, kind="stable")[:SEED_FACTS]
    shares, is_fact = _sharpened(scores[best]), best < len(start.nearest_facts.rows)
    stated, bare = best[is_fact], best[~is_fact]
    return Hits(rows[stated], shares[is_fact]), Hits(rows[bare], shares[~is_fact])


def _ranked(hits: Hits, question: AnalyzedQuestion, weights: Vectors, reader: Reader) -> Hits:
    """Rank facts by similarity x completeness, with a bonus for facts that contain names of the question.

    Vectors blur names: a similar fact may be about another player who was born in another town.
    """
    named = 1.0 + NAMING_WEIGHT * _share_named(hits.rows, question, weights, reader)
    worth = np.asarray(hits.scores * completeness(hits.rows, reader) * named, dtype=np.float32)
    order = np.argsort(-worth, kind="stable")
    return Hits(hits.rows[order], worth[order])


def _share_named(facts: Rows, question: AnalyzedQuestion, weights: Vectors, reader: Reader) -> Vectors:
    """Return the weighted share of the question's anchors in each fact; homonyms count as one name."""
    of_mentions = np.zeros(len(question.mentions), dtype=np.float32)
    np.maximum.at(of_mentions, question.groups, weights)
    shares = _shares(of_mentions) * weights.sum()
    group_of = dict(zip(question.anchors.tolist(), question.groups.tolist(), strict=True))
    links = reader.links("fact_entities", facts)
    named = among(links.targets, question.anchors)
    entities = targets_by_source(Links(links.sources[named], links.targets[named]))
    place = {fact: i for i, fact in enumerate(facts.tolist())}
    held = np.zeros(len(facts), dtype=np.float32)
    for fact, members in entities.items():
        held[place[fact]] = shares[list({group_of[entity] for entity in members})].sum()
    return held


def _weights(question: AnalyzedQuestion, reader: Reader) -> Vectors:
    """Return the weight of each anchor; they sum to 1, or to less if the question has no names."""
    rarity = 1.0 / np.sqrt(np.maximum(reader.degrees("entity_chunks", question.anchors), 1))
    sort = np.where(among(question.anchors, question.names), 1.0, TERM_WEIGHT)
    together = ANCHOR_WEIGHT if len(question.names) else TERMS_ALONE
    return np.asarray(together * _shares(np.asarray(rarity * sort, dtype=np.float32)), dtype=np.float32)


def _sharpened(similarities: Vectors) -> Vectors:
    return _shares(np.maximum(similarities, 0.0) ** SHARPNESS)


def _shares(weights: Vectors) -> Vectors:
    total = weights.sum()
    return np.asarray(weights / total if total > 0 else weights, dtype=np.float32)
