"""One budget of tokens for several kinds of knowledge."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from polyadic.model.types import Item, Knowledge, RetrievalSection
from polyadic.retrieval.hierarchy_items import said_once
from polyadic.retrieval.trace import Trace

_Key = TypeVar("_Key")


def split_budget(
    queues: Mapping[_Key, Sequence[Item]], shares: Mapping[_Key, float], context_tokens: int
) -> tuple[tuple[Item, ...], int]:
    """The items of all queues that fit, each once, and how many did not.

    Whichever queue has used least of its share gives its next item: so the first items of each come first, and the
    shares hold for any beginning of what is returned, up to an item. What one does not use the others do. One with a
    share of 0 is left out, and its items are not counted. What is too long for the room that is left is passed over.

    Parameters
    ----------
    queues
        Items, best first; where as much is used of two, the one that is named first goes on.
    shares
        Of each queue, at least 0; they need not sum to 1.
    """
    waiting = {key: list(reversed(items)) for key, items in queues.items() if shares[key] > 0}
    used = dict.fromkeys(waiting, 0)
    kept: dict[tuple[str, str], Item] = {}
    omitted: set[tuple[str, str]] = set()
    room = context_tokens
    while waiting := {key: items for key, items in waiting.items() if items}:
        key = min(waiting, key=lambda one: used[one] / shares[one])
        item = waiting[key].pop()
        identity = (item.kind, item.id)
        if identity in kept or identity in omitted:
            continue
        if item.tokens > room:
            omitted.add(identity)
            continue
        kept[identity] = item
        room -= item.tokens
        used[key] += item.tokens
    return tuple(kept.values()), len(omitted)


def shared_knowledge(
    question: str,
    method: str,
    sections: Mapping[RetrievalSection, Sequence[Item]],
    shares: Mapping[RetrievalSection, float],
    context_tokens: int,
    trace: Trace,
) -> Knowledge:
    """What a method with sections returns, with the trace of how it was found.

    Reports come last, whatever their share: of what is asked they tell least. The others come by turns.
    """
    mixed, omitted = split_budget(sections, shares, context_tokens)
    kept = said_once(sorted(mixed, key=lambda item: item.section is RetrievalSection.GLOBAL))
    used = {section: sum(item.tokens for item in kept if item.section is section) for section in sections}
    told = ", ".join(f"{section or 'without section'} {tokens}" for section, tokens in used.items())
    trace.done("fit", f"{len(kept)} items of {told} tokens; {omitted} did not fit into {context_tokens}")
    return Knowledge(question, method, kept, sum(item.tokens for item in kept), omitted, trace.steps)
