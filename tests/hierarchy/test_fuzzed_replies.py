"""Whatever a reply is, reading it does not fail, and what is kept is within bounds."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.hierarchy.report_replies import findings_of, read_report
from polyadic.hierarchy.summary_replies import read_summaries
from polyadic.llm.replies.parsed_reply import Problems
from polyadic.model.identity import entity_key
from tests.hierarchy.recorded_requests import MEMBERS

KEYS = st.sampled_from(
    ["summaries", "entities", "name", "type", "description", "members", "title", "rating", "findings", "text", "facts"]
)
WORDS = st.text(max_size=12) | st.sampled_from(
    ["Ada Lovelace", "[1, 2]", "3-5", "the", "high", "\ud800", "[Data: Facts (1)]"]
)
LEAVES = st.none() | st.booleans() | st.integers(-2, 9) | st.floats() | WORDS
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=6))
SUMMARIES = st.lists(st.fixed_dictionaries({"name": WORDS, "description": WORDS}, optional={"members": VALUES}))
FINDINGS = st.lists(WORDS | st.fixed_dictionaries({"text": WORDS, "facts": VALUES}))
LIKELY = st.fixed_dictionaries({"summaries": SUMMARIES, "title": WORDS, "rating": LEAVES, "findings": FINDINGS})
REPLIES = (
    LIKELY.map(json.dumps)
    | VALUES.map(json.dumps)
    | st.text(max_size=60)
    | st.tuples(VALUES.map(json.dumps), st.integers(1, 80)).map(lambda pair: pair[0][: pair[1]])
)
FACTS = ["f1", "f2", "f3"]


@given(REPLIES)
def test_summaries_have_unique_names_and_existing_members(reply: str) -> None:
    found, problems = read_summaries(reply, MEMBERS, ["person"])
    keys = [entity_key(one.name) for one in found]
    assert all(keys) and len(set(keys)) == len(keys) <= len(MEMBERS) // 2
    assert not set(keys) & {entity_key(member.name) for member in MEMBERS}
    assert all(len(one.members) >= 2 and set(one.members) <= set(range(1, 7)) for one in found)
    assert all(one.description and one.type in ("person", "normal_entity") for one in found)
    assert all(times > 0 for times in problems.values())
    said = "".join(text for one in found for text in (one.name, one.description))
    assert "\n" not in said and said.encode().decode() == said


@given(REPLIES)
def test_findings_cite_existing_facts(reply: str) -> None:
    draft = read_report(reply, Problems())
    if draft is not None:
        assert 0 <= draft.rating <= 10
        findings = findings_of(draft, FACTS, Problems())
        assert all(one.text and one.facts and set(one.facts) <= set(FACTS) for one in findings)
        said = "".join((draft.title, draft.summary, *(one.text for one in findings)))
        assert "\n" not in said and said.encode().decode() == said


NASTY = {
    "brackets": "[{" * 200_000,
    "opened lists": '{"findings": [' * 30_000,
    "quotes": '{"summaries": [{"name": "' + '\\"' * 150_000,
    "markers": '{"title": "A", "findings": [{"text": "' + "[Data: (" * 40_000 + '"}]}',
    "numbers": '{"title": "A", "findings": [{"text": "a", "facts": [' + "1," * 150_000 + "1]}]}",
    "a long list": '{"summaries": [' + '{"name": "A", "description": "B"},' * 10_000 + "{}]}",
}


@pytest.mark.parametrize("reply", NASTY.values(), ids=NASTY)
def test_parsing_takes_linear_time(reply: str) -> None:
    started = time.process_time()
    read_summaries(reply, MEMBERS, [])
    read_report(reply, Problems())
    assert time.process_time() - started < 5
