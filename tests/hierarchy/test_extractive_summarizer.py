"""Summaries and reports in the words of names and facts."""

import asyncio
import random
from collections.abc import Sequence

import pytest

from polyadic.hierarchy.extractive_summarizer import FINDINGS, NO_FACTS, ExtractiveSummarizer, reported, summarized
from polyadic.hierarchy.prompt_context import FactContext, MemberContext
from polyadic.model.hierarchy import EXTRACTIVE, Cluster, ReportFinding
from polyadic.text.numeric_names import is_a_number
from tests.hierarchy.recorded_requests import ADA, BABBAGE, DESIGNED, ENGINE, FACTS, MEMBERS, MET, TAUGHT, WROTE, fact


def test_a_summary_is_named_after_the_central_members() -> None:
    found = summarized(1, MEMBERS)
    (summary,) = found.summaries
    assert (summary.name, summary.type, summary.by) == (
        "Ada Lovelace · Analytical Engine",
        "person",
        EXTRACTIVE,
    )
    # The fact that joins most members, and the one that adds most to it.
    assert summary.description == f"{MET.text} {WROTE.text}"
    assert summary.members == tuple(sorted(member.id for member in MEMBERS))
    assert summary.cluster == Cluster(0, summary.members, ()).id and summary.layer == 1
    assert (found.dropped, found.failed) == ((), "")


def test_sources_are_the_members_whose_text_is_used() -> None:
    # Names of two, the type of three, two facts.
    assert summarized(1, MEMBERS).sources == ("ada", "babbage", "engine", "f1", "f3", "somerville")


def test_summary_does_not_depend_on_member_order() -> None:
    drawn = random.Random(1)
    members, facts = list(MEMBERS), list(FACTS)
    expected = summarized(1, members), reported(members, facts)
    for _ in range(20):
        drawn.shuffle(members)
        drawn.shuffle(facts)
        assert (summarized(1, members), reported(members, facts)) == expected


def test_report_lists_the_most_connecting_facts_then_new_ones() -> None:
    found = reported(MEMBERS, FACTS)
    assert found.report is not None
    assert found.report.title == "Ada Lovelace · Analytical Engine"
    assert found.report.summary == MET.text
    # That Babbage designed the engine adds nobody.
    assert found.report.findings == (ReportFinding(WROTE.text, ("f3",)), ReportFinding(TAUGHT.text, ("f4",)))
    assert found.report.rating == 4.0 and found.report.by == EXTRACTIVE
    assert found.sources == ("ada", "engine", "f1", "f3", "f4")


def test_report_length_is_bounded() -> None:
    people = [MemberContext(str(n), f"Person {chr(65 + n)}") for n in range(26)]
    facts = [fact(f"f{n}", f"{n} met {n + 1}.", str(n), str(n + 1)) for n in range(0, 25, 2)]
    report = reported(people, facts).report
    assert report is not None and len(report.findings) == FINDINGS


def test_a_single_fact_is_a_finding() -> None:
    report = reported([ADA, BABBAGE], [MET]).report
    assert report is not None
    assert (report.title, report.summary) == ("Ada Lovelace · Charles Babbage", "")
    assert report.findings == (ReportFinding(MET.text, ("f1",)),)


def test_facts_without_members_are_still_findings() -> None:
    report = reported([ADA, BABBAGE], [fact("f", "It rained.", "x")]).report
    assert report is not None and report.findings == (ReportFinding("It rained.", ("f",)),)


def test_without_facts_there_is_no_report() -> None:
    assert reported(MEMBERS, []) == reported([], [])
    assert (reported(MEMBERS, []).report, reported(MEMBERS, []).dropped) == (None, (NO_FACTS,))


def test_descriptions_are_used_without_facts() -> None:
    bare = [MemberContext(one.id, one.name, one.type, one.description) for one in (ADA, BABBAGE, ENGINE)]
    found = summarized(1, bare)
    assert found.summaries[0].name == "Ada Lovelace · Analytical Engine"
    assert found.summaries[0].description == f"{ADA.description} {BABBAGE.description}"
    assert summarized(1, [MemberContext("a", "A"), MemberContext("b", "B")]).summaries[0].description == ""


@pytest.mark.parametrize("members", [(), (ADA,)])
def test_fewer_than_two_members_have_no_summary(members: Sequence[MemberContext]) -> None:
    assert summarized(1, members).summaries == ()


def test_numbers_are_names_only_as_a_last_resort() -> None:
    years = [MemberContext(year, year, facts=(fact("f", "It was so.", "1843", "1844"),)) for year in ("1843", "1844")]
    assert summarized(1, [*years, MemberContext("e", "Engine")]).summaries[0].name == "Engine · 1843"
    assert summarized(1, years).summaries[0].name == "1843 · 1844"


def test_equal_member_names_appear_once() -> None:
    members = [MemberContext(str(n), "Mercury") for n in range(3)]
    assert summarized(1, members).summaries[0].name == "Mercury"


def test_a_summary_of_summaries_is_named_after_their_first_members() -> None:
    one = MemberContext("s1", "Ada Lovelace · Analytical Engine")
    members = [one, MemberContext("s2", "Mira Falk · Osk"), MemberContext("s3", "Ada Lovelace · Turin")]
    (summary,) = summarized(2, members).summaries
    assert (summary.name, summary.layer) == ("Ada Lovelace · Mira Falk", 2)
    assert summary.cluster == Cluster(1, ("s1", "s2", "s3"), ()).id


def test_facts_of_summaries_count_towards_centrality() -> None:
    shared = fact("f", "Ada met Bob.", "ada", "bob")
    members = [
        MemberContext("s1", "Zeta", facts=(shared,)),
        MemberContext("s2", "Yps", facts=(shared,)),
        MemberContext("s3", "Alpha"),
    ]
    (summary,) = summarized(2, members).summaries
    assert (summary.name, summary.description) == ("Yps · Zeta", "Ada met Bob.")


def test_similar_names_are_not_both_used() -> None:
    members = [MemberContext(name, name) for name in ("Ada Lovelace", "Lovelace", "Ada King Lovelace", "Osk")]
    assert summarized(1, members).summaries[0].name == "Ada King Lovelace · Osk"


def test_type_ties_are_broken_by_centrality() -> None:
    assert summarized(1, [ENGINE, ADA]).summaries[0].type == "person"
    assert summarized(1, [MemberContext("a", "A"), MemberContext("b", "B")]).summaries[0].type == ""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("1843", True),
        ("12 May 1843", True),
        ("May 12, 1843", True),
        ("1843-05-12", True),
        ("3.5 %", True),
        ("1940s", True),
        ("139 km", True),
        ("150 million records", True),
        ("1984 (novel)", False),
        ("3D printing", False),
        ("May", False),
        ("", False),
        ("?", False),
    ],
)
def test_numbers_and_dates_are_recognized(name: str, expected: bool) -> None:
    assert is_a_number(name) is expected


def test_implements_the_summarizer_protocol() -> None:
    writing = ExtractiveSummarizer()
    assert asyncio.run(writing.summarize(1, MEMBERS)) == summarized(1, MEMBERS)
    assert asyncio.run(writing.report(MEMBERS, FACTS)) == reported(MEMBERS, FACTS)


def test_large_communities_are_fast() -> None:
    members = [MemberContext(str(n), f"Person {n}") for n in range(3000)]
    facts = [FactContext(str(n), f"Fact {n}.", 5, (str(n % 3000), str(n * 7 % 3000))) for n in range(9000)]
    report = reported(members, [*facts, DESIGNED]).report
    assert report is not None and len(report.findings) == FINDINGS


def test_common_words_and_section_numbers_are_not_joined_to_names() -> None:
    members = [MemberContext(name, name) for name in ("Beryl Coronet", "window", "Art 74")]
    assert summarized(1, members).summaries[0].name == "Beryl Coronet"
