"""From rows of a store to items of knowledge."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from polyadic.model.types import Item, ItemKind
from polyadic.storage.protocol import QuotePrefetch, Reader, Rows, Vectors


@dataclass(frozen=True, slots=True)
class RetrievedRow:
    """A fact or a chunk that was found, before what it says and where it stands are fetched.

    Only what fits into a budget of tokens needs to be.
    """

    kind: ItemKind
    row: int
    tokens: int
    score: float
    why: str

    @property
    def id(self) -> int:
        return self.row


def retrieved_rows(
    side: Literal["fact", "chunk"], rows: Rows, scores: Vectors, whys: Sequence[str], reader: Reader
) -> list[RetrievedRow]:
    """These rows, in the order given."""
    kind, tokens = ItemKind(side), reader.tokens(side, rows).tolist()
    given = zip(rows.tolist(), tokens, scores.tolist(), whys, strict=True)
    return [RetrievedRow(kind, row, count, score, why) for row, count, score, why in given]


def to_items(wanted: Sequence[RetrievedRow], reader: Reader) -> list[Item]:
    """The items of what was found, in the order given; all facts are fetched at once, and all chunks."""
    facts, chunks = ([one for one in wanted if one.kind is kind] for kind in (ItemKind.FACT, ItemKind.CHUNK))
    reader.expect(QuotePrefetch(_rows(facts), _rows(chunks)))
    items = iter(_fact_items(facts, reader)), iter(_chunk_items(chunks, reader))
    return [next(items[one.kind is ItemKind.CHUNK]) for one in wanted]


def fact_items(facts: Rows, scores: Vectors, whys: Sequence[str], reader: Reader) -> list[Item]:
    """An item for each fact, in the order given."""
    return to_items(retrieved_rows("fact", facts, scores, whys, reader), reader)


def chunk_items(chunks: Rows, scores: Vectors, whys: Sequence[str], reader: Reader) -> list[Item]:
    """An item for each chunk, in the order given."""
    return to_items(retrieved_rows("chunk", chunks, scores, whys, reader), reader)


def similar(scores: Iterable[float]) -> list[str]:
    """Why something is there that resembles the question."""
    return [f"similar to the question ({score:.2f})" for score in scores]


def _fact_items(facts: Sequence[RetrievedRow], reader: Reader) -> list[Item]:
    rows = _rows(facts)
    return [
        Item(ItemKind.FACT, fact.id, fact.text, one.score, one.why, one.tokens, places, fact.entities)
        for one, fact, places in zip(facts, reader.facts(rows), reader.fact_places(rows), strict=True)
    ]


def _chunk_items(chunks: Sequence[RetrievedRow], reader: Reader) -> list[Item]:
    """The words of a chunk are those that stand in its place."""
    return [
        Item(ItemKind.CHUNK, place.chunk_id, place.quote, one.score, one.why, one.tokens, (place,))
        for one, place in zip(chunks, reader.chunk_places(_rows(chunks)), strict=True)
    ]


def _rows(wanted: Sequence[RetrievedRow]) -> Rows:
    return np.array([one.row for one in wanted], dtype=np.int64)
