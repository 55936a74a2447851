"""Measure building the hierarchy for docs/performance.md: ``python -m benchmarks.hierarchy_scale [FOLDER]``.

It needs no data: stores of 20,000 and 100,000 entities are generated. FOLDER keeps them for the next run. Each
measurement runs in its own process, whose peak memory is reported.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command sets it; must precede the import of numpy

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks.hierarchy_store import SETTINGS, Plan
from benchmarks.report_sections import PERFORMANCE, given_folder, rewrite
from polyadic.config import HierarchyBuildSettings
from polyadic.hierarchy.clustering import cluster
from polyadic.hierarchy.community_graph import build_community_graph
from polyadic.hierarchy.leiden import communities
from polyadic.hierarchy.sparsity import FEWEST
from polyadic.hierarchy.transitivity import transitivity
from polyadic.storage.protocol import Links, Vectors
from polyadic.workspace import Workspace

HEADING = "## The hierarchy"
PLANS = (Plan(20_000, 27_000), Plan(100_000, 135_000))
QUESTIONS = 50
HEAD = """
Made by `python -m benchmarks.hierarchy_scale`, which generates the stores (`benchmarks/hierarchy_store.py`); no
language model is asked. Clustering goes on until a layer is too small, and does not stop where sparsity would have it.

| what | {sizes} |
|---|{rules}
"""

T = TypeVar("T")


@dataclass(slots=True)
class Measured:
    """Table rows, in order, and peak memory in megabytes."""

    rows: dict[str, str] = field(default_factory=dict)
    megabytes: int = 0

    def timed(self, what: str, work: Callable[[], T]) -> T:
        started = time.perf_counter()
        result = work()
        self.rows[f"{what}: s"] = f"{time.perf_counter() - started:.1f}"
        return result


def main() -> None:
    if len(sys.argv) == 4:
        print(json.dumps(asdict(MEASUREMENTS[sys.argv[2]](Path(sys.argv[3])))))
        return
    with given_folder() as folder:
        columns = [_column(plan, folder / str(plan.entities)) for plan in PLANS]
    sizes = " | ".join(f"{plan.entities:,} entities, {plan.facts:,} facts" for plan in PLANS)
    head = HEAD.format(sizes=sizes, rules="---|" * len(PLANS))
    lines = [f"| {what} | {' | '.join(column[what] for column in columns)} |" for what in columns[0]]
    section = head + "\n".join(lines) + "\n"
    rewrite(PERFORMANCE, HEADING, section.splitlines())
    print(section)


def _column(plan: Plan, folder: Path) -> dict[str, str]:
    if not folder.exists():
        plan.fill(folder).close()
    rows: dict[str, str] = {}
    for name in MEASUREMENTS:
        command = [sys.executable, "-m", "benchmarks.hierarchy_scale", "measure", name, str(folder)]
        process = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        measured = Measured(**json.loads(process.stdout.splitlines()[-1]))
        rows |= measured.rows | {f"{name}, most memory: MB": f"{measured.megabytes:,}"}
    return rows


def measure_parts(folder: Path) -> Measured:
    """Measure clustering and Leiden, with the mean of its members' vectors as the vector of each summary."""
    measured, settings = Measured(), HierarchyBuildSettings()
    with Workspace(folder, SETTINGS) as kb, kb.store().read() as reader:
        entities, facts = np.arange(reader.size("entity")), np.arange(reader.size("fact"))
        vectors = measured.timed("reading vectors and incidence", lambda: reader.directions(entities))
        links, scores = reader.links("fact_entities", facts), reader.scores("fact", facts)
    memberships, sizes = measured.timed("clustering, all layers", lambda: _layers(vectors, settings))
    nodes = len(entities) + sum(sizes)
    graph = measured.timed("projection", lambda: build_community_graph(links, scores, memberships, nodes))
    parts = measured.timed(
        "Leiden",
        lambda: communities(graph, settings.community_split, settings.community_members, settings.seed),
    )
    measured.timed("clustering coefficient", lambda: transitivity(graph))
    largest = max(len(part.members) for part in parts)
    measured.rows["clusters by layer"] = ", ".join(f"{size:,}" for size in sizes)
    measured.rows["communities; members of the largest"] = f"{len(parts):,}; {largest:,}"
    measured.megabytes = _megabytes()
    return measured


def measure_build(folder: Path) -> Measured:
    """Measure the whole build with the extractive summarizer."""
    measured = Measured()
    with Workspace(folder, SETTINGS) as kb:
        built = measured.timed(
            "building rebuild, extractive", lambda: kb.hierarchy.build(by="extractive", rebuild=True)
        )
        assert built.is_whole, built.stopped
        measured.timed("building where nothing has changed", lambda: kb.hierarchy.build(by="extractive"))
    measured.megabytes = _megabytes()
    return measured


def measure_retrieval(folder: Path) -> Measured:
    """Measure questions with the hierarchy methods."""
    measured = Measured()
    plan = next(plan for plan in PLANS if str(plan.entities) == folder.name)
    with Workspace(folder, SETTINGS) as kb:
        for method in ("hierarchy", "bridge"):
            kb.retrieve(plan.question(0), method)  # load cached data before timing
            milliseconds = sorted(
                _own_milliseconds(kb, plan.question(number), method) for number in range(1, QUESTIONS + 1)
            )
            spread = f"{statistics.median(milliseconds):.0f} / {milliseconds[int(0.95 * len(milliseconds))]:.0f}"
            measured.rows[f"`{method}`, p50 / p95 a question beside embedding: ms"] = spread
    measured.megabytes = _megabytes()
    return measured


MEASUREMENTS = {"parts": measure_parts, "build": measure_build, "retrieval": measure_retrieval}


def _layers(vectors: Vectors, settings: HierarchyBuildSettings) -> tuple[Links, list[int]]:
    """Return the members of each summary, as nodes, and the number of summaries of each layer."""
    first, count = 0, len(vectors)
    sources: list[int] = []
    targets: list[int] = []
    sizes: list[int] = []
    while len(vectors) >= FEWEST:
        groups = cluster(vectors, settings.cluster_members, settings.soft_above, settings.seed)
        for number, group in enumerate(groups):
            sources += [count + number] * len(group.members)
            targets += [first + member for member in group.members]
        means = np.stack([vectors[list(group.members)].mean(axis=0) for group in groups])
        vectors = (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)
        first, count = count, count + len(groups)
        sizes.append(len(groups))
    return Links(np.array(sources), np.array(targets)), sizes


def _own_milliseconds(kb: Workspace, question: str, method: str) -> float:
    trace = kb.retrieve(question, method).trace
    return 1000 * sum(step.seconds for step in trace if not step.name.startswith("embed"))


def _megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
