"""Write ``report.html``: a self-contained page with tables, plots and the individual questions."""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from polyadic import __version__
from polyadic.evaluation.breakdown import ARITY
from polyadic.evaluation.question_record import QuestionRecord, RetrievedRecord
from polyadic.evaluation.report_plots import construction_plots, cost_plots, quality_plots
from polyadic.evaluation.report_tables import (
    arity_table,
    construction_table,
    difference_table,
    quality_table,
    question_cost_table,
    win_table,
)
from polyadic.evaluation.results import EvaluationResults
from polyadic.evaluation.svg_plots import COLOURS, MARKS, Plot

FILE_NAME = "report.html"

_MOST_CHARACTERS = 12_000_000
_MOST_ITEMS = 15
_LONGEST_ITEM, _LONGEST_ANSWER, _LONGEST_REASONING, _LONGEST_QUESTION = 500, 3000, 6000, 1000
_MOST_PASSAGES = 5
_SHOWN_AT_FIRST = 4
_ORIGIN_LABELS = {"quotes": "quoted from the retrieved text, without a language model", "model": ""}
# Escaped so that no text can close the script element or open another.
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def write_report(results: EvaluationResults, folder: Path) -> Path:
    """Write ``report.html`` atomically.

    Raises
    ------
    SettingsError
        matplotlib is not installed.
    """
    file = folder / FILE_NAME
    partial_file = file.with_suffix(".html.part")
    partial_file.write_text(page(results), encoding="utf-8", errors="replace")
    partial_file.replace(file)
    return file


def page(results: EvaluationResults) -> str:
    """Render the page."""
    data, script = _page_data(results), _part("page.js")
    total = len(results.questions)
    some_shown = f"{data.questions:,} of {total:,} questions; results.json contains all."
    shown = f"All {total:,} questions." if data.questions == total else some_shown
    return _fill_template(
        _part("page.html"),
        {
            "title": escape(f"{results.dataset}: {len(results.plan.names)} methods compared"),
            "style": _part("style.css"),
            "head": "\n".join(_head(results)),
            "sections": "\n".join(_sections(results)),
            "shown": f"{escape(shown)} Long texts are shortened.",
            # Browsers hash everything between the tags.
            "script-hash": _hash(f"\n{script}\n"),
            "script": script,
            "data": data.json,
        },
    )


def _head(results: EvaluationResults) -> Iterator[str]:
    plan = results.plan
    drawn = f" drawn with seed {plan.seed}" if plan.limit is not None else ""
    by = f" answers by {results.model};" if results.model else ""
    yield (
        f"<p>{len(results.questions):,} questions{drawn}, at most {plan.context_tokens:,} context tokens each;"
        f"{escape(by)} vectors by {escape(results.construction.embedder)}; Polyadic {escape(__version__)}.</p>"
    )
    for note in (*results.notes, *([f"stopped: {results.stopped}"] if results.stopped else [])):
        yield f'<p class="quiet">{escape(note)}</p>'
    if results.failures:
        first, failed_questions = results.failures[0], f"{len(results.failures):,} questions failed"
        summary = f"{failed_questions}, among them {first.question} by {first.method}: {first.reason}"
        yield f'<p class="quiet">{escape(summary)}</p>'


def _sections(results: EvaluationResults) -> Iterator[str]:
    yield "<h2>Quality</h2>"
    yield quality_table(results)
    if results.differences:
        yield difference_table(results)
    yield from _arity_tables(results)
    if results.comparisons:
        yield "<h2>Win rates</h2>"
        yield win_table(results.comparisons)
    yield "<h2>Curves</h2>"
    yield _legend(results.plan.names)
    yield _plots(quality_plots(results))
    yield "<h2>Questions: time, tokens and cost</h2>"
    yield question_cost_table(results)
    yield _plots(cost_plots(results))
    yield "<h2>Construction</h2>"
    yield construction_table(results)
    yield _plots(construction_plots(results))


def _arity_tables(results: EvaluationResults) -> Iterator[str]:
    for breakdown in results.breakdowns:
        if breakdown.by == ARITY:
            for place, column in enumerate(results.scores.columns):
                if ":" not in column.name and results.scores.applies(place):
                    yield arity_table(results, breakdown, place)


def _legend(methods: Iterable[str]) -> str:
    entries = []
    for number, method in enumerate(methods):
        dashed = ' class="dashed"' if number >= COLOURS else ""
        # U+FE0E selects the text form, not the emoji.
        mark = f"{MARKS[number % len(MARKS)]}\ufe0e{'┄' if dashed else '─'}"
        swatch = f'<span class="series-{number % COLOURS}" aria-hidden="true">{mark}</span>'
        entries.append(f"<li{dashed}>{swatch} {escape(method)}</li>")
    return f'<ul class="legend" aria-label="Methods">{"".join(entries)}</ul>'


def _plots(plots: Iterable[Plot]) -> str:
    figures = (
        f"<figure><h3>{escape(plot.title)}</h3>{plot.svg}<figcaption>{escape(plot.caption)}</figcaption></figure>"
        for plot in plots
    )
    return f'<div class="plots">{"".join(figures)}</div>'


def _fill_template(template: str, parts: dict[str, str]) -> str:
    """Fill each ``{{name}}`` of the template; inserted text is not expanded again."""
    before, *rest = template.split("{{")
    return before + "".join(parts[name] + after for name, _, after in (piece.partition("}}") for piece in rest))


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _part(name: str) -> str:
    return files("polyadic.evaluation.report_page").joinpath(name).read_text(encoding="utf-8").rstrip("\n")


@dataclass(frozen=True, slots=True)
class _PageData:
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


def _page_data(results: EvaluationResults) -> _PageData:
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
    return _PageData(_script_json(data), len(questions))


def _script_json(value: Mapping[str, Any]) -> str:
    """Serialize a value to JSON that is safe inside a script element.

    >>> _script_json({"text": "</script><!-- & \\u2028"})
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
