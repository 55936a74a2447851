"""Facts as recorded or made, and the two formats in which a model replies with them."""

import json
from collections.abc import Iterator, Sequence
from typing import NotRequired, TypedDict

from tests.model_server.reading import Wanted


class EntityRow(TypedDict):
    name: str
    type: str
    description: str
    score: float


class FactRow(TypedDict):
    text: str
    score: float
    entities: list[EntityRow]
    sentences: NotRequired[list[int]]


def reply_with_facts(facts: Sequence[FactRow], wanted: Wanted) -> str:
    if wanted.format == "records":
        return "##".join([*_records(facts), "<|COMPLETE|>"])
    rows = [
        {
            "text": fact["text"],
            "score": fact["score"],
            "sentences": fact.get("sentences", []),
            "entities": fact["entities"],
        }
        for fact in facts
    ]
    return json.dumps({"facts": rows}, ensure_ascii=False)


def reply_with_names(names: Sequence[str]) -> str:
    return json.dumps({"entities": list(names)}, ensure_ascii=False)


def _records(facts: Sequence[FactRow]) -> Iterator[str]:
    """As HyperGraphRAG's: each fact, then its entities."""
    for fact in facts:
        yield f'("hyper-relation"<|>{fact["text"]}<|>{fact["score"]:g})'
        for entity in fact["entities"]:
            fields = [entity["name"], entity["type"], entity["description"], f"{entity['score']:g}"]
            yield f'("entity"<|>{"<|>".join(fields)})'
