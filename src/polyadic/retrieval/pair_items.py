"""Convert pairs of entities to items of knowledge."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from polyadic.model.types import Entity, Fact, Item, ItemKind
from polyadic.retrieval.clique_expansion import PairwiseEdges
from polyadic.storage.protocol import Reader, Vectors
from polyadic.text.tokens import count_tokens

_DIGITS = 12


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
