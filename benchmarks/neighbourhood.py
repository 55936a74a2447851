"""What a walk misses by staying near: ``python -m benchmarks.neighbourhood [FOLDER]``; FOLDER keeps the workspaces.

The first walk of each question is done again over the whole store, by power iteration until nothing moves, with the
same seeds and conductances, and both are compared. Makes a section of docs/performance.md.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import SETS, filled, load
from benchmarks.report_sections import given_folder, replaced
from benchmarks.speed import REPORT
from polyadic.retrieval import personalized_pagerank
from polyadic.retrieval.edge_weights import compute_edge_weights
from polyadic.retrieval.methods.walk import to_question
from polyadic.retrieval.personalized_pagerank import PPRScores, run_pagerank
from polyadic.retrieval.query_analysis import analyze_question
from polyadic.retrieval.seeds import find_start, seed
from polyadic.retrieval.subgraph import Subgraph, position, surround
from polyadic.storage.protocol import Reader, Vectors
from polyadic.workspace import Workspace

HEADING = "## What a walk misses by staying near"
UNTIL_STILL = 200
"""Iterations; by then less than one part in 10^14 moves on."""
FIRST = 10
HEAD = """
Made by `python -m benchmarks.neighbourhood`: Personalised PageRank over the neighbourhood of a question, as `walk` does
it, against power iteration over the whole store until nothing moves, with the same seeds and conductances; means over
all questions. How large the neighbourhood is hangs on caps, not on the store.

"""


@dataclass(frozen=True, slots=True)
class Compared:
    """One question: the sizes of both graphs, and what is lost."""

    nodes: float
    edges: float
    nodes_of_all: float
    edges_of_all: float
    too_early: float
    outside: float
    astray: float
    first_facts: float
    first_passages: float


ROWS: dict[str, Callable[[Compared], float]] = {
    "nodes of the neighbourhood": lambda one: one.nodes,
    "its edges": lambda one: one.edges,
    "nodes of the whole store": lambda one: one.nodes_of_all,
    "its edges ": lambda one: one.edges_of_all,
    "mass misplaced by stopping after 15 iterations": lambda one: one.too_early,
    "mass that the whole walk has outside the neighbourhood": lambda one: one.outside,
    "mass misplaced in all (half the sum of differences)": lambda one: one.astray,
    f"of its first {FIRST} facts found": lambda one: one.first_facts,
    f"of its first {FIRST} passages found": lambda one: one.first_passages,
}


def compare(question: str, kb: Workspace, reader: Reader) -> Compared:
    asked = analyze_question(question, reader)
    aims = asyncio.run(kb.embedder.embed([asked.text, asked.remainder or asked.text]))
    start = find_start(asked, aims[0], reader)
    near = surround(start.facts, start.chunks, reader, start.alike)
    everything = surround(np.arange(reader.size("fact")), np.arange(reader.size("chunk")), reader, start.alike)
    similarity = to_question(near.facts, aims, reader)
    middle, spread = similarity.mean(), similarity.std() or 1.0

    def walked(graph: Subgraph, iterations: int) -> PPRScores:
        relevance = np.asarray((to_question(graph.facts, aims, reader) - middle) / spread, dtype=np.float32)
        with patch.object(personalized_pagerank, "ITERATIONS", iterations):
            return run_pagerank(graph, seed(start, graph, reader), compute_edge_weights(graph, relevance, reader))

    found, still = walked(near, personalized_pagerank.ITERATIONS), walked(near, UNTIL_STILL)
    whole = walked(everything, UNTIL_STILL)
    spread_out = PPRScores(
        _among(found.facts, near.facts, everything.facts),
        _among(found.entities, near.entities, everything.entities),
        _among(found.chunks, near.chunks, everything.chunks),
    )
    inside = np.concatenate(
        [
            np.isin(everything.facts, near.facts),
            np.isin(everything.entities, near.entities),
            np.isin(everything.chunks, near.chunks),
        ]
    )
    return Compared(
        nodes=sum(near.sizes),
        edges=_edges(near),
        nodes_of_all=sum(everything.sizes),
        edges_of_all=_edges(everything),
        too_early=_apart(found.joined, still.joined),
        outside=float(whole.joined[~inside].sum()),
        astray=_apart(spread_out.joined, whole.joined),
        first_facts=_share_of_first(spread_out.facts, whole.facts),
        first_passages=_share_of_first(spread_out.chunks, whole.chunks),
    )


def _among(masses: Vectors, rows: NDArray[np.int64], all_rows: NDArray[np.int64]) -> Vectors:
    found = np.zeros(len(all_rows), dtype=np.float32)
    found[position(rows, all_rows)] = masses
    return found


def _apart(masses: Vectors, others: Vectors) -> float:
    return float(np.abs(masses.astype(np.float64) - others).sum() / 2)


def _share_of_first(masses: Vectors, true: Vectors) -> float:
    first = [np.argsort(-one, kind="stable")[:FIRST] for one in (masses, true)]
    return float(np.isin(first[1], first[0]).mean())


def _edges(graph: Subgraph) -> int:
    return sum(one.shape[1] for one in (graph.participation, graph.statement, graph.naming, graph.likeness))


def main() -> None:
    columns = []
    with given_folder() as folder:
        for name in SETS:
            dataset = load(name)
            with filled(dataset, folder) as kb, kb.store(make=False).read() as reader:
                columns.append([compare(question.text, kb, reader) for question in dataset.questions])
    rows = [f"| what | {' | '.join(SETS)} |", f"|---|{'---|' * len(SETS)}"]
    for what, of in ROWS.items():
        means = [float(np.mean([of(one) for one in column])) for column in columns]
        rows.append(f"| {what.strip()} | {' | '.join(f'{m:,.0f}' if m >= 10 else f'{m:.4f}' for m in means)} |")
    section = HEAD + "\n".join(rows) + "\n"
    REPORT.write_text(replaced(REPORT.read_text(encoding="utf-8"), HEADING, section), encoding="utf-8")
    print(section)


if __name__ == "__main__":
    main()
