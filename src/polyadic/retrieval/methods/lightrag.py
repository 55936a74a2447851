"""Method ``lightrag``: LightRAG (arXiv 2410.05779, section 3.2) in its hybrid mode, over facts expanded into pairs.

Local: the entities nearest to the low-level keywords, with all their relations by degree, then by weight. Global: the
relations nearest to the high-level keywords. Both are interleaved, followed by the passages that state them, each
within its share of the tokens. A relation is a pair of entities with the sentence of its fact (optionally without it),
so the method answers from the same facts as every other method. Differences from the paper and its code:

- Keywords: the names in the question, and the question itself, replace those of a language model.
- A relation has the vector of its fact, which is nearly what LightRAG embeds (its names and its description). Among the
  pairs of one fact, those with entities nearer to the question come first.
- Several facts about a pair stay separate, so that each can be cited; LightRAG joins them. Three at most are shown.
- The degree of an entity is the number of its facts; the weight of a pair is the sum of the scores of its facts. For a
  hub only the facts nearest to the question are used.
- Descriptions of entities are not shown, because they have no single source. Relations and passages get their share.
"""

from dataclasses import replace
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from polyadic.config import LightRAGSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Item, Knowledge
from polyadic.retrieval.clique_expansion import PairwiseEdges, expand_cliques, gathered, pair_items
from polyadic.retrieval.items import chunk_items, similar
from polyadic.retrieval.query_entity_extraction import QueryEntityFinder, embed_question_and_names
from polyadic.retrieval.similarity_hits import above, alike_to, targets_by_source
from polyadic.retrieval.token_budget import knowledge, truncate_to_budget
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Links, Reader, Rows, Vectors

_FACTS_OF_AN_ENTITY = 60
_MOST_RELATIONS, _MOST_CHUNKS = 300, 40
_CHUNKS_OF_A_FACT = 5


class LightRAG:
    """Retrieve relations by low- and high-level keywords, with the passages that state them."""

    name = "lightrag"

    def __init__(self, settings: LightRAGSettings, question_entities: QueryEntityFinder) -> None:
        self._settings = settings
        self._question_entities = question_entities

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        named, (high, low) = await embed_question_and_names(
            question, self._question_entities, reader, embedder, trace, joined=True
        )
        near = above(self._settings.threshold, reader.nearest("entity", low, self._settings.entities)).rows
        known = reader.facts_of(near, _FACTS_OF_AN_ENTITY, high)
        local, distant = self._local(near, known, high, reader), self._global(high, reader)
        trace.done("relations", f"{len(local)} of {len(near)} near entities, {len(distant)} near the question")
        about, stating = _chunks_of_entities(near, known, reader), _chunks_of_facts(distant.facts, reader)
        passages = _passages(about, stating, high, reader)
        trace.done("passages", f"{len(passages)} that state these relations")
        turns = _in_turn(len(local), len(distant))
        relations = PairwiseEdges.joined([local, distant]).at(turns)
        similarity = alike_to(high, "fact", relations.facts, reader)
        why = [*_about(near, local, reader), *similar(alike_to(high, "fact", distant.facts, reader).tolist())]
        whys = [why[turn] for turn in turns.tolist()]
        shown = pair_items(relations, similarity, whys, reader, self._settings.sentences)
        trace.done("tell", f"{len(shown)} relations")
        items = _combined(shown, passages, round(self._settings.relation_share * context_tokens))
        return replace(knowledge(question, self.name, items, context_tokens, trace), usage=named.usage)

    def _local(self, near: Rows, known: Links, high: Vectors, reader: Reader) -> PairwiseEdges:
        """Return all relations of the entities nearest to the low-level keywords: by degree, then by weight."""
        pairs = expand_cliques(np.unique(known.targets), reader)
        pairs = pairs.at(np.isin(pairs.firsts, near) | np.isin(pairs.seconds, near))
        degrees = reader.degrees("entity_facts", pairs.firsts) + reader.degrees("entity_facts", pairs.seconds)
        worth: dict[tuple[int, int], tuple[int, float]] = {}
        scores = reader.scores("fact", pairs.facts).tolist()
        for ends, degree, score in zip(pairs.ends, degrees.tolist(), scores, strict=True):
            worth[ends] = (degree, worth.get(ends, (0, 0.0))[1] + score)
        best = sorted(worth, key=lambda ends: worth[ends], reverse=True)[:_MOST_RELATIONS]
        return pairs.at(gathered(pairs, best, alike_to(high, "fact", pairs.facts, reader)))

    def _global(self, high: Vectors, reader: Reader) -> PairwiseEdges:
        """Return the relations nearest to the high-level keywords."""
        facts = above(self._settings.threshold, reader.nearest("fact", high, self._settings.relations)).rows
        pairs = expand_cliques(facts, reader)
        first, second = (alike_to(high, "entity", ends, reader) for ends in (pairs.firsts, pairs.seconds))
        order = np.lexsort((-(first + second), -alike_to(high, "fact", pairs.facts, reader)))
        return pairs.at(order[: self._settings.relations])


def _in_turn(first: int, second: int) -> NDArray[np.int64]:
    """Return the positions of two joined lists, interleaved, then the rest of the longer list."""
    return np.argsort(np.concatenate([np.arange(first), np.arange(second)]), kind="stable")


def _about(near: Rows, relations: PairwiseEdges, reader: Reader) -> list[str]:
    """Explain each relation by the nearer of its retrieved entities."""
    names = {row: entity.name for row, entity in zip(near.tolist(), reader.entities(near), strict=True)}
    rank = {row: i for i, row in enumerate(names)}
    return [f"about {names[min(ends, key=lambda end: rank.get(end, len(rank)))]}" for ends in relations.ends]


def _chunks_of_entities(near: Rows, known: Links, reader: Reader) -> list[int]:
    """Return the passages about entities, in order of the entities, then by the number of their pairs stated."""
    rank = {entity: i for i, entity in enumerate(near.tolist())}
    facts = np.unique(known.targets)
    arity = dict(zip(facts.tolist(), reader.degrees("fact_entities", facts).tolist(), strict=True))
    stating = targets_by_source(reader.links("fact_chunks", facts, _CHUNKS_OF_A_FACT))
    counts: dict[tuple[int, int], int] = {}
    for entity, fact in zip(known.sources.tolist(), known.targets.tolist(), strict=True):
        for chunk in stating[fact]:
            counts[rank[entity], chunk] = counts.get((rank[entity], chunk), 0) + arity[fact] - 1
    return [chunk for _, chunk in sorted(counts, key=lambda key: (key[0], -counts[key], key[1]))]


def _chunks_of_facts(facts: Rows, reader: Reader) -> list[int]:
    """Return the passages that state facts, in order of the facts."""
    ordered = np.array(list(dict.fromkeys(facts.tolist())), dtype=np.int64)
    return list(dict.fromkeys(reader.links("fact_chunks", ordered, _CHUNKS_OF_A_FACT).targets.tolist()))


def _passages(local: list[int], distant: list[int], high: Vectors, reader: Reader) -> list[Item]:
    """Interleave both lists of passages."""
    turns = dict.fromkeys(chunk for pair in zip_longest(local, distant) for chunk in pair if chunk is not None)
    chunks = np.array(list(turns)[:_MOST_CHUNKS], dtype=np.int64)
    scores = reader.similarity("chunk", chunks, high[None, :])[0]
    return chunk_items(chunks, scores, ["states retrieved relations"] * len(chunks), reader)


def _combined(relations: list[Item], passages: list[Item], tokens: int) -> list[Item]:
    """Return the relations that fit into their share, then the passages; further relations fill the remaining room."""
    first, _ = truncate_to_budget(relations, tokens)
    return [*first, *passages, *relations]
