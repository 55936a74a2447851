"""Data of individual questions for the report page: limited in size and safe to embed in a script element."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from polyadic.evaluation.plots import COLOURS
from polyadic.evaluation.record import QuestionRecord, RetrievedRecord
from polyadic.evaluation.results import EvaluationResults

_MOST_CHARACTERS = 12_000_000
_MOST_ITEMS = 15
_LONGEST_ITEM, _LONGEST_ANSWER, _LONGEST_REASONING, _LONGEST_QUESTION = 500, 3000, 6000, 1000
_MOST_PASSAGES = 5
_SHOWN_AT_FIRST = 4
_ORIGIN_LABELS = {"quotes": "quoted from the retrieved text, without a language model", "model": ""}
# Escaped so that no text can close the script element or open another.
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


@dataclass(frozen=True, slots=True)
class PageData:
    """Data of a page as JSON, and the number of questions in it."""

    json: str
    questions: int


@dataclass
class _Items:
    """Distinct items and their indices; ``characters`` is their total length."""

    kept: list[tuple[str, str, int, list[str]]] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    characters: int = 0

    def place(self, found: RetrievedRecord) -> int:
        if found.key not in self.places:
            self.places[found.key] = len(self.kept)
            text = _cut(found.text, _LONGEST_ITEM)
            self.kept.append((found.kind, text, found.tokens, list(found.passages[:_MOST_PASSAGES])))
            self.characters += len(text)
        return self.places[found.key]


def page_data(results: EvaluationResults) -> PageData:
    """Build the data of as many questions, in order, as the size limit allows."""
    items, questions, characters = _Items(), list[dict[str, Any]](), 0
    for place in range(len(results.questions)):
        shown = _question(place, results, items)
        characters += len(json.dumps(shown))
        if characters + items.characters > _MOST_CHARACTERS and questions:
            break
        questions.append(shown)
    data = {
        "methods": list(results.plan.names),
        "columns": [{"name": column.name, "best": column.best} for column in results.scores.columns],
        "colours": COLOURS,
        "shown": _SHOWN_AT_FIRST,
        "items": items.kept,
        "questions": questions,
    }
    return PageData(script_json(data), len(questions))


def script_json(value: Mapping[str, Any]) -> str:
    """Serialize a value to JSON that is safe inside a script element.

    >>> script_json({"text": "</script><!-- & \\u2028"})
    '{"text":"\\\\u003c/script\\\\u003e\\\\u003c!-- \\\\u0026 \\\\u2028"}'
    """
    return json.dumps(value, separators=(",", ":")).translate(_ESCAPES)


def _question(place: int, results: EvaluationResults, items: _Items) -> dict[str, Any]:
    question = results.questions[place]
    return {
        "id": question.id,
        "text": _cut(question.text, _LONGEST_QUESTION),
        "answers": [_cut(answer, _LONGEST_QUESTION) for answer in question.answers[:10]],
        "gold": sorted(question.gold)[:50],
        "kind": question.kind,
        "arity": question.arity,
        "hops": question.hops,
        "results": [
            _result(row[place], results.scores.values[method, place].tolist(), items)
            for method, row in enumerate(results.records)
        ],
    }


def _result(record: QuestionRecord | None, scores: list[float], items: _Items) -> dict[str, Any] | None:
    if record is None:
        return None
    answer = record.answer
    return {
        "items": [items.place(item) for item in record.found[:_MOST_ITEMS]],
        "count": len(record.found),
        "passages": list(record.passages)[:100],
        "tokens": record.tokens,
        "omitted": record.omitted,
        "answer": None if answer is None else _cut(answer.text, _LONGEST_ANSWER) if answer.answered else "",
        "reasoning": _cut(answer.reasoning, _LONGEST_REASONING) if answer else "",
        "by": _ORIGIN_LABELS[answer.by] if answer and answer.answered else "",
        # NaN is the one number that differs from itself.
        "scores": [round(score, 4) if score == score else None for score in scores],  # noqa: PLR0124
        "seconds": [round(record.times.retrieval, 4), round(record.times.answering, 4)],
        "money": record.usage.money,
    }


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
