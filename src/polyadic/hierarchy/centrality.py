"""Rank members by the facts they share, and select facts by greedy coverage of members."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from polyadic.hierarchy.prompt_context import FactContext, MemberContext
from polyadic.model.identity import normal_text
from polyadic.text.numeric_names import is_a_code


@dataclass(frozen=True)
class MemberFacts:
    """Facts by identifier, and the members of each: those that it names, and those that it was listed under."""

    facts: Mapping[str, FactContext]
    members: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, members: Sequence[MemberContext], facts: Iterable[FactContext] = ()) -> Self:
        """Collect the given facts and those of the members; of facts with the same text, the first counts."""
        known = frozenset(member.id for member in members)
        owned = [(frozenset((member.id,)), fact) for member in members for fact in member.facts]
        owned += [(frozenset(), fact) for fact in facts]
        by_text: dict[str, FactContext] = {}
        for _, fact in sorted(owned, key=lambda pair: pair[1].id):
            by_text.setdefault(normal_text(fact.text), fact)
        members_of = {fact.id: known & set(fact.participants) for fact in by_text.values()}
        for owner, fact in owned:
            if fact.id in members_of:
                members_of[fact.id] |= owner
        return cls({fact.id: fact for fact in by_text.values()}, members_of)

    @cached_property
    def fact_counts(self) -> Mapping[str, int]:
        """Number of facts of each member."""
        return Counter(member for joined in self.members.values() for member in joined)

    @cached_property
    def shared(self) -> Mapping[str, int]:
        """Number of facts that each member shares with another member."""
        return Counter(member for joined in self.members.values() if len(joined) > 1 for member in joined)

    def adding(self, most: int) -> list[FactContext]:
        """Select up to ``most`` facts greedily: each time the fact with the greatest weight of members not yet covered.

        The weight of a member grows with the number of facts that it shares: 2 for one, 3 for two or three, and so on.
        Ties go to the shorter fact.
        """
        remaining = sorted(self.facts.values(), key=lambda fact: (fact.tokens, fact.text, fact.id))
        chosen: list[FactContext] = []
        known: frozenset[str] = frozenset()
        while remaining and len(chosen) < most:
            best = max(remaining, key=lambda fact: self._weight(self.members[fact.id] - known))
            if chosen and not self.members[best.id] - known:
                break
            chosen.append(best)
            known |= self.members[best.id]
            remaining.remove(best)
        return chosen

    def _weight(self, members: Iterable[str]) -> int:
        return sum(1 + self.shared.get(member, 0).bit_length() for member in members)


def by_centrality(members: Sequence[MemberContext], joins: MemberFacts) -> list[MemberContext]:
    """Sort members by the number of facts that they share with others, then by their number of facts, then by name.

    Codes come last, because they are uninformative on their own.

    >>> facts = (FactContext("f", "Ada sent Bob order 12-b.", 7, ("a", "b", "c")),)
    >>> members = [MemberContext("c", "12-b", facts=facts), MemberContext("b", "Bob"), MemberContext("a", "Ada")]
    >>> [member.name for member in by_centrality(members, MemberFacts.of(members))]
    ['Ada', 'Bob', '12-b']
    """

    def rank(one: MemberContext) -> tuple[bool, int, int, str, str]:
        return (
            is_a_code(one.name),
            -joins.shared.get(one.id, 0),
            -joins.fact_counts.get(one.id, 0),
            one.name,
            one.id,
        )

    return sorted(members, key=rank)
