"""The recorded model finds its passages and questions, however they are laid out."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.model_server import ModelServer
from tests.model_server.client import FACTS, ask, client, text_of

pytestmark = pytest.mark.data


def rows(name: str) -> list[dict[str, Any]]:
    path = Path(os.environ["POLYADIC_DATA"]) / "2wiki-101" / name
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def numbered(text: str) -> str:
    """Sentences, roughly, one a line."""
    parts = text.replace(". ", ".\n").split("\n")
    return "\n".join(f"[{n}] {part}" for n, part in enumerate(parts, 1))


def closed(**properties: Any) -> dict[str, Any]:
    """A schema as strict mode demands it."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def strict(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": name, "schema": schema, "strict": True}}


def test_facts_of_numbered_sentences(recorded_server: ModelServer) -> None:
    passages, facts = rows("corpus.jsonl")[:40], {row["_id"]: row["facts"] for row in rows("facts.jsonl")}
    with client(recorded_server) as opened:
        for passage in passages:
            reply = json.loads(text_of(ask(opened, f"{FACTS}\n{numbered(passage['text'])}\nReply now.")))
            assert reply["facts"] == [{**fact, "sentences": []} for fact in facts[passage["_id"]]]


def test_facts_keep_to_a_strict_schema(recorded_server: ModelServer) -> None:
    text, number = {"type": "string"}, {"type": "number"}
    entity = closed(name=text, type=text, description=text, score=number)
    sentences = {"type": "array", "items": {"type": "integer"}}
    fact = closed(text=text, score=number, sentences=sentences, entities={"type": "array", "items": entity})
    wanted = strict("facts", closed(facts={"type": "array", "items": fact}))
    with client(recorded_server) as opened:
        recorded = text_of(ask(opened, numbered(rows("corpus.jsonl")[0]["text"]), response_format=wanted))
        made = text_of(ask(opened, response_format=wanted))
    assert json.loads(recorded)["facts"][0]["entities"][0]["name"] == "Teutberga"
    assert json.loads(made)["facts"][0]["sentences"] == [1]


def test_several_passages_give_all_facts_in_order(recorded_server: ModelServer) -> None:
    first, second = rows("corpus.jsonl")[:2]
    text = numbered(f"{second['title']}\n{second['text']}  \n\n {first['text']}")
    with client(recorded_server) as opened:
        reply = json.loads(text_of(ask(opened, f"{FACTS}\n{text}")))
    facts = {row["_id"]: row["facts"] for row in rows("facts.jsonl")[:2]}
    assert [f["text"] for f in reply["facts"]] == [f["text"] for row in (second, first) for f in facts[row["_id"]]]


def test_facts_as_delimited_records(recorded_server: ModelServer) -> None:
    with client(recorded_server) as opened:
        text = text_of(ask(opened, f"Separate fields by <|>.\n{numbered(rows('corpus.jsonl')[0]['text'])}"))
    assert text.startswith('("hyper-relation"<|>Teutberga, queen of Lotharingia') and text.endswith("##<|COMPLETE|>")
    assert '##("entity"<|>Teutberga<|>person<|>queen of Lotharingia who died 11 November 875<|>95)##' in text


def test_entities_of_questions(recorded_server: ModelServer) -> None:
    names = {"type": "array", "items": {"type": "string"}}
    wanted = strict("entities", closed(entities=names))
    with client(recorded_server) as opened:
        for query, recorded in zip(rows("queries.jsonl")[:10], rows("query_entities.jsonl"), strict=False):
            reply = text_of(ask(opened, f"Question: {query['text']}", response_format=wanted))
            assert json.loads(reply) == {"entities": recorded["entities"]}


def test_unrecorded_requests_are_passed_on(recorded_server: ModelServer) -> None:
    passage = rows("corpus.jsonl")[0]["text"]
    with client(recorded_server) as opened:
        made = json.loads(text_of(ask(opened)))["facts"]
        answer = text_of(ask(opened, f"[1] {passage}\n\nQuestion: Of whom was Teutberga a queen by marriage?"))
    assert made[0]["sentences"] == [1]
    assert answer == f"{passage} [1]"
