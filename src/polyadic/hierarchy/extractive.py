"""Summaries and reports without a language model: names of the most central members, and facts, word for word.

Which facts are chosen: those that join most members, and then those that speak of members not spoken of yet. Nothing
is written that does not stand in the documents, and nothing is shortened.
"""

from collections import Counter
from collections.abc import Sequence

from polyadic.hierarchy.centrality import Joins, by_centrality, is_numeric
from polyadic.hierarchy.telling import ToldFact, ToldMember
from polyadic.hierarchy.writing import Reported, Summaries
from polyadic.identity import loose_name
from polyadic.text.central import theme_name
from polyadic.themes import EXTRACTIVE, Cluster, Finding, Report, Summary

FACTS_OF_A_SUMMARY = 2
FINDINGS = 7
NO_FACTS = "community without facts"
_NAMES = 2
_TOP = 10
# Between the names of which an extractive name is made; the first stands for them all in the name of one above.
_BETWEEN = " · "


class ExtractiveWriting:
    """Implements Writing without a language model: the same members and facts, in any order, give the same words."""

    by = EXTRACTIVE

    async def summarise(self, layer: int, members: Sequence[ToldMember]) -> Summaries:
        return summarised(layer, members)

    async def report(self, members: Sequence[ToldMember], facts: Sequence[ToldFact]) -> Reported:
        return reported(members, facts)


def summarised(layer: int, members: Sequence[ToldMember]) -> Summaries:
    """One summary of all members, or none of fewer than two.

    It is named after the most central ones, its type is the commonest among them (of as common ones, that of the more
    central), and its description one or two facts that join most of them; where no facts are told, the descriptions of
    the most central ones.

    >>> fact = ToldFact("f", "Ada met Bob in London.", 6, ("a", "b"))
    >>> told = [ToldMember("b", "Bob", "person", "", (fact,)), ToldMember("a", "Ada", "person")]
    >>> found = summarised(1, told)
    >>> found.summaries[0].name, found.summaries[0].description, found.sources
    ('Ada · Bob', 'Ada met Bob in London.', ('a', 'b', 'f'))
    """
    if len(members) < 2:
        return Summaries((), ())
    joins = Joins.of(members)
    central = by_centrality(members, joins)
    kind = _commonest_type(central)
    facts = joins.adding(FACTS_OF_A_SUMMARY)
    described = [] if facts else [member for member in central if member.description][:_NAMES]
    ids = tuple(sorted(member.id for member in members))
    cluster = Cluster(layer - 1, ids, ()).id
    description = " ".join([*(fact.text for fact in facts), *(member.description for member in described)])
    summary = Summary(cluster, layer, named_after(central), kind, description, ids, EXTRACTIVE)
    of_that_type = [member for member in members if kind and member.type.casefold() == kind.casefold()]
    return Summaries((summary,), _sources(_named(central), of_that_type, facts, described))


def reported(members: Sequence[ToldMember], facts: Sequence[ToldFact]) -> Reported:
    """A report of all members, or none where no facts are told.

    Its title names the most central members, its summary is the fact that joins most of them, its findings are facts
    that speak of further ones; a single fact is a finding. Its rating is ten times the share of facts among members
    and facts: it is higher where more is said of fewer.

    >>> facts = [ToldFact("f", "Ada met Bob.", 4, ("a", "b")), ToldFact("g", "Bob met Cy.", 4, ("b", "c"))]
    >>> told = reported([ToldMember(name[0].lower(), name) for name in ("Ada", "Bob", "Cy")], facts).report
    >>> told.title, told.summary, told.findings
    ('Bob · Ada', 'Ada met Bob.', (Finding(text='Bob met Cy.', facts=('g',)),))
    """
    joins = Joins.of([ToldMember(one.id, one.name, one.type, one.description) for one in members], facts)
    chosen = joins.adding(1 + FINDINGS)
    if not chosen:
        return Reported(None, (), (NO_FACTS,))
    summary = chosen[0].text if len(chosen) > 1 else ""
    findings = tuple(Finding(fact.text, (fact.id,)) for fact in (chosen[1:] or chosen))
    rating = round(_TOP * len(joins.facts) / (len(joins.facts) + len(members)), 1)
    central = by_centrality(members, joins)
    report = Report(named_after(central), summary, rating, findings, EXTRACTIVE)
    return Reported(report, _sources(_named(central), chosen))


def named_after(central: Sequence[ToldMember]) -> str:
    """A name made of those of the first members; of two that may be one, the second is not named.

    >>> named_after([ToldMember(name, name) for name in ("Ada · Bob", "Ada (1815)", "Cy", "Dee")])
    'Ada · Cy'
    >>> named_after([ToldMember("1", "Mercury"), ToldMember("2", "Mercury")])
    'Mercury'
    """
    return _BETWEEN.join(_first_name(member) for member in _named(central))


def _named(central: Sequence[ToldMember]) -> list[ToldMember]:
    """The members after whom something is named: no name holds all words of another, as aliases do.

    A single word in lower case ("window") names nothing beside another member, and no number of a section does.
    """
    named: list[tuple[ToldMember, set[str]]] = []
    telling = [member for member in central if _is_telling(_first_name(member))]
    for member in telling or central[:1]:
        words = set(loose_name(_first_name(member)).split())
        if len(named) < _NAMES and not any(words <= other or other <= words for _, other in named):
            named.append((member, words))
    return [member for member, _ in named]


def _is_telling(name: str) -> bool:
    return bool(theme_name(name)) and not (name.islower() and len(name.split()) == 1)


def _first_name(member: ToldMember) -> str:
    return member.name.partition(_BETWEEN)[0]


def _sources(*told: Sequence[ToldMember | ToldFact]) -> tuple[str, ...]:
    return tuple(sorted({one.id for some in told for one in some}))


def _commonest_type(central: Sequence[ToldMember]) -> str:
    """Spelled as by the most central member of that type; that of numbers only where there is no other, or empty."""
    spelled: dict[str, str] = {}
    for member in central:
        spelled.setdefault(member.type.casefold(), member.type)
    typed = [member for member in central if member.type]
    counted = Counter(member.type.casefold() for member in typed if not is_numeric(member)) or Counter(
        member.type.casefold() for member in typed
    )
    return spelled[counted.most_common(1)[0][0]] if counted else ""
