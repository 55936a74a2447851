"""Summaries by a model over HTTP: what it is asked, what is kept of its reply, and what stands in for it."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from polyadic.config import HierarchyBuildSettings
from polyadic.errors import ModelUnavailable
from polyadic.hierarchy.extractive_summarizer import summarized
from polyadic.hierarchy.llm_summarizer import CUT_OFF, UNUSABLE_SUMMARIES, LLMSummarizer
from polyadic.hierarchy.prompt_context import MemberContext
from polyadic.hierarchy.summarizer import ClusterSummaries
from polyadic.llm.batch_model import BatchModel, ReplyPending
from polyadic.llm.budget import SpendingBudget
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.endpoint_model import EndpointModel, prompt_tokens
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.hierarchy import EXTRACTIVE, Cluster
from tests.hierarchy.recorded_requests import ADA, MEMBERS, Kept, record, summaries, written
from tests.llm.endpoint_help import model_settings
from tests.model_server import (
    Changed,
    CutText,
    EmptyChoices,
    EmptyText,
    Fenced,
    Misbehaviour,
    ModelServer,
    NotJson,
    NullContent,
    Prose,
    Refusal,
    Replaced,
    Said,
    Status,
    Think,
    ready,
)

IDS = tuple(member.id for member in MEMBERS)
ALL = tuple(sorted(IDS))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


def test_summary_contains_the_model_reply(server: ModelServer) -> None:
    found = summaries(server)
    (summary,) = found.summaries
    assert (summary.name, summary.type) == ("Theme of Ada Lovelace and Charles Babbage", "event")
    assert summary.description == "What Ada Lovelace and Charles Babbage have in common with 4 more."
    assert (summary.members, summary.layer, summary.by) == (ALL, 1, "recorded")
    assert summary.cluster == Cluster(0, ALL, ()).id
    # The facts of members without a description are shown, and rest on as well.
    assert found == ClusterSummaries((summary,), tuple(sorted((*IDS, "f1", "f2", "f3", "f4"))))


def test_request_has_strict_json_schema_and_all_members(server: ModelServer) -> None:
    summaries(server)
    (asked,) = server.asked
    assert asked.json_mode == "json_schema"
    assert asked.schema and set(asked.schema["properties"]) == {"summaries"}
    assert "one of organization, person, location, event, technology, or normal_entity if" in asked.messages[0].text
    lines = asked.last_user_text.splitlines()
    assert [line for line in lines if line.startswith("[1]")] == [
        f"[1] Ada Lovelace (person): {ADA.description}. {' '.join(fact.text for fact in ADA.facts[:3])}"
    ]
    assert sum(line.startswith("[") for line in lines) == len(MEMBERS)


@pytest.mark.parametrize("mode", ["object", "text"])
def test_request_describes_json_for_endpoints_without_schemas(server: ModelServer, mode: str) -> None:
    found = summaries(server, json_mode=mode)
    assert server.asked[0].json_mode == ("json_object" if mode == "object" else None)
    assert found.summaries[0].by == "recorded" and found.dropped == ()


def test_refused_schema_is_retried_without(server: ModelServer) -> None:
    server.misbehave(
        Status(400, message="response_format is not supported"), when=lambda asked: asked.schema is not None
    )
    assert summaries(server).summaries[0].by == "recorded"
    assert [asked.json_mode for asked in server.asked] == ["json_schema", "json_object"]


def test_a_reply_is_paid_for_once(server: ModelServer) -> None:
    memory = Kept()
    first = summaries(server, memory=memory)
    assert summaries(server, memory=memory) == first
    assert len(server.asked) == 1


def test_the_same_members_make_the_same_request(server: ModelServer) -> None:
    asked = [written(server, request_for(MEMBERS)) for _ in range(2)]
    assert asked[0] == asked[1] and asked[0].purpose == "summarize"
    assert prompt_tokens(asked[0]) > 400 and not server.asked


def request_for(members: Sequence[MemberContext]) -> Any:
    async def request(writing: LLMSummarizer) -> Any:
        return writing.summary_request(members)

    return request


@pytest.mark.parametrize(("context", "has_details"), [(2_000, False), (16_000, True)])
def test_member_details_respect_the_context_window(server: ModelServer, context: int, has_details: bool) -> None:
    many = [MemberContext(str(n), f"Member {n}", "thing", "It is told at length. " * 40) for n in range(30)]
    found = summaries(server, many, context_tokens=context)
    assert found.summaries[0].by == "recorded" and len(found.summaries[0].members) == 30
    assert ("It is told at length. " * 5 in server.asked[0].text) is has_details


def test_members_beyond_the_context_window_are_left_out(server: ModelServer) -> None:
    many = [MemberContext(str(n), f"Member {n} of a very long list of things") for n in range(300)]
    found = summaries(server, many, context_tokens=2_000)
    assert found.summaries[0].by == EXTRACTIVE and not server.asked
    assert "the request has about" in found.failed


def test_workspace_prompt_is_used(server: ModelServer, tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "summarize_cluster.txt").write_text(
        'mine-1\n=== user\nMy "summaries" in JSON, please:\n$members $types\n'
    )
    found = summaries(server, prompts=PromptLibrary(tmp_path), json_mode="text")
    assert found.summaries[0].by == "recorded"
    assert server.asked[0].text.startswith('My "summaries" in JSON, please:\n[1] Ada Lovelace')


@pytest.mark.parametrize("kind", [Fenced(), Think(), Prose()], ids=lambda kind: type(kind).__name__)
def test_text_around_the_json_is_ignored(server: ModelServer, kind: Misbehaviour) -> None:
    expected = summaries(server)
    server.misbehave(kind)
    assert summaries(server) == expected


def test_truncated_reply_keeps_complete_summaries(server: ModelServer) -> None:
    text = json.dumps({"summaries": [record("People", [1, 2]), record("Engines", [1, 3])]})
    cut = text[: text.index("Engines it")]
    server.misbehave(Changed(lambda said: Said(cut, "length")))
    memory = Kept()
    found = summaries(server, memory=memory)
    assert [(s.name, s.by) for s in found.summaries] == [("People", "recorded")]
    assert CUT_OFF in found.dropped and "summary without a description" in found.dropped
    assert len(memory.replies) == 1


USELESS = {
    "refusal": (Refusal("I won't."), "refuses (I won't.)"),
    "null": (NullContent(), "sent an empty reply"),
    "empty": (EmptyText(), "sent an empty reply"),
    "no choices": (EmptyChoices(), "sent an empty reply"),
    "a proxy's page": (NotJson(), "not a model reply"),
    "an error": (Status(500), "answers 500"),
    "prose": (Replaced("No idea."), 'gave no summaries that can be read ("No idea.")'),
    "another kind": (Replaced('{"facts": [{"text": "A."}]}'), "gave no summaries that can be read"),
    "a number": (Replaced("[1, 2, 3]"), "gave no summaries that can be read"),
    "cut off at once": (CutText(), "reached output_tokens before its summaries could be read"),
    "brackets": (Changed(lambda said: Said("[{" * 300_000, completion_tokens=9)), "gave no summaries that can be read"),
}


@pytest.mark.parametrize(("kind", "why"), USELESS.values(), ids=USELESS)
def test_extractive_summary_replaces_an_unusable_reply(server: ModelServer, kind: Misbehaviour, why: str) -> None:
    server.misbehave(kind, times=None)
    memory = Kept()
    found = summaries(server, memory=memory)
    expected = summarized(1, MEMBERS)
    assert (found.summaries, found.sources) == (expected.summaries, expected.sources)
    assert found.summaries[0].by == EXTRACTIVE
    assert UNUSABLE_SUMMARIES in found.dropped and why in found.failed and "\n" not in found.failed
    # It is asked again the next time.
    assert memory.replies == {}
    server.behave()
    assert summaries(server, memory=memory).summaries[0].by == "recorded"


def test_model_that_finds_nothing_in_common_is_not_asked_again(server: ModelServer) -> None:
    server.misbehave(Replaced('{"summaries": []}'))
    memory = Kept()
    found = summaries(server, memory=memory)
    assert found == summarized(1, MEMBERS) and not found.failed
    assert summaries(server, memory=memory) == found and len(server.asked) == 1


def test_single_member_makes_no_request(server: ModelServer) -> None:
    assert summaries(server, MEMBERS[:1]).summaries == () and not server.asked


def test_unavailable_model_or_budget_stops_the_run(server: ModelServer) -> None:
    server.misbehave(Status(401))
    with pytest.raises(ModelUnavailable):
        summaries(server)
    with pytest.raises(ModelUnavailable, match="budget"):
        summaries(server, budget=SpendingBudget(tokens=10))


def test_requests_can_be_written_to_batch_files(server: ModelServer) -> None:
    by_file = BatchModel(EndpointModel(model_settings(server, key_variable="")), lambda key: None)
    writing = LLMSummarizer(CachedModel(by_file, Kept()), PromptLibrary(), HierarchyBuildSettings())
    with pytest.raises(ReplyPending) as awaited:
        asyncio.run(writing.summarize(1, MEMBERS))
    assert [noted.purpose for noted in awaited.value.requests] == ["summarize"]
