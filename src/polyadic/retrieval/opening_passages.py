"""Passages that open documents and their sections: what an overview by a language model needs besides themes."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from polyadic.model.types import ItemKind, Knowledge
from polyadic.retrieval.items import RetrievedRow, to_items
from polyadic.retrieval.token_budget import truncate_to_budget
from polyadic.storage.protocol import Reader

# Documents are those of a sample of passages, so the cost does not grow with the store.
_PASSAGES, _DOCUMENTS = 400, 40
_PASSAGES_OF_A_DOCUMENT, _SECTIONS = 1_000, 12


def with_opening_passages(overview: Knowledge, reader: Reader, context_tokens: int) -> Knowledge:
    """Add the passages that open the documents, then those that open their sections, as far as the budget allows.

    The sections are those of the highest level that a document has several of; documents take turns.
    """
    places = reader.chunk_places(reader.rows("chunk", "", _PASSAGES))
    documents = list(dict.fromkeys(place.document_id for place in places))[:_DOCUMENTS]
    turns = zip_longest(*(list(_openings(document, reader)) for document in documents))
    rows = [row for turn in turns for row in turn if row is not None]
    tokens = reader.tokens("chunk", np.array(rows, dtype=np.int64)).tolist()
    found = [
        RetrievedRow(ItemKind.CHUNK, row, count, 0.0, "opens its document or a section of it")
        for row, count in zip(rows, tokens, strict=True)
    ]
    room = context_tokens - overview.tokens
    kept, omitted = truncate_to_budget(found, room)
    added = sum(row.tokens for row in kept)
    items = (*overview.items, *to_items(kept, reader))
    return replace(overview, items=items, tokens=overview.tokens + added, omitted=overview.omitted + omitted)


def _openings(document: str, reader: Reader) -> Iterator[int]:
    """Yield the first passage of a document, and those in which its main sections begin."""
    rows = reader.chunks_in(document)[:_PASSAGES_OF_A_DOCUMENT]
    places = reader.chunk_places(rows)
    headings = reader.records.headings([place.chunk_id for place in places])
    beginning = {heading.start: heading.level for above in headings.values() for heading in above}
    levels = Counter(beginning.values())
    level = min((level for level, number in levels.items() if number > 1), default=0)
    opening = [
        row
        for row, place in zip(rows.tolist(), places, strict=True)
        if any(one.level == level and place.span.start <= one.start for one in headings[place.chunk_id])
    ]
    yield from list(dict.fromkeys([*rows[:1].tolist(), *opening]))[: 1 + _SECTIONS]
