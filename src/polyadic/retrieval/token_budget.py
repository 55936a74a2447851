"""Fit knowledge into a token budget."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol, TypeVar

from polyadic.model.types import Item, ItemKind, Knowledge
from polyadic.retrieval.items import RetrievedRow, to_items
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Reader
from polyadic.text.counts import count


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
    question: str, method: str, found: Iterable[RetrievedRow], context_tokens: int, trace: Trace, reader: Reader
) -> Knowledge:
    """Build the result of a method from retrieved rows; only rows that fit are fetched."""
    kept, omitted = truncate_to_budget(found, context_tokens)
    return _fitted(question, method, to_items(kept, reader), omitted, context_tokens, trace)


def _fitted(
    question: str, method: str, items: Sequence[Item], omitted: int, context_tokens: int, trace: Trace
) -> Knowledge:
    tokens = sum(item.tokens for item in items)
    trace.done("fit", f"{count(len(items), 'item')} of {tokens} tokens; {omitted} did not fit into {context_tokens}")
    return Knowledge(question, method, tuple(items), tokens, omitted, trace.steps)
