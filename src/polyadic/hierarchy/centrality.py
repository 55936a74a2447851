"""Which members and facts are the most central: what joins most, and what adds most to what has been said."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from polyadic.hierarchy.prompt_context import FactContext, MemberContext
from polyadic.model.identity import normal_text
from polyadic.text.numeric_names import is_a_code, is_a_number
from polyadic.text.stopwords import words as listed

_TYPES_OF_NUMBERS = listed("date time year duration number quantity money percent percentage")


@dataclass(frozen=True)
class MemberFacts:
    """Which members each fact joins, by its identifier: those that it names, and those that are told with it."""

    facts: Mapping[str, FactContext]
    members: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, members: Sequence[MemberContext], facts: Iterable[FactContext] = ()) -> Self:
        """Of these facts, and of those that the members are told with; of facts of one text, the first counts."""
        known = frozenset(member.id for member in members)
        owned = [(frozenset((member.id,)), fact) for member in members for fact in member.facts]
        owned += [(frozenset(), fact) for fact in facts]
        told: dict[str, FactContext] = {}
        for _, fact in sorted(owned, key=lambda pair: pair[1].id):
            told.setdefault(normal_text(fact.text), fact)
        held = {fact.id: known & set(fact.participants) for fact in told.values()}
        for owner, fact in owned:
            if fact.id in held:
                held[fact.id] |= owner
        return cls({fact.id: fact for fact in told.values()}, held)

    @cached_property
    def told(self) -> Mapping[str, int]:
        """How many facts speak of each member."""
        return Counter(member for joined in self.members.values() for member in joined)

    @cached_property
    def shared(self) -> Mapping[str, int]:
        """How many facts speak of each member together with another."""
        return Counter(member for joined in self.members.values() if len(joined) > 1 for member in joined)

    def adding(self, most: int) -> list[FactContext]:
        """So many facts at most: in turn the one that says most of members of which none before it has spoken.

        A member counts for the more, the more facts it shares with others: twice for one, three times for two or
        three, and so on. Of facts that say as much, short ones come first.
        """
        left = sorted(self.facts.values(), key=lambda fact: (fact.tokens, fact.text, fact.id))
        chosen: list[FactContext] = []
        known: frozenset[str] = frozenset()
        while left and len(chosen) < most:
            best = max(left, key=lambda fact: self._weight(self.members[fact.id] - known))
            if chosen and not self.members[best.id] - known:
                break
            chosen.append(best)
            known |= self.members[best.id]
            left.remove(best)
        return chosen

    def _weight(self, members: Iterable[str]) -> int:
        return sum(1 + self.shared.get(member, 0).bit_length() for member in members)


def by_centrality(members: Sequence[MemberContext], joins: MemberFacts) -> list[MemberContext]:
    """The members, those first that share most facts with others; of as many, those of most facts, then by name.

    Numbers, dates and codes come last: they are in many facts, and say nothing by themselves.

    >>> facts = (FactContext("f", "Ada met Bob in 1833.", 7, ("a", "b", "y")),)
    >>> told = [MemberContext("y", "1833", facts=facts), MemberContext("b", "Bob"), MemberContext("a", "Ada")]
    >>> [member.name for member in by_centrality(told, MemberFacts.of(told))]
    ['Ada', 'Bob', '1833']
    """

    def rank(one: MemberContext) -> tuple[bool, int, int, str, str]:
        return (
            is_numeric(one) or is_a_code(one.name),
            -joins.shared.get(one.id, 0),
            -joins.told.get(one.id, 0),
            one.name,
            one.id,
        )

    return sorted(members, key=rank)


def is_numeric(member: MemberContext) -> bool:
    """Whether a member is a number, an amount or a date, by its type or by its name."""
    return member.type.casefold() in _TYPES_OF_NUMBERS or is_a_number(member.name)
