"""Fit knowledge into a token budget."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

import numpy as np

from polyadic.model.types import Item, ItemKind, Knowledge, SourceSpan
from polyadic.retrieval.items import RetrievedRow, to_items
from polyadic.retrieval.passage_excerpt import excerpt
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Reader
from polyadic.text.counts import count

_MOST_PASSAGES = 8
"""Passages looked at for a fact."""
_SHORTEST_PART = 40
"""Tokens; less of a passage is not worth its source."""


class TokenCosts(Protocol):
    """Anything with a token count; equal kind and id mean the same item."""

    @property
    def kind(self) -> ItemKind: ...
    @property
    def id(self) -> Hashable: ...
    @property
    def tokens(self) -> int: ...


_Costly = TypeVar("_Costly", bound=TokenCosts)


def truncate_to_budget(items: Iterable[_Costly], context_tokens: int) -> tuple[tuple[_Costly, ...], int]:
    """Return the items that fit, best first and without repetition, and the number that did not fit.

    An item that is too long for the remaining room is skipped, so that shorter ones may use it.
    """
    kept: dict[tuple[ItemKind, Hashable], _Costly] = {}
    omitted: set[tuple[ItemKind, Hashable]] = set()
    room = context_tokens
    for item in items:
        identity = (item.kind, item.id)
        if identity in kept or identity in omitted:
            continue
        if item.tokens <= room:
            kept[identity] = item
            room -= item.tokens
        else:
            omitted.add(identity)
    return tuple(kept.values()), len(omitted)


def knowledge(question: str, method: str, items: Iterable[Item], context_tokens: int, trace: Trace) -> Knowledge:
    """Build the result of a method: its items within the budget, with the trace."""
    kept, omitted = truncate_to_budget(items, context_tokens)
    return _fitted(question, method, kept, omitted, context_tokens, trace)


def knowledge_of(
    question: str,
    method: str,
    found: Iterable[RetrievedRow],
    context_tokens: int,
    trace: Trace,
    reader: Reader,
    as_listed: bool = False,
) -> Knowledge:
    """Build the result of a method from retrieved rows; only rows that fit are fetched.

    A fact that an added passage states takes no tokens, nor does a passage with the same text as an added one, because
    a prompt shows both once. The best passage that does not fit is cut around its best sentences, if there is room
    left. With ``as_listed`` none of this applies: each row takes its own tokens, or is left out.
    """
    if as_listed:
        kept, omitted = truncate_to_budget(found, context_tokens)
        return _fitted(question, method, to_items(kept, reader), omitted, context_tokens, trace)
    distinct: dict[tuple[ItemKind, int], RetrievedRow] = {}
    for row in found:
        distinct.setdefault((row.kind, row.row), row)
    rows = list(distinct.values())
    budget = _RowBudget(question, context_tokens, _facts_in(rows, reader), reader)
    fitting = budget.fill(rows)
    return _fitted(question, method, to_items(fitting, reader), len(rows) - len(fitting), context_tokens, trace)


def _facts_in(rows: Sequence[RetrievedRow], reader: Reader) -> dict[int, list[int]]:
    """Return the retrieved facts that each retrieved chunk states."""
    facts_in: dict[int, list[int]] = {row.row: [] for row in rows if row.kind is ItemKind.CHUNK}
    facts = [row.row for row in rows if row.kind is ItemKind.FACT]
    if facts_in and facts:
        links = reader.links("fact_chunks", np.array(facts, dtype=np.int64), _MOST_PASSAGES)
        for fact, chunk in zip(links.sources.tolist(), links.targets.tolist(), strict=True):
            if chunk in facts_in:
                facts_in[chunk].append(fact)
    return facts_in


class _RowBudget:
    """Takes retrieved rows, best first, as long as they fit.

    A fact that a taken passage states takes no tokens, nor does a passage that repeats a taken one. What is too long is
    skipped, so that shorter rows may use the room.
    """

    def __init__(
        self, question: str, context_tokens: int, facts_in: Mapping[int, Sequence[int]], reader: Reader
    ) -> None:
        self._question = question
        self._room = context_tokens
        self._facts_in = facts_in
        self._reader = reader
        self._stated: set[int] = set()
        """Facts that a taken chunk states."""
        self._tokens_of: dict[int, int] = {}
        """Tokens of the other facts taken."""
        self._taken_chunks: list[RetrievedRow] = []
        self._shown: dict[int, tuple[Hashable, ...]] = {}

    def fill(self, rows: Sequence[RetrievedRow]) -> list[RetrievedRow]:
        """Return the rows that fit, in their order, with the tokens that they take."""
        self._shown = self._equally_long(rows)
        kept: dict[int, RetrievedRow] = {}
        best_omitted: int | None = None
        for place, row in enumerate(rows):
            if taken := self._taken(row):
                kept[place] = taken
            elif row.kind is ItemKind.CHUNK and best_omitted is None:
                best_omitted = place
        if best_omitted is not None and (part := self._part(rows[best_omitted])):
            kept[best_omitted] = part
        return [
            row._replace(tokens=0) if row.kind is ItemKind.FACT and row.row in self._stated else row
            for _, row in sorted(kept.items())
        ]

    def _equally_long(self, rows: Sequence[RetrievedRow]) -> dict[int, tuple[Hashable, ...]]:
        """Return how a prompt would show the chunks of which others have as many tokens; all are read together."""
        chunks = [row for row in rows if row.kind is ItemKind.CHUNK]
        lengths = Counter(row.tokens for row in chunks)
        alike = np.array([row.row for row in chunks if lengths[row.tokens] > 1], dtype=np.int64)
        return (
            dict(zip(alike.tolist(), map(as_shown, self._reader.chunk_places(alike)), strict=True))
            if len(alike)
            else {}
        )

    def _taken(self, row: RetrievedRow) -> RetrievedRow | None:
        """Return a row with the tokens that it takes; None if it does not fit."""
        if row.kind is ItemKind.FACT:
            return row if self._takes_fact(row) else None
        if self._is_repeated(row):
            self._state(row)
            return row._replace(tokens=0)
        return row if self._takes_chunk(row) else None

    def _takes_fact(self, fact: RetrievedRow) -> bool:
        if fact.row in self._stated:
            return True
        if fact.tokens > self._room:
            return False
        self._room -= fact.tokens
        self._tokens_of[fact.row] = fact.tokens
        return True

    def _takes_chunk(self, chunk: RetrievedRow) -> bool:
        """Take a chunk if it fits once the facts that it states take no tokens."""
        freed = sum([self._tokens_of.get(fact, 0) for fact in self._facts_in[chunk.row]])
        if chunk.tokens > self._room + freed:
            return False
        self._room -= chunk.tokens
        self._state(chunk)
        self._taken_chunks.append(chunk)
        return True

    def _state(self, chunk: RetrievedRow) -> None:
        """Free the tokens of the facts that a chunk states."""
        facts = self._facts_in[chunk.row]
        self._room += sum([self._tokens_of.pop(fact, 0) for fact in facts])
        self._stated.update(facts)

    def _is_repeated(self, chunk: RetrievedRow) -> bool:
        """Return whether a prompt would show a chunk exactly as one that is taken; only equally long ones are read."""
        alike = [taken.row for taken in self._taken_chunks if taken.tokens == chunk.tokens]
        return any(self._shown[row] == self._shown[chunk.row] for row in alike)

    def _part(self, row: RetrievedRow) -> RetrievedRow | None:
        """Return the part of a chunk that fits into the room that is left."""
        if self._room < _SHORTEST_PART:
            return None
        (place,) = self._reader.chunk_places(np.array([row.row], dtype=np.int64))
        part, tokens = excerpt(self._question, place.quote, self._room)
        return row._replace(tokens=tokens, part=part) if part else None


def as_shown(place: SourceSpan) -> tuple[Hashable, ...]:
    """Return what a prompt shows of a passage: two files with the same text and title are shown once."""
    return place.title, place.date, place.page, place.quote


def _fitted(
    question: str, method: str, items: Sequence[Item], omitted: int, context_tokens: int, trace: Trace
) -> Knowledge:
    tokens = sum(item.tokens for item in items)
    trace.done("fit", f"{count(len(items), 'item')} of {tokens} tokens; {omitted} did not fit into {context_tokens}")
    return Knowledge(question, method, tuple(items), tokens, omitted, trace.steps)
