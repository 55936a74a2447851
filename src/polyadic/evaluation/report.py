"""Write ``report.html``: a self-contained page with tables, plots and the individual questions."""

import base64
import hashlib
from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files
from pathlib import Path

from polyadic import __version__
from polyadic.evaluation.breakdown import ARITY
from polyadic.evaluation.plots import COLOURS, MARKS, Plot
from polyadic.evaluation.report_data import page_data
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

FILE_NAME = "report.html"


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
    data, script = page_data(results), _part("page.js")
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
