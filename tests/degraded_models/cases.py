"""The ways in which a model misbehaves about one chunk, and what is to become of each."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from polyadic.extraction.llm_extractor import UNFOUND_ENTITY
from tests.llm.endpoint_help import Sends
from tests.model_server import (
    Changed,
    CutConnection,
    CutText,
    EmptyChoices,
    EmptyText,
    Fenced,
    Huge,
    Late,
    Misbehaviour,
    Never,
    NotJson,
    NullContent,
    Prose,
    Refusal,
    Replaced,
    Said,
    Status,
    Think,
)
from tests.model_server.facts import with_entities

SENTENCES = 4
"""Of the chunk; the model that behaves makes a fact of each."""
ALWAYS = None


@dataclass(frozen=True)
class Case:
    """One way to misbehave.

    ``times`` is how often it happens (ALWAYS: each time), ``asked`` how many requests about the chunk reach the server
    in the first run, ``facts`` and ``evidence`` what is kept of it, ``problems`` what the report counts, ``failed``
    why the chunk is not read; empty where it is.
    """

    name: str
    kinds: Sequence[Misbehaviour]
    times: int | None = ALWAYS
    asked: int = 1
    facts: int = SENTENCES
    evidence: int = SENTENCES
    problems: Mapping[str, int] = field(default_factory=dict)
    failed: str = ""


def fails(name: str, *kinds: Misbehaviour, why: str, asked: int = 1, problems: Mapping[str, int] | None = None) -> Case:
    return Case(name, kinds, ALWAYS, asked, 0, 0, problems or {}, why)


def kept(name: str, *kinds: Misbehaviour, problems: Mapping[str, int] | None = None, **values: Any) -> Case:
    return Case(name, kinds, problems=problems or {}, **values)


def rewritten(how: Callable[[list[dict[str, Any]]], object]) -> Changed:
    """Says what this makes of the facts, which have their entities in each."""
    return Changed(lambda said: replace(said, text=json.dumps(how(with_entities(json.loads(said.text or ""))))))


def around(before: str, after: str) -> Changed:
    return Changed(lambda said: replace(said, text=f"{before}{said.text}{after}"))


def endless(text: str) -> Changed:
    """Says this; its tokens are not counted, which would take the server longer than the client waits."""
    return Changed(lambda said: replace(said, text=text, completion_tokens=1_000_000))


def _scored(fact: object, entity: object) -> Changed:
    def how(facts: list[dict[str, Any]]) -> object:
        entities = [{**one, "entities": [{**e, "score": entity} for e in one["entities"]]} for one in facts]
        return {"facts": [{**one, "score": fact} for one in entities]}

    return rewritten(how)


def _with_strangers(facts: list[dict[str, Any]]) -> object:
    stranger = {"name": "Xerxes of Nowhere", "type": "person", "description": "A king.", "score": 90}
    return {"facts": [{**one, "entities": [*one["entities"], stranger]} for one in facts]}


def _other_fields(facts: list[dict[str, Any]]) -> object:
    return {
        "hyperedges": [
            {
                "statement": one["text"],
                "confidence": one["score"],
                "participants": [{"entity_name": e["name"], "category": e["type"]} for e in one["entities"]],
            }
            for one in facts
        ]
    }


def _half_broken(facts: list[dict[str, Any]]) -> object:
    return {"facts": [facts[0], "no fact", {"score": 3}, *facts[1:]]}


_BUSY = {"retry-after-ms": "50"}
CASES = [
    # late, or not at all
    kept("late", Late(0.3)),
    fails("never", Never(), asked=2, why="gave no reply within 2 s"),
    kept("429, then it goes", Status(429, headers=_BUSY), times=1, asked=2),
    kept("429 with Retry-After in seconds", Status(429, retry_after=0.3), times=1, asked=2),
    kept("429 with Retry-After as a date", Status(429, retry_after=0.3, as_date=True), times=1, asked=2),
    kept("500, then it goes", Status(500, headers=_BUSY), times=1, asked=2),
    fails("500", Status(500, headers=_BUSY), asked=2, why="answers 500"),
    fails("503", Status(503, headers=_BUSY), asked=2, why="answers 503"),
    fails("400", Status(400, message="Something odd."), why="answers 400 (Something odd.)"),
    kept("a cut connection, then it goes", CutConnection(), times=1, asked=2),
    fails("a cut connection", CutConnection(), asked=2, why="cut the connection"),
    # cut off
    kept("cut off once", CutText(), times=1, asked=3),
    kept("cut off always", CutText(), asked=3, problems={"reply cut off at output_tokens": 2}),
    fails("cut off before a word", Changed(lambda said: Said("", "length")), why="used up its tokens"),
    # nothing
    fails("null content", NullContent(), why="sent an empty reply"),
    fails("empty text", EmptyText(), why="sent an empty reply"),
    fails("empty choices", EmptyChoices(), why="sent an empty reply"),
    fails("a refusal", Refusal("I won't."), why="refuses (I won't.)"),
    fails("a content filter", Changed(lambda said: Said(None, "content_filter")), why="because of its content filter"),
    fails("the page of a proxy", NotJson(), why="not a model reply"),
    fails("JSON of another kind", Sends('{"oh": [1]}'), why="not a model reply"),
    fails("broken JSON around it", Sends('{"choices": [{"mess'), why="not a model reply"),
    fails("prose alone", Replaced("No idea."), why='gave no facts that can be read ("No idea.")'),
    # the right thing, dressed up
    kept("prose around it", Prose()),
    kept("fences", Fenced()),
    kept("thoughts before it", Think()),
    kept("special tokens", around("<|im_start|>", "<|im_end|><|endoftext|>")),
    kept("control characters", around("\x00\x07\x1b", "\x08\x0b\ufeff")),
    kept("half a surrogate pair", around("\ud800", "\udfff")),
    kept("wrong names of fields", rewritten(_other_fields)),
    kept("a bare list", rewritten(lambda facts: facts)),
    # values that are off
    kept("scores out of range", _scored(700, -3), problems={"score out of range": 15}),
    kept("scores as words", _scored("high", "very sure"), problems={"score not a number": 15}),
    kept("scores missing", _scored(None, ""), problems={"score missing": 15}),
    kept("entities from nowhere", rewritten(_with_strangers), problems={UNFOUND_ENTITY: SENTENCES}),
    kept("every fact twice", rewritten(lambda facts: {"facts": facts * 2}), problems={"same fact twice": SENTENCES}),
    kept(
        "one entity only",
        rewritten(lambda facts: {"facts": [{**one, "entities": one["entities"][:1]} for one in facts]}),
        facts=0,
    ),
    kept("some records that are none", rewritten(_half_broken)),
    # too much
    fails("10 MB of words", Huge(10), why="gave no facts that can be read"),
    kept("10 MB after the facts", around("", " word" * 2_000_000), problems={"reply too long, cut": 1}),
    fails("10 MB without a space", endless("x" * 10_000_000), why="gave no facts"),
    fails("10 MB of brackets", endless("[{" * 5_000_000), why="gave no facts"),
]
