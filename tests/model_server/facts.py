"""Facts as recorded or made, and the formats in which a model replies with them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

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
    if wanted.format == "linked":
        return json.dumps(_linked(facts), ensure_ascii=False)
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


def _linked(facts: Sequence[FactRow]) -> dict[str, object]:
    """Return facts as lines with their names in brackets, and each entity once."""
    rows = [
        f"{', '.join(map(str, fact.get('sentences', [])))} | {fact['score']:g} | "
        + with_links(fact["text"], [entity["name"] for entity in fact["entities"]])
        for fact in facts
    ]
    entities = {entity["name"]: entity for fact in reversed(facts) for entity in reversed(fact["entities"])}
    lines = [f"{e['name']} | {e['type']} | {e['description']} | {e['score']:g}" for e in reversed(entities.values())]
    return {"facts": rows, "entities": lines}


def with_entities(reply: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """Return the facts of a reply with their entities in each, as a model also writes them.

    >>> reply = {"facts": ["1 | 8 | [[Ada]] met [[Byron]]."], "entities": ["Ada | person | poet | 80"]}
    >>> fact = with_entities(reply)[0]
    >>> fact["text"], [entity["name"] for entity in fact["entities"]]
    ('Ada met Byron.', ['Ada', 'Byron'])
    """
    fields = ("name", "type", "description", "score")
    described = {line.split(" | ")[0]: dict(zip(fields, line.split(" | "), strict=True)) for line in reply["entities"]}
    rows = []
    for line in reply["facts"]:
        sentences, score, text = line.split(" | ", 2)
        rows.append(
            {
                "text": re.sub(r"\[\[|\]\]", "", text),
                "score": float(score),
                "sentences": [int(number) for number in sentences.split(", ") if number],
                "entities": [described.get(name, {"name": name}) for name in re.findall(r"\[\[(.*?)\]\]", text)],
            }
        )
    return rows


def with_links(text: str, names: Sequence[str]) -> str:
    """Put names in double brackets where they first occur, longer ones first.

    >>> with_links("Ada of Osk met Osk.", ["Osk", "Ada of Osk"])
    '[[Ada of Osk]] met [[Osk]].'
    """
    spans = list[tuple[int, int]]()
    for name in sorted(names, key=len, reverse=True):
        edge = r"\b" if name.isascii() else ""
        places = (match.span() for match in re.finditer(f"{edge}{re.escape(name)}{edge}", text))
        spans += next(([place] for place in places if all(place[1] <= a or b <= place[0] for a, b in spans)), [])
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]}[[{text[start:end]}]]{text[end:]}"
    return text


def reply_with_names(names: Sequence[str]) -> str:
    return json.dumps({"entities": list(names)}, ensure_ascii=False)


def _records(facts: Sequence[FactRow]) -> Iterator[str]:
    """As HyperGraphRAG's: each fact, then its entities."""
    for fact in facts:
        yield f'("hyper-relation"<|>{fact["text"]}<|>{fact["score"]:g})'
        for entity in fact["entities"]:
            fields = [entity["name"], entity["type"], entity["description"], f"{entity['score']:g}"]
            yield f'("entity"<|>{"<|>".join(fields)})'
