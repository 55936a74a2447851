"""Extractive summaries and reports, without a language model: names of the most central members, and verbatim facts.

Facts are chosen by coverage: first the one that connects most members, then those that add members not covered yet. All
text is taken from the documents unchanged.
"""

from collections import Counter
from collections.abc import Sequence

from polyadic.hierarchy.centrality import MemberFacts, by_centrality
from polyadic.hierarchy.prompt_context import FactContext, MemberContext
from polyadic.hierarchy.summarizer import ClusterSummaries, CommunityDescription
from polyadic.model.hierarchy import EXTRACTIVE, Cluster, Report, ReportFinding, Summary
from polyadic.model.identity import loose_name
from polyadic.text.central_sentences import theme_name

FACTS_OF_A_SUMMARY = 2
FINDINGS = 7
NO_FACTS = "community without facts"
_NAMES = 2
_TOP = 10
# Separates the names within an extractive name; in names of higher layers only the first one is used.
_SEPARATOR = " · "


class ExtractiveSummarizer:
    """Summarizer without a language model; its texts do not depend on the order of members and facts."""

    by = EXTRACTIVE

    async def summarize(self, layer: int, members: Sequence[MemberContext]) -> ClusterSummaries:
        return summarized(layer, members)

    async def report(self, members: Sequence[MemberContext], facts: Sequence[FactContext]) -> CommunityDescription:
        return reported(members, facts)


def summarized(layer: int, members: Sequence[MemberContext]) -> ClusterSummaries:
    """Summarize all members in one summary; none for fewer than two members.

    The name is made of those of the most central members. The type is the most common one, ties by centrality. The
    description is one or two facts that connect most members or, without facts, the descriptions of the most central
    members.

    >>> fact = FactContext("f", "Ada met Bob in London.", 6, ("a", "b"))
    >>> members = [MemberContext("b", "Bob", "person", "", (fact,)), MemberContext("a", "Ada", "person")]
    >>> found = summarized(1, members)
    >>> found.summaries[0].name, found.summaries[0].description, found.sources
    ('Ada · Bob', 'Ada met Bob in London.', ('a', 'b', 'f'))
    """
    if len(members) < 2:
        return ClusterSummaries((), ())
    joins = MemberFacts.of(members)
    central = by_centrality(members, joins)
    kind = _commonest_type(central)
    facts = joins.adding(FACTS_OF_A_SUMMARY)
    described = [] if facts else [member for member in central if member.description][:_NAMES]
    ids = tuple(sorted(member.id for member in members))
    cluster = Cluster(layer - 1, ids, ()).id
    description = " ".join([*(fact.text for fact in facts), *(member.description for member in described)])
    summary = Summary(cluster, layer, named_after(central), kind, description, ids, EXTRACTIVE)
    of_that_type = [member for member in members if kind and member.type.casefold() == kind.casefold()]
    return ClusterSummaries((summary,), _sources(_named(central), of_that_type, facts, described))


def reported(members: Sequence[MemberContext], facts: Sequence[FactContext]) -> CommunityDescription:
    """Report on all members; no report without facts.

    The title names the most central members. The summary is the fact that connects most of them, and the findings are
    facts that add further members; a single fact is a finding. The rating is 10 * facts / (facts + members), so it
    grows with the number of facts per member.

    >>> facts = [FactContext("f", "Ada met Bob.", 4, ("a", "b")), FactContext("g", "Bob met Cy.", 4, ("b", "c"))]
    >>> result = reported([MemberContext(name[0].lower(), name) for name in ("Ada", "Bob", "Cy")], facts).report
    >>> result.title, result.summary, result.findings
    ('Bob · Ada', 'Ada met Bob.', (ReportFinding(text='Bob met Cy.', facts=('g',)),))
    """
    joins = MemberFacts.of([MemberContext(one.id, one.name, one.type, one.description) for one in members], facts)
    chosen = joins.adding(1 + FINDINGS)
    if not chosen:
        return CommunityDescription(None, (), (NO_FACTS,))
    summary = chosen[0].text if len(chosen) > 1 else ""
    findings = tuple(ReportFinding(fact.text, (fact.id,)) for fact in (chosen[1:] or chosen))
    rating = round(_TOP * len(joins.facts) / (len(joins.facts) + len(members)), 1)
    central = by_centrality(members, joins)
    report = Report(named_after(central), summary, rating, findings, EXTRACTIVE)
    return CommunityDescription(report, _sources(_named(central), chosen))


def named_after(central: Sequence[MemberContext]) -> str:
    """Join the names of the first members; skip a name that may be an alias of another.

    >>> named_after([MemberContext(name, name) for name in ("Ada · Bob", "Ada (1815)", "Cy", "Dee")])
    'Ada · Cy'
    >>> named_after([MemberContext("1", "Mercury"), MemberContext("2", "Mercury")])
    'Mercury'
    """
    return _SEPARATOR.join(_first_name(member) for member in _named(central))


def _named(central: Sequence[MemberContext]) -> list[MemberContext]:
    """Members whose names make up the name of a cluster: no name contains all words of another, as aliases do.

    Single lower-case words ("window") and section numbers are used only if there is no other name.
    """
    named: list[tuple[MemberContext, set[str]]] = []
    informative = [member for member in central if _is_informative(_first_name(member))]
    for member in informative or central[:1]:
        words = set(loose_name(_first_name(member)).split())
        if len(named) < _NAMES and not any(words <= other or other <= words for _, other in named):
            named.append((member, words))
    return [member for member, _ in named]


def _is_informative(name: str) -> bool:
    return bool(theme_name(name)) and not (name.islower() and len(name.split()) == 1)


def _first_name(member: MemberContext) -> str:
    return member.name.partition(_SEPARATOR)[0]


def _sources(*groups: Sequence[MemberContext | FactContext]) -> tuple[str, ...]:
    return tuple(sorted({one.id for group in groups for one in group}))


def _commonest_type(central: Sequence[MemberContext]) -> str:
    """Most common type, spelled as by its most central member; empty if there is none."""
    spelled: dict[str, str] = {}
    for member in central:
        spelled.setdefault(member.type.casefold(), member.type)
    counted = Counter(member.type.casefold() for member in central if member.type)
    return spelled[counted.most_common(1)[0][0]] if counted else ""
