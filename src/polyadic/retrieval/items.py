"""Convert rows of a store to items of knowledge."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from polyadic.model.types import Item, ItemKind, RetrievalSection, SourceSpan, Span
from polyadic.storage.protocol import QuotePrefetch, Reader, Rows, Vectors
from polyadic.text.headings import path_after


class RetrievedRow(NamedTuple):
    """A retrieved fact or chunk, before its text and evidence are fetched.

    Only rows that fit into the token budget need to be fetched. ``part`` are the characters of a chunk that fit; None
    for all of them; ``listed`` are the entities for which a fact is in a list.
    """

    kind: ItemKind
    row: int
    tokens: int
    score: float
    why: str
    part: Span | None = None
    section: RetrievalSection = RetrievalSection.NONE
    listed: tuple[str, ...] = ()

    @property
    def id(self) -> int:
        return self.row


def retrieved_rows(
    node_type: Literal["fact", "chunk"], rows: Rows, scores: Vectors, whys: Sequence[str], reader: Reader
) -> list[RetrievedRow]:
    """Return rows with token counts, scores and explanations, in the given order."""
    kind, tokens = ItemKind(node_type), reader.tokens(node_type, rows).tolist()
    entries = zip(rows.tolist(), tokens, scores.tolist(), whys, strict=True)
    return [RetrievedRow(kind, row, count, score, why) for row, count, score, why in entries]


def to_items(wanted: Sequence[RetrievedRow], reader: Reader) -> list[Item]:
    """Fetch the items of retrieved rows, in the given order; all facts are fetched together, and all chunks."""
    facts, chunks = ([row for row in wanted if row.kind is kind] for kind in (ItemKind.FACT, ItemKind.CHUNK))
    reader.prefetch(QuotePrefetch(_rows(facts), _rows(chunks)))
    items = iter(_fact_items(facts, reader)), iter(_chunk_items(chunks, reader))
    return [next(items[row.kind is ItemKind.CHUNK]) for row in wanted]


def fact_items(facts: Rows, scores: Vectors, whys: Sequence[str], reader: Reader) -> list[Item]:
    """Return an item for each fact, in the given order."""
    return to_items(retrieved_rows("fact", facts, scores, whys, reader), reader)


def chunk_items(chunks: Rows, scores: Vectors, whys: Sequence[str], reader: Reader) -> list[Item]:
    """Return an item for each chunk, in the given order."""
    return to_items(retrieved_rows("chunk", chunks, scores, whys, reader), reader)


def similar(scores: Iterable[float]) -> list[str]:
    """Return the explanations of items that were retrieved by similarity."""
    return [f"similar to the question ({score:.2f})" for score in scores]


def _fact_items(facts: Sequence[RetrievedRow], reader: Reader) -> list[Item]:
    rows = _rows(facts)
    return [
        Item(
            ItemKind.FACT,
            fact.id,
            fact.text,
            row.score,
            row.why,
            row.tokens,
            places,
            fact.entities,
            row.section,
            row.listed,
        )
        for row, fact, places in zip(facts, reader.facts(rows), reader.fact_places(rows), strict=True)
    ]


def _chunk_items(chunks: Sequence[RetrievedRow], reader: Reader) -> list[Item]:
    """Return the items of chunks, with the quote of their span as text."""
    places = [
        _excerpt(place, row.part) if row.part else place
        for row, place in zip(chunks, reader.chunk_places(_rows(chunks)), strict=True)
    ]
    return [
        Item(ItemKind.CHUNK, place.chunk_id, place.quote, row.score, row.why, row.tokens, (place,))
        for row, place in zip(chunks, places, strict=True)
    ]


def _excerpt(place: SourceSpan, part: Span) -> SourceSpan:
    """Return a part of a passage, with the headings that are above it."""
    return replace(place.part(part), headings=path_after(place.headings, place.quote[: part.start]))


def _rows(wanted: Sequence[RetrievedRow]) -> Rows:
    return np.array([retrieved.row for retrieved in wanted], dtype=np.int64)
