"""Measure stores of up to a million facts: ``python -m benchmarks.scale [FOLDER] [ENTITIES ...]``.

FOLDER keeps the filled stores (benchmarks/synthetic_stores.py; about 5 kB per fact) for the next run, which saves ten
minutes. Each measurement runs in its own process on the saved store.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command sets it; must precede the import of numpy

import asyncio
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.clients import throughput
from benchmarks.footprint import resident, stored
from benchmarks.growth import inserted
from benchmarks.hierarchy_store import SETTINGS
from benchmarks.report_sections import DOCS, PERFORMANCE_AT_SCALE, given_folder, rewrite
from benchmarks.scale_curves import draw
from benchmarks.synthetic_stores import Grown, Scaled, fill
from polyadic.storage.arrays.reader import ArrayReader
from polyadic.storage.arrays.state import StoreState
from polyadic.storage.arrays.vector_reader import HIGHEST, Scored
from polyadic.storage.arrays.vector_search import VectorSearch
from polyadic.storage.protocol import Side

HEADING = "## A million facts"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
METHODS = ("hypergraph", "walk", "chunks", "hipporag2", "local", "lightrag", "pathrag")
QUESTIONS, CHANGES, K = 100, 15, 60
PICTURE = "scale.svg"
HEAD = f"""
Made by `python -m benchmarks.scale`, which grows stores of as many facts as entities, ten facts a document of one
chunk; one entity takes part in every fifth fact, and every fifth entity is described in up to three ways, each with a
vector of its own. Vectors lie as those of real texts do (`benchmarks/synthetic_vectors.py`), and scores are as a
language model
gave them to 2wiki-101; questions are real ones as far as vectors go, and name two entities. {QUESTIONS} questions,
{CHANGES} changes; recall of the {K} nearest against comparing all vectors.

![Times and room over the number of facts](images/{PICTURE})

"""


class Measured(dict[str, float]):
    """Values by name of the measurement."""

    def time(self, what: str, works: Sequence[Callable[[], object]]) -> None:
        """Record the median and the 95th percentile of the durations, in milliseconds."""
        milliseconds = []
        for work in works:
            started = time.perf_counter()
            work()
            milliseconds.append(1_000 * (time.perf_counter() - started))
        self[f"{what}, p50: ms"], self[f"{what}, p95: ms"] = np.percentile(milliseconds, [50, 95]).tolist()


def opening(folder: Path, plan: Grown) -> Measured:
    """Measure opening a store, the first question, and memory after further questions, in a fresh process."""
    results = Measured()
    embedder = Scaled(folder, SETTINGS).embedder
    memory_before, started = resident(), time.perf_counter()
    kb = Scaled(folder, SETTINGS)
    kb.__dict__["embedder"] = embedder
    kb.retrieve(plan.question(77), "walk")
    results["open and first question: ms"] = 1_000 * (time.perf_counter() - started)
    for method in ("hypergraph", "walk"):
        for number in range(QUESTIONS):
            kb.retrieve(plan.question(number), method)
    results["memory with the store open, beyond that of the embedder: MB"] = (resident() - memory_before) / 1e6
    results["memory of the whole process: MB"] = resident() / 1e6
    kb.close()
    return results


def asking(folder: Path, plan: Grown) -> Measured:
    """Measure questions, also about the hub, with every method that needs no model, and then changes."""
    results, kb = Measured(), Scaled(folder, SETTINGS)
    numbers = itertools.count()
    for method in METHODS:
        kb.retrieve(plan.question(next(numbers)), method)
        for what, question in ((method, plan.question), (f"{method}, of the hub", plan.about_hub)):
            queries = [partial(kb.retrieve, question(next(numbers)), method) for _ in range(QUESTIONS)]
            results.time(what, queries)
    add = [partial(kb.add, [inserted(plan, number)]) for number in range(CHANGES)]
    ask = [partial(kb.retrieve, plan.question(next(numbers)), "hypergraph") for _ in range(CHANGES)]
    delete = [partial(kb.delete, f"memory:growth/{number}") for number in range(CHANGES)]
    for what, works in (("insert a document", add), ("the next question", ask), ("delete a document", delete)):
        results.time(what, works)
    kb.close()
    return results


SEARCHES: tuple[tuple[Side, Scored | None, bool], ...] = (
    ("fact", None, False),
    ("fact", "fact", False),
    ("entity", None, False),
    ("entity", "entity", False),
    ("entity", "entity", True),
    ("chunk", None, False),
)
"""Side, scores combined with the similarity, and whether to search by names instead of questions."""


def recall(folder: Path, plan: Grown) -> Measured:
    """Measure recall and time of the vector search against exhaustive comparison."""
    results, kb = Measured(), Scaled(folder, SETTINGS)
    questions = [plan.question(number) for number in range(QUESTIONS)]
    names = [f"{plan.name(number)}, {plan.name(number + 7)}" for number in range(QUESTIONS)]
    bandwidth = results["memory is read at: GB/s"] = _bandwidth()
    with kb.store(make=False).read() as reader:
        assert isinstance(reader, ArrayReader)
        size = len(reader._state.vectors("fact").matrix)
        results["vectors of facts / bandwidth: ms"] = size * 4 * kb.embedder.dimension / bandwidth / 1e6
        results["codes of facts / bandwidth: ms"] = size * kb.embedder.dimension / 4 / bandwidth / 1e6
        for side, scored, to_names in SEARCHES:
            vectors = asyncio.run(kb.embedder.embed(names if to_names else questions))
            what = f"{side}, {'similarity x score' if scored else 'similarity'}{' to names' if to_names else ''}"
            results |= _recall(what, reader._state, side, scored, vectors)
    kb.close()
    return results


def _bandwidth() -> float:
    """Return the memory bandwidth of one thread in GB/s."""
    array, seconds = np.ones(2**26, dtype=np.float32), []
    for _ in range(5):
        started = time.perf_counter()
        array.max()
        seconds.append(time.perf_counter() - started)
    return array.nbytes / min(seconds) / 1e9


def _recall(
    what: str, state: StoreState, side: Side, scored: Scored | None, query_vectors: NDArray[np.float32]
) -> dict[str, float]:
    vectors_of_side, highest = state.vectors(side), HIGHEST[scored] if scored else 1.0
    scores = state.all_scores(scored) if scored else None
    shares, by_code, by_comparison = [], [], []
    for vector in query_vectors:
        started = time.perf_counter()
        nearest = VectorSearch(vectors_of_side, vector).contenders(K, scores, highest)
        by_code.append(time.perf_counter() - started)
        started = time.perf_counter()
        exact = VectorSearch(replace(vectors_of_side, codes=None), vector).contenders(K, scores, highest)
        by_comparison.append(time.perf_counter() - started)
        shares.append(np.isin(exact, nearest).mean())
    return {
        f"recall@{K}: {what}": float(np.mean(shares)),
        f"{what}: ms": 1_000 * float(np.median(by_code)),
        f"{what}, comparing all: ms": 1_000 * float(np.median(by_comparison)),
    }


PARTS: dict[str, Callable[[Path, Grown], dict[str, float]]] = {
    "opening": opening,
    "asking": asking,
    "clients": throughput,
    "recall": recall,
}


def measured(folder: Path, plan: Grown) -> Measured:
    fill(folder, plan)
    results = Measured({"on disk: MB": stored(folder) / 1e6})
    for part in PARTS:
        command = [sys.executable, "-m", "benchmarks.scale", part, str(folder), str(plan.entities)]
        results |= json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return results


def main(folder: Path, sizes: Sequence[int]) -> None:
    columns = []
    for size in sizes:
        columns.append(measured(folder / str(size), Grown(size, size)))
        print(f"{size:,}: {json.dumps(columns[-1])}", flush=True)
    rows = [f"| what | {' | '.join(f'{size:,} facts' for size in sizes)} |", f"|---|{'---|' * len(sizes)}"]
    rows += [f"| {what} | {' | '.join(_shown(what, column[what]) for column in columns)} |" for what in columns[0]]
    draw(DOCS / "images" / PICTURE, sizes, columns)
    section = HEAD + "\n".join(rows) + "\n"
    rewrite(PERFORMANCE_AT_SCALE, HEADING, section.splitlines())
    print(section)


def _shown(what: str, number: float) -> str:
    return f"{number:.4f}" if what.startswith("recall") else f"{number:,.0f}" if number >= 100 else f"{number:.1f}"


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in PARTS:
        print(json.dumps(PARTS[sys.argv[1]](Path(sys.argv[2]), Grown(int(sys.argv[3]), int(sys.argv[3])))))
    else:
        with given_folder() as kept:
            main(kept, [int(size) for size in sys.argv[2:]] or SIZES)
