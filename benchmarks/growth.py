"""Measure the cost of adding a document as a store grows: ``python -m benchmarks.growth [ENTITIES ...]``.

It needs no data. Single-chunk documents about existing entities are inserted into stores of each size
(benchmarks/hierarchy_store.py); each insertion is followed by two questions. Other documents are deleted in the same
way. One process keeps each store open, as a server does; the last row opens it in a fresh process.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command sets it; must precede the import of numpy

import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.footprint import written
from benchmarks.hierarchy_store import SETTINGS, Plan
from polyadic.model.types import Document
from polyadic.workspace import Workspace

SIZES = (1_000, 20_000, 100_000)
FACTS_AN_ENTITY = 1.35
TIMES = 15
FACTS = 4
METHODS = ("hypergraph", "walk")
FRESH = "fresh"


def main(sizes: Sequence[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        measured = [measure(Path(folder) / str(size), Plan(size, int(FACTS_AN_ENTITY * size))) for size in sizes]
    print(f"| what | {' | '.join(f'{size:,} entities' for size in sizes)} |")
    print(f"|---|{'---|' * len(sizes)}")
    for what in measured[0]:
        print(f"| {what} | {' | '.join(f'{statistics.median(costs[what]):.1f}' for costs in measured)} |")


class Costs(dict[str, list[float]]):
    """Wall-clock and processor times in milliseconds by operation, one value per repetition."""

    def time(self, what: str, work: Callable[[], object]) -> None:
        started, used = time.perf_counter(), time.process_time()
        work()
        self.note(f"{what}: ms", 1_000 * (time.perf_counter() - started))
        self.note(f"{what}: ms of CPU time", 1_000 * (time.process_time() - used))

    def note(self, what: str, value: float) -> None:
        self.setdefault(what, []).append(value)


def measure(folder: Path, plan: Plan) -> Costs:
    costs = Costs()
    kb = plan.fill(folder)
    questions = itertools.count()

    def ask(method: str) -> None:
        kb.retrieve(plan.question(next(questions)), method)

    for method in METHODS:
        ask(method)
    for number in range(TIMES):
        method, other = METHODS[number % 2], METHODS[(number + 1) % 2]
        written_before = written()
        costs.time("insert", partial(kb.add, [inserted(plan, number)]))
        costs.time(f"next question, {method}", partial(ask, method))
        costs.note("insert and next question: kB written", (written() - written_before) / 1_000)
        costs.time(f"the one after, {method}", partial(ask, method))
        costs.time("delete", partial(kb.delete, f"memory:hierarchy/{number}"))
        costs.time(f"next question, {other}", partial(ask, other))
    kb.close()
    command = [sys.executable, "-m", "benchmarks.growth", FRESH, str(folder), str(plan.entities), str(plan.facts)]
    for _ in range(3):
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        costs.note("open and first question in a new process: ms", float(output))
    return costs


def fresh(folder: Path, plan: Plan) -> None:
    """Print the milliseconds for opening a store and answering a question."""
    started = time.perf_counter()
    kb = Workspace(folder, SETTINGS)
    kb.retrieve(plan.question(77), "walk")
    print(1_000 * (time.perf_counter() - started))
    kb.close()


def inserted(plan: Plan, number: int) -> Document:
    """Create a single-chunk document about existing entities."""
    random = np.random.default_rng(number)
    sentences = []
    for fact in range(FACTS):
        names = [plan.name(int(entity)) for entity in random.integers(plan.entities, size=3)]
        sentences.append(f"{names[0]} wrote letter {1000 * number + fact} to {names[1]} and {names[2]}.")
    return Document(f"memory:growth/{number}", f"Letters {number}", " ".join(sentences))


if __name__ == "__main__":
    if sys.argv[1:2] == [FRESH]:
        fresh(Path(sys.argv[2]), Plan(int(sys.argv[3]), int(sys.argv[4])))
    else:
        main([int(size) for size in sys.argv[1:]] or SIZES)
