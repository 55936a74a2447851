"""Measure the error of Personalized PageRank on a subgraph: ``python -m benchmarks.neighbourhood [FOLDER]``.

The first walk of each question is repeated on the whole store by power iteration until convergence, with the same seeds
and edge weights, and both results are compared for a section of docs/performance.md. FOLDER keeps the workspaces.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import SETS, filled, load
from benchmarks.report_sections import PERFORMANCE, given_folder, rewrite
from polyadic.retrieval import personalized_pagerank
from polyadic.retrieval.edge_weights import compute_edge_weights
from polyadic.retrieval.methods.walk import to_question
from polyadic.retrieval.personalized_pagerank import PPRScores, run_pagerank
from polyadic.retrieval.query_analysis import analyze_question
from polyadic.retrieval.seed_distribution import find_start, seed
from polyadic.retrieval.subgraph import Subgraph, position, surround
from polyadic.storage.protocol import Reader, Vectors
from polyadic.workspace import Workspace

HEADING = "## What a walk misses by staying near"
UNTIL_STILL = 200
"""Iterations until convergence: the remaining change is below 1e-14."""
FIRST = 10
HEAD = """
Made by `python -m benchmarks.neighbourhood`: Personalised PageRank over the neighbourhood of a question, as `walk` does
it, against power iteration over the whole store until nothing moves, with the same seeds and conductances; means over
all questions. How large the neighbourhood is hangs on caps, not on the store.

"""


@dataclass(frozen=True, slots=True)
class Compared:
    """Sizes of both graphs and errors for one question."""

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
    analysis = analyze_question(question, reader)
    query_vectors = asyncio.run(kb.embedder.embed([analysis.text, analysis.remainder or analysis.text]))
    start = find_start(analysis, query_vectors[0], reader)
    near = surround(start.facts, start.chunks, reader, start.aliases)
    whole_graph = surround(np.arange(reader.size("fact")), np.arange(reader.size("chunk")), reader, start.aliases)
    similarity = to_question(near.facts, query_vectors, reader)
    mean, spread = similarity.mean(), similarity.std() or 1.0

    def walked(graph: Subgraph, iterations: int) -> PPRScores:
        relevance = np.asarray((to_question(graph.facts, query_vectors, reader) - mean) / spread, dtype=np.float32)
        with patch.object(personalized_pagerank, "ITERATIONS", iterations):
            return run_pagerank(graph, seed(start, graph, reader), compute_edge_weights(graph, relevance, reader))

    scores, converged = walked(near, personalized_pagerank.ITERATIONS), walked(near, UNTIL_STILL)
    exact = walked(whole_graph, UNTIL_STILL)
    scores_in_whole_graph = PPRScores(
        _expand(scores.facts, near.facts, whole_graph.facts),
        _expand(scores.entities, near.entities, whole_graph.entities),
        _expand(scores.chunks, near.chunks, whole_graph.chunks),
    )
    inside = np.concatenate(
        [
            np.isin(whole_graph.facts, near.facts),
            np.isin(whole_graph.entities, near.entities),
            np.isin(whole_graph.chunks, near.chunks),
        ]
    )
    return Compared(
        nodes=sum(near.sizes),
        edges=_edges(near),
        nodes_of_all=sum(whole_graph.sizes),
        edges_of_all=_edges(whole_graph),
        too_early=_total_variation(scores.joined, converged.joined),
        outside=float(exact.joined[~inside].sum()),
        astray=_total_variation(scores_in_whole_graph.joined, exact.joined),
        first_facts=_share_of_first(scores_in_whole_graph.facts, exact.facts),
        first_passages=_share_of_first(scores_in_whole_graph.chunks, exact.chunks),
    )


def _expand(masses: Vectors, rows: NDArray[np.int64], all_rows: NDArray[np.int64]) -> Vectors:
    expanded = np.zeros(len(all_rows), dtype=np.float32)
    expanded[position(rows, all_rows)] = masses
    return expanded


def _total_variation(masses: Vectors, others: Vectors) -> float:
    return float(np.abs(masses.astype(np.float64) - others).sum() / 2)


def _share_of_first(masses: Vectors, true: Vectors) -> float:
    top_rows = [np.argsort(-vector, kind="stable")[:FIRST] for vector in (masses, true)]
    return float(np.isin(top_rows[1], top_rows[0]).mean())


def _edges(graph: Subgraph) -> int:
    return sum(edges.shape[1] for edges in (graph.participation, graph.statement, graph.naming, graph.likeness))


def main() -> None:
    columns = []
    with given_folder() as folder:
        for name in SETS:
            dataset = load(name)
            with filled(dataset, folder) as kb, kb.store(make=False).read() as reader:
                columns.append([compare(question.text, kb, reader) for question in dataset.questions])
    rows = [f"| what | {' | '.join(SETS)} |", f"|---|{'---|' * len(SETS)}"]
    for what, value_of in ROWS.items():
        means = [float(np.mean([value_of(comparison) for comparison in column])) for column in columns]
        rows.append(f"| {what.strip()} | {' | '.join(f'{m:,.0f}' if m >= 10 else f'{m:.4f}' for m in means)} |")
    section = HEAD + "\n".join(rows) + "\n"
    rewrite(PERFORMANCE, HEADING, section.splitlines())
    print(section)


if __name__ == "__main__":
    main()
