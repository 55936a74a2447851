"""Fitting knowledge to a budget of tokens."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol, TypeVar

from polyadic.model.types import Item, ItemKind, Knowledge
from polyadic.retrieval.items import RetrievedRow, to_items
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Reader


class TokenCosts(Protocol):
    """What costs tokens; one kind and identifier are one thing."""

    @property
    def kind(self) -> ItemKind: ...
    @property
    def id(self) -> Hashable: ...
    @property
    def tokens(self) -> int: ...


_Fitting = TypeVar("_Fitting", bound=TokenCosts)


def truncate_to_budget(items: Iterable[_Fitting], context_tokens: int) -> tuple[tuple[_Fitting, ...], int]:
    """The items that fit, best first and each once, and how many did not.

    What is too long for the room that is left is passed over, so that something shorter may use it.
    """
    kept: dict[tuple[ItemKind, Hashable], _Fitting] = {}
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
    """What a method returns: its items within the budget, with the trace of how they were found."""
    kept, omitted = truncate_to_budget(items, context_tokens)
    return _fitted(question, method, kept, omitted, context_tokens, trace)


def knowledge_of(
    question: str, method: str, found: Iterable[RetrievedRow], context_tokens: int, trace: Trace, reader: Reader
) -> Knowledge:
    """The same of what was found; no more is fetched than fits."""
    kept, omitted = truncate_to_budget(found, context_tokens)
    return _fitted(question, method, to_items(kept, reader), omitted, context_tokens, trace)


def _fitted(
    question: str, method: str, items: Sequence[Item], omitted: int, context_tokens: int, trace: Trace
) -> Knowledge:
    tokens = sum(item.tokens for item in items)
    trace.done("fit", f"{len(items)} items of {tokens} tokens; {omitted} did not fit into {context_tokens}")
    return Knowledge(question, method, tuple(items), tokens, omitted, trace.steps)
