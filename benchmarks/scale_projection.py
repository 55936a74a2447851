"""Project the resources for a hundred million facts from measurements: ``python -m benchmarks.scale_projection``.

The constants are read from the tables of docs/performance-scale.md and docs/costs.md, so generate these first. Nothing
of this size has been run. The load on the database, which is the bottleneck, is simulated: questions with random
arrivals compete with workers that index documents into workspaces of all sizes.
"""

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import simpy
from numpy.typing import NDArray

from benchmarks.report_sections import DOCS, PERFORMANCE_AT_SCALE, rewrite_table, section
from polyadic.storage.postgres.hnsw import LEAST_INDEXED

REPORT = DOCS / "scale.md"
FACTS, WORKSPACES = 100_000_000, 10_000
FACTS_OF_A_CHUNK = 12
"""As in benchmarks/ingest.py, which measures the cost of a chunk."""
TOKENS_OF_TEXT, FACTS_OF_TEXT = 91_716, 2_020
"""Of 2wiki-101, with facts extracted by a large language model."""
VECTORS_A_FACT = 2.2
"""One for the fact, one per entity (a fifth of which have several descriptions), and a tenth for its passage."""
BYTES_OF_A_VECTOR, LINKS, BYTES_OF_A_LINK = 2 * 384, 2 * 16, 6
"""In pgvector's HNSW index: the vector in half precision, and 2 m links in the lowest layer."""
AT_ONCE, SECONDS_OF_A_CALL = 16, 1.0
CORES = 16
QUESTIONS_A_SECOND = 50
WORKERS = (0, 4, 8, 16, 24, 32)
SECONDS_SIMULATED = 120


@dataclass(frozen=True)
class Measured:
    """Measured constants, in processor seconds of one core unless named otherwise."""

    chunk_ours: float
    chunk_server: float
    chunk_server_indexed: float
    question_server: float
    kilobytes_a_fact: float
    dollars_a_million_tokens: float

    @classmethod
    def read(cls) -> Self:
        engines = section(PERFORMANCE_AT_SCALE.read_text(encoding="utf-8"), "## SQLite and PostgreSQL")
        costs = (DOCS / "costs.md").read_text(encoding="utf-8")
        return cls(
            _last(engines, "of which client CPU time: ms") / 1_000,
            _last(engines, "of which server CPU time: ms") / 1_000,
            _last(engines, "server CPU time in a workspace with a vector index: ms") / 1_000,
            _last(engines, "`walk`: server CPU time per question: ms") / 1_000,
            _last(engines, "on disk: kB per fact"),
            _last(costs, "preset `openai` (gpt-4o-mini)"),
        )

    def chunk(self, facts: float) -> float:
        """Return the server's processor seconds per chunk in a workspace with this number of facts."""
        return self.chunk_server_indexed if facts > LEAST_INDEXED else self.chunk_server


def sizes() -> NDArray[np.float64]:
    """Return the facts of each workspace, in descending order."""
    ranks = np.arange(1, WORKSPACES + 1)
    return np.asarray(FACTS / ranks / (1 / ranks).sum())


def _last(text: str, what: str) -> float:
    """Return the number in the last cell of the table row with this label."""
    (row,) = re.findall(rf"^\| {re.escape(what)} \|(.*)\|$", text, re.MULTILINE)
    return float(re.findall(r"[\d.]+", row.replace(",", "").split("|")[-1])[0])


def needs(measured: Measured) -> Iterator[tuple[str, str]]:
    """Yield the resources and their amounts."""
    tokens = FACTS * TOKENS_OF_TEXT / FACTS_OF_TEXT
    chunks, workspace_facts = FACTS / FACTS_OF_A_CHUNK, sizes()
    indexed = workspace_facts[workspace_facts > LEAST_INDEXED].sum()
    index = indexed * VECTORS_A_FACT * (BYTES_OF_A_VECTOR + LINKS * BYTES_OF_A_LINK)
    server_per_chunk = sum(facts * measured.chunk(facts) for facts in workspace_facts) / FACTS
    chunks_per_second, chunks_per_worker = chunks / 86_400, AT_ONCE / (SECONDS_OF_A_CALL + measured.chunk_ours)
    yield "tokens of text", _rounded(tokens)
    yield (
        "extraction with gpt-4o-mini at its list price: $",
        _rounded(tokens / 1e6 * measured.dollars_a_million_tokens),
    )
    yield "model calls, one per window", _rounded(chunks)
    yield "windows per second, to index it within a day", f"{chunks_per_second:.0f}"
    yield (
        f"workers for that, each with {AT_ONCE} concurrent calls of {SECONDS_OF_A_CALL:.0f} s",
        f"{chunks_per_second / chunks_per_worker:.0f}",
    )
    yield "their processor time: cores", f"{chunks_per_second * measured.chunk_ours:.1f}"
    yield "processor time of the database during indexing: cores", f"{chunks_per_second * server_per_chunk:.1f}"
    yield "tables with their indexes: TB", f"{FACTS * measured.kilobytes_a_fact / 1e9:.2f}"
    yield "facts of workspaces that are large enough for the vector index", _rounded(indexed)
    yield "that index, which should fit into memory: GB", _rounded(index / 1e9)
    yield "questions per second and core of the database (`walk`)", f"{1 / measured.question_server:.0f}"
    yield "facts of the largest workspace", _rounded(workspace_facts[0])
    yield "facts of the median workspace", _rounded(workspace_facts[WORKSPACES // 2])
    largest_rate = 1 / measured.chunk(workspace_facts[0])
    yield "windows per second that the largest workspace can commit, one after the other", f"{largest_rate:.0f}"


def _rounded(number: float) -> str:
    return f"{float(f'{number:.2g}'):,.0f}"


@dataclass
class Database:
    """Simulated database with a number of cores and one write lock per workspace (its advisory lock)."""

    world: simpy.Environment
    measured: Measured
    random: np.random.Generator
    cores: simpy.Resource = field(init=False)
    turns: dict[int, simpy.Resource] = field(default_factory=dict)
    questions: list[float] = field(default_factory=list)
    chunks: list[float] = field(default_factory=list)
    busy: float = 0.0

    def __post_init__(self) -> None:
        self.cores = simpy.Resource(self.world, CORES)
        self._sizes = sizes()
        self._shares = np.cumsum(self._sizes)

    def asking(self) -> Generator[simpy.Event, Any, None]:
        """Generate questions with exponential inter-arrival times, regardless of pending ones."""
        while True:
            yield self.world.timeout(self.random.exponential(1 / QUESTIONS_A_SECOND))
            self.world.process(self._answering())

    def reading(self) -> Generator[simpy.Event, Any, None]:
        """Simulate one of a worker's concurrent calls in a loop."""
        while True:
            workspace = int(np.searchsorted(self._shares, self.random.uniform(0, self._shares[-1])))
            yield self.world.timeout(self.random.exponential(SECONDS_OF_A_CALL))
            started = self.world.now
            turn = self.turns.setdefault(workspace, simpy.Resource(self.world, 1))
            with turn.request() as write_lock:
                yield write_lock
                yield from self._working(self.measured.chunk(self._sizes[workspace]))
            self.chunks.append(self.world.now - started)

    def _answering(self) -> Generator[simpy.Event, Any, None]:
        started = self.world.now
        yield from self._working(self.measured.question_server)
        self.questions.append(self.world.now - started)

    def _working(self, seconds: float) -> Generator[simpy.Event, Any, None]:
        with self.cores.request() as core:
            yield core
            yield self.world.timeout(seconds)
        self.busy += seconds


def simulated(measured: Measured, workers: int) -> tuple[str, ...]:
    """Simulate a number of workers beside the questions; returns a table row."""
    world = simpy.Environment()
    database = Database(world, measured, np.random.default_rng(workers))
    world.process(database.asking())
    for _ in range(workers * AT_ONCE):
        world.process(database.reading())
    world.run(SECONDS_SIMULATED)
    commit_time = 1_000 * np.percentile(database.chunks, 95) if database.chunks else 0.0
    question_times = 1_000 * np.percentile(database.questions, [50, 95])
    return (
        str(workers),
        f"{len(database.chunks) / SECONDS_SIMULATED:,.0f}",
        f"{workers * AT_ONCE / SECONDS_OF_A_CALL:,.0f}",
        f"{database.busy / SECONDS_SIMULATED / CORES:.0%}",
        f"{commit_time:,.0f}",
        f"{question_times[0]:,.0f} / {question_times[1]:,.0f}",
    )


HEADS = (
    "workers",
    "windows per second",
    "limit by calls",
    "cores in use",
    "commit of a window, p95: ms",
    "question, p50 / p95: ms",
)


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]) + "\n"


def main() -> None:
    measured = Measured.read()
    sections = {
        "## Resources": _table([("resource", "for 100 million facts in 10,000 workspaces"), *needs(measured)]),
        "## Simulated load": _table([HEADS, *(simulated(measured, workers) for workers in WORKERS)]),
    }
    for heading, table in sections.items():
        print(table)
        rewrite_table(REPORT, heading, table)


if __name__ == "__main__":
    main()
