"""Which members are central, and which facts tell most of them, by numbers worked out by hand."""

from collections.abc import Sequence

from polyadic.hierarchy.centrality import MemberFacts, by_centrality
from polyadic.hierarchy.prompt_context import FactContext, MemberContext


def fact(name: str, members: str, tokens: int = 5) -> FactContext:
    return FactContext(name, name, tokens, tuple(members))


def of(facts: Sequence[FactContext], members: str) -> MemberFacts:
    return MemberFacts.of([MemberContext(name, name) for name in members], facts)


def chosen(facts: Sequence[FactContext], members: str, most: int = 10) -> list[str]:
    return [one.id for one in of(facts, members).adding(most)]


def test_a_fact_is_shared_by_members_only() -> None:
    joins = of([fact("1", "ab"), fact("2", "ax"), fact("3", "a")], "abc")
    assert (dict(joins.shared), dict(joins.fact_counts)) == ({"a": 1, "b": 1}, {"a": 3, "b": 1})


def test_a_member_has_the_facts_that_it_is_listed_under_and_of_equal_texts_the_first() -> None:
    listed = MemberContext("a", "Ada", facts=(FactContext("2", "Same  text.", 3, ()), fact("4", "b")))
    joins = MemberFacts.of([listed, MemberContext("b", "Bob")], [FactContext("1", "Same text.", 3, ("b",))])
    assert {name: set(members) for name, members in joins.members.items()} == {"1": {"b"}, "4": {"a", "b"}}
    assert set(joins.facts) == {"1", "4"}


def test_each_fact_adds_members_and_those_that_add_none_are_left_out() -> None:
    facts = [fact("abc", "abc"), fact("ab", "ab"), fact("d", "d"), fact("cd", "cd")]
    assert chosen(facts, "abcd") == ["abc", "cd"]
    assert chosen(facts, "abcd", 1) == ["abc"]
    assert chosen(facts, "abcd", 0) == []


def test_facts_of_no_member_give_one_at_most() -> None:
    assert chosen([fact("x", "x"), fact("y", "y")], "a") == ["x"]


def test_a_member_weighs_more_the_more_facts_it_shares() -> None:
    hub, three = [fact(f"h{n}", f"h{n}") for n in range(4)], fact("ijk", "ijk", 9)
    # Who shares three facts weighs 3, who shares one weighs 2: 3 + 2 are less than 2 + 2 + 2.
    assert chosen([*hub[:3], three], "h0123ijk")[0] == "ijk"
    # Who shares four weighs 4: 4 + 2 are as much, and shorter.
    assert chosen([*hub, three], "h0123ijk")[0] == "h0"


def test_a_member_that_shares_no_fact_weighs_least() -> None:
    # Once ab is chosen, ac adds c, which shares a fact, and d adds d, which shares none.
    assert chosen([fact("ab", "ab", 1), fact("ac", "ac", 9), fact("d", "d", 1)], "abcd") == ["ab", "ac", "d"]


def test_of_facts_that_add_as_much_the_shortest_comes_first() -> None:
    assert chosen([fact("long", "ab", 9), fact("short", "ab", 3)], "ab") == ["short"]


def test_members_with_most_shared_facts_come_first_then_those_with_most_facts_then_by_name() -> None:
    members = [MemberContext(name, name.upper()) for name in "edcba"]
    facts = [fact("1", "ab"), fact("2", "ab"), fact("3", "bc"), fact("4", "c"), fact("5", "c"), fact("6", "d")]
    joins = MemberFacts.of(members, facts)
    assert [member.id for member in by_centrality(members, joins)] == ["b", "a", "c", "d", "e"]


def test_facts_of_its_own_do_not_make_a_member_central() -> None:
    members = [MemberContext(name, name.upper()) for name in "abcde"]
    joins = MemberFacts.of(members, [fact("1", "a"), fact("2", "a"), fact("3", "bc"), fact("4", "e")])
    assert [member.id for member in by_centrality(members, joins)] == ["b", "c", "a", "e", "d"]


def test_codes_come_last() -> None:
    members = [MemberContext("1", "000A"), MemberContext("2", "12-b"), MemberContext("3", "Zoe")]
    joins = MemberFacts.of(members, [fact("f", "12")])
    assert [member.id for member in by_centrality(members, joins)] == ["3", "1", "2"]
