"""Clique expansion: facts as pairs of entities, for methods that work on ordinary graphs, and pairs as items.

A fact of n entities becomes n(n-1)/2 pairs, each with the fact's sentence as its description. This loses which pairs
belong together: {a, b, c} gives the same pairs as {a, b}, {a, c}, {b, c} (HyperGraphRAG, Proposition 1). Pairs are
created while a question is answered, and not stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from polyadic.model.types import Entity, Fact, Item, ItemKind
from polyadic.retrieval.similarity_hits import targets_by_source
from polyadic.storage.protocol import Reader, Rows, Vectors
from polyadic.text.tokens import count_tokens

ENTITIES_OF_A_FACT = 32
"""In a larger fact, the entities with the highest scores are paired: 300 names would give 45,000 pairs."""
FACTS_OF_A_PAIR = 3
"""Maximum number of facts per pair: those most similar to the question."""


_COLUMNS = ("facts", "firsts", "seconds")

_DIGITS = 12


@dataclass(frozen=True, slots=True)
class PairwiseEdges:
    """``facts[i]`` joins ``firsts[i]`` with ``seconds[i]``: rows of the store, the smaller entity first."""

    facts: Rows
    firsts: Rows
    seconds: Rows

    def at(self, places: NDArray[np.int64] | NDArray[np.bool_]) -> "PairwiseEdges":
        return PairwiseEdges(self.facts[places], self.firsts[places], self.seconds[places])

    def __len__(self) -> int:
        return len(self.facts)

    @staticmethod
    def joined(parts: Sequence["PairwiseEdges"]) -> "PairwiseEdges":
        return PairwiseEdges(*(np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS))

    @property
    def ends(self) -> list[tuple[int, int]]:
        return list(zip(self.firsts.tolist(), self.seconds.tolist(), strict=True))


def expand_cliques(facts: Rows, reader: Reader) -> PairwiseEdges:
    """Return the pairs of each fact, in the order of the facts."""
    order = {fact: i for i, fact in enumerate(dict.fromkeys(facts.tolist()))}
    members: dict[int, list[list[int]]] = {}
    for fact, entities in _participants(np.array(list(order), dtype=np.int64), reader).items():
        members.setdefault(len(entities), []).append([fact, *entities])
    parts = [np.zeros((0, 3), dtype=np.int64)]
    for size, rows in members.items():
        table = np.array(rows, dtype=np.int64)
        first, second = np.triu_indices(size, 1)
        of = np.repeat(table[:, 0], len(first))
        parts.append(np.stack([of, table[:, first + 1].ravel(), table[:, second + 1].ravel()], axis=1))
    table = np.concatenate(parts)
    table = table[np.argsort([order[fact] for fact in table[:, 0].tolist()], kind="stable")]
    return PairwiseEdges(table[:, 0], table[:, 1], table[:, 2])


def _participants(facts: Rows, reader: Reader) -> dict[int, list[int]]:
    """Return the entities of each fact, by row."""
    entities_by_fact = targets_by_source(reader.links("fact_entities", facts))
    return {fact: _foremost(entities, reader) for fact, entities in entities_by_fact.items()}


def _foremost(entities: list[int], reader: Reader) -> list[int]:
    if len(entities) <= ENTITIES_OF_A_FACT:
        return sorted(entities)
    scores = reader.scores("entity", np.array(entities, dtype=np.int64))
    return sorted(entities[i] for i in np.argsort(-scores, kind="stable")[:ENTITIES_OF_A_FACT])


def gathered(pairs: PairwiseEdges, ends: list[tuple[int, int]], similarity: Vectors) -> NDArray[np.int64]:
    """Return positions in ``pairs`` of the facts about each pair of ends, in the order of ``ends``.

    Parameters
    ----------
    pairs
        The pairs to search.
    ends
        Pairs of entities.
    similarity
        Similarity of the fact of each pair to the question, shape (pairs,); the most similar facts come first.
    """
    positions: dict[tuple[int, int], list[int]] = {}
    for place, end in enumerate(pairs.ends):
        positions.setdefault(end, []).append(place)
    chosen = [sorted(positions[end], key=lambda place: -similarity[place])[:FACTS_OF_A_PAIR] for end in ends]
    return np.array([place for places in chosen for place in places], dtype=np.int64)


def pair_items(
    pairs: PairwiseEdges, scores: Vectors, whys: Sequence[str], reader: Reader, sentences: bool = True
) -> list[Item]:
    """Return an item for each pair, in order: "Ada — Byron: Ada was a daughter of Byron.", or without the sentence.

    The item has the evidence of its fact, and its identifier begins with the fact's. Without sentences, pairs of the
    same entities are merged into one item with the evidence of all.
    """
    rows, entities = np.unique(pairs.facts), np.unique(np.concatenate([pairs.firsts, pairs.seconds]))
    facts = dict(zip(rows.tolist(), reader.facts(rows), strict=True))
    places = dict(zip(rows.tolist(), reader.fact_places(rows), strict=True))
    known = dict(zip(entities.tolist(), reader.entities(entities), strict=True))
    items: dict[tuple[int, ...], Item] = {}
    for row, ends, score, why in zip(pairs.facts.tolist(), pairs.ends, scores.tolist(), whys, strict=True):
        key = (*ends, row) if sentences else ends
        if key not in items:
            items[key] = _item(facts[row], [known[end] for end in ends], score, why, sentences)
        elif sentences:
            continue
        items[key] = replace(items[key], places=tuple(dict.fromkeys((*items[key].places, *places[row]))))
    counts = count_tokens([item.text for item in items.values()])
    return [replace(item, tokens=tokens) for item, tokens in zip(items.values(), counts, strict=True)]


def _item(fact: Fact, ends: Sequence[Entity], score: float, why: str, sentences: bool) -> Item:
    names = tuple(sorted(entity.name for entity in ends))
    text = pair_text(names, fact.text if sentences else "")
    identifier = ":".join([fact.id, *sorted(entity.id[:_DIGITS] for entity in ends)])
    return Item(ItemKind.FACT, identifier, text, score, why, 0, (), names)


def pair_text(names: Sequence[str], sentence: str = "") -> str:
    """Format a pair, with its sentence if given.

    >>> pair_text(["Ada", "Byron"], "Ada was a daughter of Byron.")
    'Ada — Byron: Ada was a daughter of Byron.'
    """
    return " — ".join(names) + (f": {sentence}" if sentence else "")
