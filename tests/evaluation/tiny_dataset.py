"""A little data set in the BEIR layout, and what is evaluated on it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from polyadic.concurrency.async_to_sync import async_to_sync
from polyadic.config import EmbeddingSettings, Settings
from polyadic.evaluation import svg_plots
from polyadic.evaluation.dataset_formats import load_dataset
from polyadic.evaluation.evaluate import evaluate
from polyadic.evaluation.plan import EvalPlan
from polyadic.evaluation.results import EvaluationResults
from polyadic.workspace import Workspace

PASSAGES = {
    "ada": ("Ada Lovelace", "Ada Lovelace was a daughter of Lord Byron."),
    "byron": ("Lord Byron", "Lord Byron was born in London in 1788."),
    "engine": ("Analytical Engine", "Charles Babbage designed the Analytical Engine."),
    "turin": ("Luigi Menabrea", "Luigi Menabrea described the Analytical Engine in Turin."),
    "bread": ("Bread", "Bread is made of flour and of water in Lyon."),
}
QUESTIONS: Sequence[Mapping[str, Any]] = (
    {"id": "q1", "text": "Who designed the Analytical Engine?", "answers": ["Charles Babbage"], "gold": ["engine"]},
    {"id": "q2", "text": "When was the father of Ada Lovelace born?", "answers": ["1788"], "gold": ["ada", "byron"]},
    {"id": "q3", "text": "Where was the Analytical Engine described?", "answers": ["Turin"], "gold": ["turin"]},
    {"id": "q4", "text": "What is bread made of?", "answers": ["flour and water"], "gold": ["bread"]},
)
METHODS = ("chunks", "walk", "none")
HASHING = Settings(embedding=EmbeddingSettings(model="hashing"))


def write_beir(
    folder: Path,
    passages: Mapping[str, tuple[str, str]] = PASSAGES,
    questions: Sequence[Mapping[str, Any]] = QUESTIONS,
) -> Path:
    """Write a data set; returns its folder."""
    (folder / "qrels").mkdir(parents=True)
    corpus = ({"_id": id, "title": title, "text": text} for id, (title, text) in passages.items())
    asked = (
        {"_id": q["id"], "text": q["text"], "metadata": {"answers": q["answers"], "type": q.get("kind", "")}}
        for q in questions
    )
    write_lines(folder / "corpus.jsonl", corpus)
    write_lines(folder / "queries.jsonl", asked)
    rows = [f"{q['id']}\t{gold}\t1\n" for q in questions for gold in q["gold"]]
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(rows))
    return folder


def write_lines(file: Path, rows: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return file


def undrawn(patch: pytest.MonkeyPatch) -> None:
    """Leave the plots of reports empty from now on: drawing them takes longer than evaluating little."""
    patch.setattr(svg_plots, "_plot", lambda title, caption, *how, **more: svg_plots.Plot(title, caption, "<svg/>"))


def evaluated(data: Path, folder: Path, settings: Settings = HASHING, **plan: Any) -> EvaluationResults:
    """The results of a plan into a folder, whose workspace is filled first."""
    with Workspace(folder / "workspace", settings) as kb:
        whole = {"methods": METHODS} | plan
        return async_to_sync(evaluate)(kb, load_dataset(data), EvalPlan(**whole), folder)


def without_times(value: Any) -> Any:
    """JSON without what stands under ``seconds``."""
    if isinstance(value, dict):
        return {key: without_times(inner) for key, inner in value.items() if key != "seconds"}
    return [without_times(inner) for inner in value] if isinstance(value, list) else value
