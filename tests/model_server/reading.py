"""Finds in a request what responders need: its numbered items, its question, the format that it asks for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tests.model_server.types import Asked

# What stands below the first line of an item.
_FURTHER = re.compile(r"^\[(\d+)\].*((?:\n  .*)+)", re.MULTILINE)
_NUMBERED = re.compile(r"^[ \t]*\[(\d+)\][ \t]*(.*)$", re.MULTILINE)
_QUESTION = re.compile(r"^(?:Question|Query):[ \t]*(.*(?:\n+.+)?)", re.MULTILINE)
_RUNNING = re.compile(r"^Text:(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)
Format = Literal["json", "linked", "records"]
Subject = Literal["facts", "entities", "summaries", "report", "steps", "step"]

# Findings name facts, and facts their entities: the first field that is named tells.
_FIELDS: Mapping[str, Subject] = {
    "summaries": "summaries",
    "findings": "report",
    "steps": "steps",
    "answers": "step",
    "facts": "facts",
    "entities": "entities",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request is about, and the format for it."""

    subject: Subject
    format: Format = "json"


def numbered(text: str) -> list[tuple[int, str]]:
    """The items ``[n] text``, each to the end of its line.

    >>> numbered("Sentences:\\n[1] One.\\n[2] Two.\\nThe end")
    [(1, 'One.'), (2, 'Two.')]
    """
    return [(int(number), item.strip()) for number, item in _NUMBERED.findall(text) if item.strip()]


def lines_of_items(text: str) -> list[tuple[int, str]]:
    """The first lines of all items ``[n] text``, and then their further lines, which are indented.

    >>> lines_of_items("[1] One.\\n  More.\\n[2] Two.\\nThe end")
    [(1, 'One.'), (2, 'Two.'), (1, 'More.')]
    """
    further = [(int(number), line.strip()) for number, lines in _FURTHER.findall(text) for line in lines.splitlines()]
    return [*numbered(text), *((number, line) for number, line in further if line)]


def unnumbered(text: str) -> list[tuple[int, str]]:
    """The lines after the last ``Text:``, to the next line of ``#``, with numbers of their own.

    >>> unnumbered("Text: An example.\\n####\\nText: One.\\nTwo.\\n####\\nOutput:")
    [(1, 'One.'), (2, 'Two.')]
    """
    running = _RUNNING.findall(text)
    lines = [line.strip() for line in running[-1].splitlines() if line.strip()] if running else []
    return list(enumerate(lines, 1))


def without_numbers(text: str) -> str:
    """A text whose numbered lines have lost their numbers."""
    return _NUMBERED.sub(r"\2", text)


def question(asked: Asked) -> str:
    """What stands after the last ``Question:`` of the last user message, there or on the next line with words.

    >>> from tests.model_server.types import Message
    >>> question(Asked(1, "m", (Message("user", "[1] Ada.\\n\\nQuestion:\\nWho?\\nAnswer:"),)))
    'Who?'
    """
    found = _QUESTION.findall(asked.last_user_text)
    return next((line.strip() for line in found[-1].splitlines() if line.strip()), "") if found else ""


def wanted(asked: Asked) -> Wanted | None:
    """None where the request is about something other than facts, the names of entities, summaries, a report or steps.

    With a schema its properties decide. Without one, the request has to show delimiters, or to speak of JSON and
    name a field in quotes.
    """
    if asked.schema is not None:
        properties: Mapping[str, Any] = asked.schema.get("properties", {})
        if "summaries" in properties or "findings" in properties:
            return Wanted("summaries" if "summaries" in properties else "report")
        if "steps" in properties or ("answers" in properties and "lines" in properties):
            return Wanted("steps" if "steps" in properties else "step")
        if "facts" in properties:
            in_facts = "entities" in properties["facts"].get("items", {}).get("properties", {})
            return Wanted("facts", "json" if in_facts else "linked")
        names = properties.get("entities", {}).get("items", {}).get("type") == "string"
        return Wanted("entities") if names else None
    if "<|>" in asked.text:
        return Wanted("facts", "records")
    if asked.json_mode or "json" in asked.text.casefold():
        return next((Wanted(subject) for field, subject in _FIELDS.items() if _quotes(field, asked.text)), None)
    return None


def _quotes(field: str, text: str) -> bool:
    return re.search(rf"[\"'`]{field}[\"'`]", text) is not None
