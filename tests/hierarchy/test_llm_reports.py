"""Reports by a model over HTTP: what it is asked, what is kept of its reply, and what stands in for it."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from polyadic.config import HierarchyBuildSettings
from polyadic.errors import ModelUnavailable
from polyadic.hierarchy.extractive_summarizer import NO_FACTS, reported
from polyadic.hierarchy.llm_summarizer import CUT_OFF, UNUSABLE_REPORT, LLMSummarizer
from polyadic.hierarchy.prompt_context import FactContext
from polyadic.hierarchy.report_replies import MOST_FINDINGS
from polyadic.hierarchy.summarizer import CommunityDescription
from polyadic.model.hierarchy import EXTRACTIVE, Report, ReportFinding
from tests.hierarchy.recorded_requests import FACTS, MEMBERS, Kept, fact, written
from tests.model_server import (
    Changed,
    CutText,
    EmptyText,
    Fenced,
    Misbehaviour,
    ModelServer,
    Prose,
    Refusal,
    Replaced,
    Said,
    Status,
    Think,
    ready,
)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


def report(server: ModelServer, facts: Sequence[FactContext] = FACTS, **how: Any) -> CommunityDescription:
    return written(server, lambda writing: writing.report(MEMBERS, facts), **how)


def saying(server: ModelServer, findings: object, **fields: object) -> CommunityDescription:
    """What is made of a reply with these findings."""
    said = {"title": "Engines", "summary": "Of engines.", "rating": 7, "findings": findings} | fields
    server.misbehave(Replaced(json.dumps(said)))
    return report(server)


def kept(found: CommunityDescription) -> Report:
    assert found.report is not None and found.report.by == "recorded" and not found.failed
    return found.report


def test_report_contains_the_model_reply(server: ModelServer) -> None:
    found = report(server)
    said = kept(found)
    assert (said.title, said.summary, said.rating) == ("Report on Ada Lovelace", "There are 4 facts.", 5.0)
    assert said.findings == tuple(ReportFinding(fact.text, (fact.id,)) for fact in FACTS)
    assert found.sources == tuple(sorted([*(one.id for one in MEMBERS), *(one.id for one in FACTS)]))
    assert found.dropped == ()


def test_request_has_strict_json_schema_members_and_facts(server: ModelServer) -> None:
    report(server)
    (asked,) = server.asked
    assert asked.schema and set(asked.schema["properties"]) == {"title", "summary", "rating", "findings"}
    lines = asked.last_user_text.splitlines()
    assert [line for line in lines if line[:1] == "["] == [f"[{n}] {fact.text}" for n, fact in enumerate(FACTS, 1)]
    # Each fact stands there once, also where a member has no description.
    assert "- Analytical Engine (machine)" in lines


@pytest.mark.parametrize("mode", ["object", "text"])
def test_request_describes_json_for_endpoints_without_schemas(server: ModelServer, mode: str) -> None:
    assert kept(report(server, json_mode=mode)).title == "Report on Ada Lovelace"


def test_facts_respect_the_report_token_setting(server: ModelServer) -> None:
    facts = [fact(f"f{n}", f"{n} engines were seen.", "ada", tokens=50) for n in range(50)]
    found = report(server, facts, hierarchy_build=HierarchyBuildSettings(report_tokens=330))
    # 330 tokens hold six facts of 50 and what stands around them.
    assert "[6] 5 engines were seen." in server.asked[0].text and "[7]" not in server.asked[0].text
    assert {source for source in found.sources if source[0] == "f"} == {f"f{n}" for n in range(6)}


def test_facts_respect_the_context_window(server: ModelServer) -> None:
    facts = [fact(f"f{n}", f"{n} engines were seen. " + "And so on. " * 20, "ada", tokens=90) for n in range(50)]
    found = report(server, facts, context_tokens=2_000, hierarchy_build=HierarchyBuildSettings(report_tokens=100_000))
    assert kept(found).findings[0].facts == ("f0",)
    assert 3 < sum(source.startswith("f") for source in found.sources) < 12


def test_a_reply_is_paid_for_once(server: ModelServer) -> None:
    memory = Kept()
    assert report(server, memory=memory) == report(server, memory=memory)
    assert len(server.asked) == 1


def test_request_tokens_can_be_counted_without_a_call(server: ModelServer) -> None:
    async def requests(writing: LLMSummarizer) -> Any:
        return writing.report_request(MEMBERS, FACTS), writing.report_request(MEMBERS, [])

    request, nothing = written(server, requests)
    assert request.purpose == "report" and nothing is None and not server.asked
    assert written(server, requests)[0] == request


# What is kept of a reply.


@pytest.mark.parametrize(
    ("finding", "facts", "lost"),
    [
        ({"text": "So.", "facts": [2, 1]}, ("f2", "f1"), {}),
        ({"text": "So.", "facts": ["1", "[3]", "fact 4", {"fact": 2}]}, ("f1", "f3", "f4", "f2"), {}),
        ({"text": "So.", "facts": "1-3"}, ("f1", "f2", "f3"), {}),
        ({"text": "So.", "facts": 4}, ("f4",), {}),
        ({"text": "So.", "facts": [1, 5, 0]}, ("f1",), {"fact number that does not exist": 2}),
        ({"text": "So.", "facts": [1, "Ada"]}, ("f1",), {"fact not a number": 1}),
        ({"text": "So [1].", "facts": [2]}, ("f2",), {}),
        ({"text": "So [1][3]."}, ("f1", "f3"), {}),
        ("So [1, 3].", ("f1", "f3"), {}),
        ({"text": "So [Data: Facts (2, 4, +more); Entities (1)]."}, ("f2", "f4"), {}),
        ({"finding": "So.", "evidence": [4]}, ("f4",), {}),
    ],
)
def test_finding_fact_references_are_read_in_many_forms(
    server: ModelServer, finding: object, facts: Sequence[str], lost: Mapping[str, int]
) -> None:
    found = saying(server, [finding])
    assert kept(found).findings == (ReportFinding("So.", tuple(facts)),)
    assert Counter(found.dropped) == lost


def test_finding_with_headline_and_explanation_is_read(server: ModelServer) -> None:
    found = saying(server, [{"summary": "Two engines.", "explanation": "One came later.", "facts": [1]}])
    assert kept(found).findings == (ReportFinding("Two engines: One came later.", ("f1",)),)


def test_findings_without_facts_are_dropped(server: ModelServer) -> None:
    findings = [{"text": "A.", "facts": []}, {"text": "B.", "facts": [9]}, {"text": "C.", "facts": [3]}, "D.", {}]
    found = saying(server, findings)
    assert kept(found).findings == (ReportFinding("C.", ("f3",)),)
    assert Counter(found.dropped) == {"finding without facts": 3, "fact number that does not exist": 1}


def test_empty_and_duplicate_findings_are_dropped(server: ModelServer) -> None:
    found = saying(server, [{"text": "", "facts": [1]}, {"text": "C.", "facts": [3]}, {"text": "c.", "facts": [2]}])
    assert kept(found).findings == (ReportFinding("C.", ("f3",)),)
    assert found.dropped == ("finding without text, or twice",) * 2


def test_number_of_findings_is_bounded(server: ModelServer) -> None:
    found = saying(server, [{"text": f"Finding {n}.", "facts": [1]} for n in range(MOST_FINDINGS + 3)])
    assert len(kept(found).findings) == MOST_FINDINGS
    assert found.dropped == (f"more than {MOST_FINDINGS} findings",) * 3


@pytest.mark.parametrize(
    ("given", "rating", "lost"),
    [
        (7.5, 7.5, ()),
        (0, 0.0, ()),
        (10, 10.0, ()),
        ("8/10", 8.0, ()),
        ("85%", 8.5, ("score mended",)),
        (" 6,5 ", 6.5, ()),
        ("High", 8.0, ()),
        ("none", 0.0, ()),
        (75, 10.0, ("score out of range",)),
        (-3, 0.0, ("score out of range",)),
        ("a lot", 5.0, ("score not a number",)),
        (None, 5.0, ("score missing",)),
        ([7], 5.0, ("score not a number",)),
        (True, 5.0, ("score not a number",)),
        (float("nan"), 5.0, ("score not a number",)),
    ],
)
def test_ratings_are_read(server: ModelServer, given: object, rating: float, lost: tuple[str, ...]) -> None:
    found = saying(server, [{"text": "So.", "facts": [1]}], rating=given)
    assert (kept(found).rating, found.dropped) == (rating, lost)


def test_markers_are_removed_from_title_and_summary(server: ModelServer) -> None:
    found = saying(
        server, [{"text": "So.", "facts": [1]}], title='"Engines" [1]', summary="Of\nengines [Data: Facts (1)]."
    )
    assert (kept(found).title, kept(found).summary) == ('"Engines"', "Of engines.")


def test_missing_title_is_taken_from_the_summary(server: ModelServer) -> None:
    found = saying(server, [{"text": "So.", "facts": [1]}], title="")
    assert (kept(found).title, kept(found).summary) == ("Of engines.", "")
    assert found.dropped == ("report without a title",)


FINE = {"title": "Engines", "summary": "Of engines.", "rating": 7, "findings": [{"text": "So.", "facts": [1]}]}
OTHER_FORMS = {
    "in a list": json.dumps([FINE]),
    "wrapped": json.dumps({"report": FINE}),
    "other fields": json.dumps(
        {"Name": "Engines", "Overview": "Of engines.", "Importance": 7, "Key Findings": ["So [1]."]}
    ),
    "a draft before it": f"{json.dumps(FINE | {'title': 'Draft'})} Better: {json.dumps(FINE)}",
    "a comma too many": json.dumps(FINE).replace("]}]", "],},]"),
    "no quotes around keys": '{title: "Engines", summary: "Of engines.", rating: 7, findings: [{text: "So [1]."}]}',
    "a quote in the text": json.dumps(FINE).replace("Of engines.", 'Of "engines".'),
}


@pytest.mark.parametrize("reply", OTHER_FORMS.values(), ids=OTHER_FORMS)
def test_other_forms_are_read(server: ModelServer, reply: str) -> None:
    server.misbehave(Replaced(reply))
    said = kept(report(server))
    assert (said.title, said.summary.replace('"', ""), said.rating) == ("Engines", "Of engines.", 7.0)
    assert said.findings == (ReportFinding("So.", ("f1",)),)


@pytest.mark.parametrize("kind", [Fenced(), Think(), Prose()], ids=lambda kind: type(kind).__name__)
def test_text_around_the_json_is_ignored(server: ModelServer, kind: Misbehaviour) -> None:
    expected = report(server)
    server.misbehave(kind)
    assert report(server) == expected


def test_truncated_reply_keeps_complete_findings(server: ModelServer) -> None:
    text = json.dumps(FINE | {"findings": [{"text": "One.", "facts": [1]}, {"text": "Two.", "facts": [2]}]})
    cut = text[: text.index("Two.") + 2]
    server.misbehave(Changed(lambda said: Said(cut, "length")))
    found = report(server)
    assert (kept(found).title, kept(found).findings) == ("Engines", (ReportFinding("One.", ("f1",)),))
    assert CUT_OFF in found.dropped


USELESS = {
    "refusal": (Refusal("I won't."), "refuses (I won't.)"),
    "empty": (EmptyText(), "sent an empty reply"),
    "an error": (Status(503), "answers 503"),
    "prose": (Replaced("No idea."), 'gave no report with findings that can be read ("No idea.")'),
    "no findings": (Replaced(json.dumps(FINE | {"findings": []})), "gave no report with findings"),
    "findings of nothing": (
        Replaced(json.dumps(FINE | {"findings": [{"text": "A.", "facts": [9]}]})),
        "gave no report",
    ),
    "no words": (Replaced(json.dumps(FINE | {"title": "", "summary": ""})), "gave no report"),
    "another kind": (Replaced('{"facts": [{"text": "A."}]}'), "gave no report"),
    "cut off at once": (CutText(), "reached output_tokens before its report with findings could be read"),
    "brackets": (Changed(lambda said: Said('{"findings":[' * 90_000, completion_tokens=9)), "gave no report"),
}


@pytest.mark.parametrize(("kind", "why"), USELESS.values(), ids=USELESS)
def test_extractive_report_replaces_an_unusable_reply(server: ModelServer, kind: Misbehaviour, why: str) -> None:
    if isinstance(kind, CutText):
        kind = Changed(lambda said: Said((said.text or "")[:40], "length"))
    server.misbehave(kind, times=None)
    memory = Kept()
    found = report(server, memory=memory)
    expected = reported(MEMBERS, FACTS)
    assert (found.report, found.sources) == (expected.report, expected.sources)
    assert found.report is not None and found.report.by == EXTRACTIVE
    assert UNUSABLE_REPORT in found.dropped and why in found.failed and "\n" not in found.failed
    # It is asked again the next time.
    assert memory.replies == {}
    server.behave()
    kept(report(server, memory=memory))


def test_no_facts_make_no_request(server: ModelServer) -> None:
    assert report(server, []) == CommunityDescription(None, (), (NO_FACTS,)) and not server.asked


def test_unavailable_model_stops_the_run(server: ModelServer) -> None:
    server.misbehave(Status(401))
    with pytest.raises(ModelUnavailable):
        report(server)
