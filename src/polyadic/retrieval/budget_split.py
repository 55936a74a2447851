"""Split one token budget between several kinds of items."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from polyadic.model.types import Item, Knowledge, RetrievalSection
from polyadic.retrieval.hierarchy_items import remove_repeated_facts
from polyadic.retrieval.trace import Trace
from polyadic.text.counts import count

_Key = TypeVar("_Key")


def split_budget(
    queues: Mapping[_Key, Sequence[Item]], shares: Mapping[_Key, float], context_tokens: int
) -> tuple[tuple[Item, ...], int]:
    """Return the items of all queues that fit, without repetition, and the number that did not fit.

    The next item always comes from the queue that has used least of its share. So the first items of each queue come
    first, and the shares hold for any prefix of the result, up to an item. What one queue does not use is available to
    the others. A queue with a share of 0 is left out, and its items are not counted. An item that is too long for the
    remaining room is skipped.

    Parameters
    ----------
    queues
        Items, best first; ties prefer the queue that comes first.
    shares
        Share of each queue, at least 0; they need not sum to 1.
    context_tokens
        Token budget.
    """
    waiting = {key: list(reversed(items)) for key, items in queues.items() if shares[key] > 0}
    used = dict.fromkeys(waiting, 0)
    kept: dict[tuple[str, str], Item] = {}
    omitted: set[tuple[str, str]] = set()
    room = context_tokens
    while waiting := {key: items for key, items in waiting.items() if items}:
        key = min(waiting, key=lambda queue: used[queue] / shares[queue])
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
    """Combine the sections of a method into its result, with the trace.

    Reports come last, whatever their share, because they are least specific. The other sections are interleaved.
    """
    mixed, omitted = split_budget(sections, shares, context_tokens)
    kept = remove_repeated_facts(sorted(mixed, key=lambda item: item.section is RetrievalSection.GLOBAL))
    used = {section: sum(item.tokens for item in kept if item.section is section) for section in sections}
    sizes = ", ".join(f"{section or 'without section'} {tokens}" for section, tokens in used.items())
    trace.done("fit", f"{count(len(kept), 'item')} of {sizes} tokens; {omitted} did not fit into {context_tokens}")
    return Knowledge(question, method, kept, sum(item.tokens for item in kept), omitted, trace.steps)
