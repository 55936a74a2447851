"""From rows of a store to items of knowledge."""

from collections.abc import Iterable, Sequence

from polyadic.knowledge import Item, Kind
from polyadic.store.protocol import Reader, Rows, Vectors


def fact_items(facts: Rows, scores: Vectors, whys: Sequence[str], reader: Reader) -> list[Item]:
    """An item for each fact, in the order given."""
    found = zip(reader.facts(facts), reader.fact_places(facts), scores.tolist(), whys, strict=True)
    return [
        Item(Kind.FACT, fact.id, fact.text, score, why, fact.tokens, places, fact.entities)
        for fact, places, score, why in found
    ]


def chunk_items(chunks: Rows, scores: Vectors, whys: Sequence[str], reader: Reader) -> list[Item]:
    """An item for each chunk, in the order given."""
    found = zip(reader.chunks(chunks), reader.chunk_places(chunks), scores.tolist(), whys, strict=True)
    return [
        Item(Kind.CHUNK, chunk.id, chunk.text, score, why, chunk.tokens, (place,)) for chunk, place, score, why in found
    ]


def similar(scores: Iterable[float]) -> list[str]:
    """Why something is there that resembles the question."""
    return [f"similar to the question ({score:.2f})" for score in scores]
