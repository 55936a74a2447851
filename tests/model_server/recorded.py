"""A recorded model: replies that a large language model once gave, found by the text in the request."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Generic, TypeVar

from tests.model_server.facts import FactRow, reply_with_facts, reply_with_names
from tests.model_server.reading import numbered, wanted, without_numbers
from tests.model_server.types import Asked, Responder

_LONGEST_KEY = 24
V = TypeVar("V")


def recorded_model(folder: str | Path) -> Responder:
    """Answers from a data set such as ``2wiki-101``: the facts of the passages, the entities of the questions.

    A request must hold a passage whole; its sentences may be numbered, one a line, and its white space may differ.
    Several passages give the facts of all, in the order of the request. What is not recorded is passed on.
    """
    folder = Path(folder)
    facts = {row["_id"]: row["facts"] for row in _rows(folder / "facts.jsonl")}
    entities = {row["_id"]: row["entities"] for row in _rows(folder / "query_entities.jsonl")}
    passages = Texts[list[FactRow]]((row["text"], facts.get(row["_id"], [])) for row in _rows(folder / "corpus.jsonl"))
    queries = Texts[list[str]](
        (row["text"], entities[row["_id"]]) for row in _rows(folder / "queries.jsonl") if row["_id"] in entities
    )

    def respond(asked: Asked) -> str | None:
        match wanted(asked):
            case request if request and request.subject == "facts":
                # Usually the numbered lines are one passage, which saves the search.
                whole = passages.equal("".join(item for _, item in numbered(asked.last_user_text)))
                found = list(passages.within(asked.text)) if whole is None else [whole]
                return reply_with_facts([fact for part in found for fact in part], request) if found else None
            case request if request and request.subject == "entities":
                names = next(queries.within(asked.text), None)
                return None if names is None else reply_with_names(names)
            case _:
                return None

    return respond


class Texts(Generic[V]):
    """Texts and what belongs to each; finds them within another text, whatever the white space and the numbering."""

    def __init__(self, values: Iterable[tuple[str, V]]) -> None:
        self._known = {_bare(text): value for text, value in reversed(list(values))}
        self._size = min([_LONGEST_KEY, *map(len, self._known)])
        self._by_beginning: dict[str, list[tuple[str, V]]] = {}
        for text in sorted(self._known, key=len, reverse=True):
            self._by_beginning.setdefault(text[: self._size], []).append((text, self._known[text]))

    def equal(self, text: str) -> V | None:
        return self._known.get("".join(text.split()))

    def within(self, text: str) -> Iterator[V]:
        """The values of the texts found, in order; where two overlap, the first and longest counts."""
        bare, at = _bare(text), 0
        while at <= len(bare) - self._size:
            candidates = self._by_beginning.get(bare[at : at + self._size], ())
            found = next(((known, value) for known, value in candidates if bare.startswith(known, at)), None)
            if found is None:
                at += 1
            else:
                yield found[1]
                at += len(found[0])


def _bare(text: str) -> str:
    return "".join(without_numbers(text).split())


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())
