"""Fitting knowledge to a budget of tokens."""

from collections.abc import Iterable

from polyadic.knowledge import Item, Knowledge
from polyadic.retrieval.trace import Trace


def fit(items: Iterable[Item], context_tokens: int) -> tuple[tuple[Item, ...], int]:
    """The items that fit, best first and each once, and how many did not.

    What is too long for the room that is left is passed over, so that something shorter may use it.
    """
    kept: dict[tuple[str, str], Item] = {}
    omitted: set[tuple[str, str]] = set()
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
    kept, omitted = fit(items, context_tokens)
    tokens = sum(item.tokens for item in kept)
    trace.done("fit", f"{len(kept)} items of {tokens} tokens; {omitted} did not fit into {context_tokens}")
    return Knowledge(question, method, kept, tokens, omitted, trace.steps)
