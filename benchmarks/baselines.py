"""Compare the baselines with other systems on 2wiki-101: ``python -m benchmarks.baselines [FOLDER]``.

It writes a section of docs/baselines.md: recorded retrievals of other systems, fast-graphrag in an environment of its
own with the same facts, names and embedder, and the methods. FOLDER keeps the filled workspace.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.data import data_folder, load
from benchmarks.embedding_server import served
from benchmarks.peers.environments import FOLDER, ROOT, interpreters
from benchmarks.peers.systems import SYSTEMS
from benchmarks.recorded_workspace import RECORDED, recorded_workspace
from benchmarks.report_sections import DOCS, given_folder, rewrite
from polyadic.config import HierarchyBuildSettings, HypergraphSettings
from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.question_runner import run_method
from polyadic.workspace import Workspace

HEADING = "## Retrievals compared"
CONTEXT_TOKENS = 4_000
PEER = "fast-graphrag"
METHODS = {
    "chunks": "vector-db",
    "lightrag": "lightrag",
    "pathrag": "",
    "graphrag": "nano-graphrag",
    "graphrag-binary": "nano-graphrag",
    "hipporag": PEER,
    "fastgraphrag": PEER,
    "hipporag2": PEER,
    "raptor": "",
    "hypergraph": "",
    "walk": "",
}
"""The methods, and the system whose recorded retrievals each is compared with."""
HEAD = """
`python -m benchmarks.baselines` writes this section: the {questions} questions of {name} over 780 passages. Recall@5 is
the share of a question's gold passages among the first five, *all gold@8* the share of questions with all gold passages
among the first eight. *Overlap* is the share of the first eight passages of one system that are among the first eight
of the other.

The first table has recorded retrievals of other systems, which extracted their own graphs with gpt-4o-mini and used
OpenAI's embeddings. Its last row is {package} with the same facts, names in questions and embedder (MiniLM)
as the methods below; each pair of entities of a fact is a relation.

| system | recall@5 | all gold@8 | overlap with {peer} (OpenAI) |
|---|---|---|---|"""
MIDDLE = """
The second table has the methods, with {tokens:,} tokens: first with names found in the store (the default), then with
recorded names that a model found. `graphrag` has communities of entities only (`layers = 0`) and extractive reports.
The last two columns are the overlap with the recorded retrievals of the system that a method reproduces or resembles
most (nano-graphrag for `graphrag`, plain vectors for `chunks`), and with {package} as above.

| method | recall@5, names | all gold@8 | recall@5, model's names | all gold@8 | overlap, system | overlap, {package} |
|---|---|---|---|---|---|---|"""

Rankings = Mapping[str, Sequence[str | None]]
"""Passages by question, best first; None for a passage that is not in the corpus."""


def main() -> None:
    questions = load(RECORDED).questions
    with given_folder() as folder, recorded_workspace(folder) as workspace:
        lines = list(section(workspace, questions, folder))
    rewrite(DOCS / "baselines.md", HEADING, lines)


def section(workspace: Workspace, questions: Sequence[DatasetQuestion], folder: Path) -> Iterator[str]:
    """Yield the lines of the section."""
    recorded: dict[str, Rankings] = json.loads((data_folder() / RECORDED / "peers.json").read_text(encoding="utf-8"))
    package = " ".join(SYSTEMS["fast"].packages[0].split("=="))
    measured = _fast_graphrag(workspace, folder)
    yield HEAD.format(questions=len(questions), name=RECORDED, package=package, peer=PEER)
    for name, ranked in [*recorded.items(), (f"{package}, MiniLM", measured)]:
        yield f"| {name} | {_scores(questions, ranked)} | {_overlap(recorded[PEER], ranked):.3f} |"
    yield MIDDLE.format(tokens=CONTEXT_TOKENS, package=package)
    for method, peer in METHODS.items():
        by_names = _ranked(workspace, questions, method, "names")
        by_model = _ranked(workspace, questions, method, "model")
        overlap = f"{_overlap(recorded[peer], by_names):.3f}" if peer else ""
        package_overlap = f"{_overlap(measured, by_model):.3f}" if peer == PEER else ""
        scores = f"{_scores(questions, by_names)} | {_scores(questions, by_model)}"
        yield f"| `{method}` | {scores} | {overlap} | {package_overlap} |"


def _ranked(workspace: Workspace, questions: Sequence[DatasetQuestion], method: str, names: str) -> Rankings:
    """Return the passages of each question; the hierarchy is built first."""
    update = {
        "hypergraph": HypergraphSettings.model_validate({"question_entities": names}),
        "hierarchy_build": HierarchyBuildSettings(layers=0, by="extractive"),
    }
    with Workspace(workspace.folder, workspace.settings.model_copy(update=update)) as opened:
        opened.hierarchy.build()
        runs = run_method(opened, questions, method, CONTEXT_TOKENS)
    return {run.outcome.question.id: run.outcome.passages for run in runs}


def _fast_graphrag(workspace: Workspace, folder: Path) -> Rankings:
    """Run fast-graphrag in its own environment."""
    python, store = interpreters(["fast"], FOLDER)["fast"], folder / "fast-graphrag"
    with served(workspace.embedder) as url:
        module = ["-W", "ignore", "-m", "benchmarks.recorded_fast_graphrag"]
        command = [str(python), *module, str(data_folder() / RECORDED), url, str(store)]
        done = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    found: Rankings = json.loads(done.stdout)
    return found


def _scores(questions: Sequence[DatasetQuestion], ranked: Rankings) -> str:
    recall = np.mean([len(one.gold & set(ranked[one.id][:5])) / len(one.gold) for one in questions])
    complete = np.mean([one.gold <= set(ranked[one.id][:8]) for one in questions])
    return f"{recall:.3f} | {complete:.3f}"


def _overlap(ours: Rankings, theirs: Rankings) -> float:
    """Return the mean share of the first eight passages of ``ours`` that are among those of ``theirs``."""
    shares = []
    for question, passages in ours.items():
        first = {passage for passage in passages[:8] if passage}
        shares.append(len(first & set(theirs[question][:8])) / max(len(first), 1))
    return float(np.mean(shares))


if __name__ == "__main__":
    main()
