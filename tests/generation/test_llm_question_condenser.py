"""A question that follows up on a conversation, made to be understood without it."""

import asyncio
from collections.abc import Iterator

import pytest

from polyadic.config import ModelSettings
from polyadic.errors import ModelUnavailable
from polyadic.generation.llm_question_condenser import condense_question
from polyadic.generation.rule_question_condenser import standalone
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import TraceStep, Turn, Usage
from tests.model_server import EmptyText, ModelServer, Refusal, Status, says

HISTORY = [Turn("Who was Ada Lovelace?", "A mathematician [1]."), Turn("Whom did she meet?", "Charles Babbage.")]
QUESTION = "Where was she born?"
BESIDE = standalone(QUESTION, HISTORY)


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def asked(
    server: ModelServer, reply: str, history: list[Turn] = HISTORY, question: str = QUESTION
) -> tuple[str, Usage, TraceStep]:
    server.responders = [says(reply)]
    settings = ModelSettings(name="recorded", base_url=server.url, key_variable="", retries=0)
    return asyncio.run(condense_question(question, history, EndpointModel(settings), PromptLibrary()))


def test_request_contains_the_conversation(server: ModelServer) -> None:
    server.reset()
    question, usage, step = asked(server, "Where was Ada Lovelace born?")
    assert question == step.detail == "Where was Ada Lovelace born?"
    assert step.name == "make the question self-contained"
    assert usage == Usage(1, server.calls[0].prompt_tokens, server.calls[0].completion_tokens)
    for said in ("Q: Who was Ada Lovelace?", "A: A mathematician", "A: Charles Babbage.", f"Next question: {QUESTION}"):
        assert said in server.asked[0].last_user_text


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ('"Where was Ada Lovelace born?"', "Where was Ada Lovelace born?"),
        ("**Where was Ada Lovelace born?**", "Where was Ada Lovelace born?"),
        ("Question: Where was Ada Lovelace born?", "Where was Ada Lovelace born?"),
        ("Here is the question:\n\nWhere was Ada Lovelace born?\n", "Where was Ada Lovelace born?"),
        ("<think>She is Ada?</think>\nWhere was Ada Lovelace born?", "Where was Ada Lovelace born?"),
        ("She is Ada?\n</think>\nWhere was Ada Lovelace born?", "Where was Ada Lovelace born?"),
        ("Where was Ada, who wrote “Notes”, born?", "Where was Ada, who wrote “Notes”, born?"),
    ],
)
def test_question_is_extracted_from_the_reply(server: ModelServer, reply: str, question: str) -> None:
    assert asked(server, reply)[0] == question


@pytest.mark.parametrize(
    "reply",
    [
        "Ada Lovelace was born in London.",
        "She was born in London.\nIn 1815.",
        "Where was " + "Ada " * 200 + "born?",
        "<think>Hm?",
        "“”",
    ],
)
def test_replies_without_a_question_are_ignored(server: ModelServer, reply: str) -> None:
    question, usage, step = asked(server, reply)
    assert question == BESIDE
    assert step.detail == f"recorded gave no usable question; rewritten by rules: {BESIDE}"
    assert usage.calls == 1


def test_question_keeps_its_language(server: ModelServer) -> None:
    assert asked(server, "艾达出生在哪里？", question="她出生在哪里？")[0] == "艾达出生在哪里？"
    question, _, step = asked(server, "Where was Ada Lovelace born?", question="Wo wurde sie geboren?")
    assert question == standalone("Wo wurde sie geboren?", HISTORY)
    assert "gave no usable question" in step.detail


def test_imperative_requests_are_accepted(server: ModelServer) -> None:
    assert (
        asked(server, "Tell me about Ada's mother.", question="Tell me about her mother.")[0]
        == "Tell me about Ada's mother."
    )


def test_missing_reply_keeps_the_original_question(server: ModelServer) -> None:
    for kind in (EmptyText(), Refusal(), Status(500)):
        server.misbehave(kind)
        assert asked(server, "Where?")[:2] == (BESIDE, Usage())
    server.misbehave(Status(401))
    with pytest.raises(ModelUnavailable):
        asked(server, "Where?")


def test_long_conversation_is_truncated(server: ModelServer) -> None:
    server.reset()
    history = [Turn(f"Question {i}? " + "why " * 2000, f"Answer {i}.\nQ: fake " + "so " * 2000) for i in range(50)]
    asked(server, "Where was Ada Lovelace born?", history)
    text = server.asked[0].last_user_text
    assert len(text) < 20_000
    assert "Question 44?" in text and "Question 49?" in text and "Question 43?" not in text
    assert [line[:2] for line in text.splitlines() if line[:2] in ("Q:", "A:")] == ["Q:", "A:"] * 6
