"""Fit several kinds of items into a token budget that they share."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from polyadic.model.types import Item, ItemKind, Knowledge, RetrievalSection
from polyadic.retrieval.hierarchy_items import remove_repeated_facts
from polyadic.retrieval.token_budget import as_shown
from polyadic.retrieval.trace import Trace
from polyadic.text.counts import count

_Key = TypeVar("_Key")


def split_budget(
    queues: Mapping[_Key, Sequence[Item]], shares: Mapping[_Key, float], context_tokens: int, state_once: bool = False
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
    state_once
        Whether a fact that a taken passage states takes no tokens.
    """
    waiting = {key: list(reversed(items)) for key, items in queues.items() if shares[key] > 0}
    budget = _SharedBudget(dict.fromkeys(waiting, 0), context_tokens, state_once)
    while waiting := {key: items for key, items in waiting.items() if items}:
        key = min(waiting, key=lambda queue: budget.used[queue] / shares[queue])
        budget.take(waiting[key].pop(), key)
    return tuple(budget.kept.values()), len(budget.omitted)


class _SharedBudget(Generic[_Key]):
    """Takes items of several queues as long as they fit, and counts the tokens that each queue uses."""

    def __init__(self, used: dict[_Key, int], context_tokens: int, state_once: bool) -> None:
        self.used = used
        self.kept: dict[tuple[Hashable, ...], Item] = {}
        self.omitted: set[tuple[Hashable, ...]] = set()
        self._room = context_tokens
        self._state_once = state_once
        self._queues: dict[tuple[Hashable, ...], _Key] = {}

    def take(self, item: Item, queue: _Key) -> None:
        """Take an item if it is new and fits."""
        identity = _identity(item)
        if identity in self.kept or identity in self.omitted:
            return
        freed: list[tuple[Hashable, ...]] = []
        if self._state_once and item.kind is ItemKind.CHUNK:
            freed = [known for known, kept in self.kept.items() if kept.kind is ItemKind.FACT and _states(item, kept)]
        elif self._state_once and item.kind is ItemKind.FACT and self._is_stated(item):
            item = replace(item, tokens=0)
        if item.tokens > self._room + sum(self.kept[fact].tokens for fact in freed):
            self.omitted.add(identity)
            return
        for fact in freed:
            self._spend(-self.kept[fact].tokens, self._queues[fact])
            self.kept[fact] = replace(self.kept[fact], tokens=0)
        self._spend(item.tokens, queue)
        self.kept[identity], self._queues[identity] = item, queue

    def _is_stated(self, fact: Item) -> bool:
        return any(kept.kind is ItemKind.CHUNK and _states(kept, fact) for kept in self.kept.values())

    def _spend(self, tokens: int, queue: _Key) -> None:
        self._room -= tokens
        self.used[queue] += tokens


def _states(passage: Item, fact: Item) -> bool:
    """Return whether a passage contains a source span of a fact."""
    return any(
        shown.document_id == place.document_id
        and shown.span.start <= place.span.start
        and place.span.end <= shown.span.end
        for shown in passage.places
        for place in fact.places
    )


def shared_knowledge(
    question: str,
    method: str,
    sections: Mapping[RetrievalSection, Sequence[Item]],
    shares: Mapping[RetrievalSection, float],
    context_tokens: int,
    trace: Trace,
) -> Knowledge:
    """Combine the sections of a method into its result, with the trace.

    Reports come last, whatever their share, because they are least specific. The other sections are interleaved. A fact
    that a taken passage states takes no tokens.
    """
    mixed, omitted = split_budget(sections, shares, context_tokens, state_once=True)
    kept = remove_repeated_facts(sorted(mixed, key=lambda item: item.section is RetrievalSection.GLOBAL))
    used = {section: sum(item.tokens for item in kept if item.section is section) for section in sections}
    sizes = ", ".join(f"{section or 'without section'} {tokens}" for section, tokens in used.items())
    trace.done("fit", f"{count(len(kept), 'item')} of {sizes} tokens; {omitted} did not fit into {context_tokens}")
    return Knowledge(question, method, kept, sum(item.tokens for item in kept), omitted, trace.steps)


def _identity(item: Item) -> tuple[Hashable, ...]:
    if item.kind is ItemKind.CHUNK and item.places:
        return item.kind, *as_shown(item.places[0])
    return item.kind, item.id
