"""Whatever a model replies: no exception, bounded work, values within their ranges."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyadic.llm.replies.parsed_reply import ParsedReply
from polyadic.llm.replies.parser import LONGEST_REPLY, read_reply
from tests.llm.replies import test_delimited_facts, test_json_facts
from tests.support.examples import examples

GOOD = (test_json_facts.REPLY, test_delimited_facts.REPLY, test_delimited_facts.PERSONS + test_delimited_facts.KNOWS)
SHARDS = st.sampled_from(
    [*"{}[]()\"'\\,:#<|>9\n ", "<|>", "##", '("entity"<|>', '{"text": "', '"entities": [', "<think>", "\ud800"]
)
KEYS = st.sampled_from(["facts", "text", "entities", "name", "score", "sentences", "type"])
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["facts", "text", "entities", "name", "score", "sentences", "type"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


def check(read: ParsedReply) -> None:
    for stated in read.stated:
        assert stated.text == " ".join(stated.text.split())
        assert 0 < len(stated.text) <= 4_000
        assert 0 < stated.score <= 10
        keys = [p.key for p in stated.participants]
        assert all(keys) and len(set(keys)) == len(keys) <= 100
        assert all(0 < p.score <= 100 for p in stated.participants)
        f"{stated}".encode()
    assert all(count > 0 for count in read.problems.values())
    assert read.stated or not read.problems or "no facts in the reply" in read.problems


@given(st.text() | st.lists(SHARDS, max_size=60).map("".join))
def test_any_text_is_parsed(text: str) -> None:
    check(read_reply(text))


@given(st.sampled_from(GOOD), st.data())
@settings(max_examples=examples(200))
def test_mutated_replies_are_parsed(good: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(good)))
        end = data.draw(st.integers(start, min(len(good), start + 12)))
        good = good[:start] + data.draw(SHARDS | st.text(max_size=3)) + good[end:]
    check(read_reply(good[: data.draw(st.integers(0, len(good)))]))


@given(JSON)
def test_any_json_is_parsed(value: object) -> None:
    check(read_reply(json.dumps(value)))
    check(read_reply(json.dumps({"facts": [value, {"text": value, "entities": value}]})))


@pytest.mark.slow
@pytest.mark.parametrize(
    "shard",
    [
        '{"',
        '"',
        "[",
        '{"a":',
        '{"text": "',
        '("entity"<|>',
        "(",
        ")",
        "<think>",
        "<think></think>",
        "</think>",
        "\n",
        " ",
        "##",
        "<|>",
        "<|COMPLETE|>",
        "9",
        '{"text": "a", "entities": ["',
        "```\n",
        '"facts": [{"text":',
        '("x"<|>"',
        "\\",
        "“",
        '"<|>"',
    ],
)
def test_parsing_takes_linear_time(shard: str) -> None:
    text = (shard * LONGEST_REPLY)[:LONGEST_REPLY]
    started = time.process_time()
    check(read_reply(text))
    assert time.process_time() - started < 5


def test_overlong_reply_is_truncated_and_counted() -> None:
    read = read_reply(test_delimited_facts.REPLY + " " * LONGEST_REPLY)
    assert len(read.stated) == 2
    assert read.problems == {"reply too long, cut": 1}
