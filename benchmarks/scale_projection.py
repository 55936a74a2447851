"""What a hundred million facts need, worked out from what was measured: ``python -m benchmarks.scale_projection``.

The constants are read from the tables of docs/performance.md and docs/costs.md, so this is run after those were made.
Nothing of the size that it speaks of has been run. What many do at once to the database, the busiest part, is
simulated: questions that come as they like, beside workers that read documents into workspaces of all sizes.
"""

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import simpy
from numpy.typing import NDArray

from benchmarks.report_sections import replaced, section
from polyadic.storage.postgres.hnsw import LEAST_INDEXED

DOCS = Path(__file__).parent.parent / "docs"
REPORT = DOCS / "scale.md"
FACTS, WORKSPACES = 100_000_000, 10_000
FACTS_OF_A_CHUNK = 12
"""As in benchmarks/ingest.py, from which the cost of a chunk is taken."""
TOKENS_OF_TEXT, FACTS_OF_TEXT = 91_716, 2_020
"""Of 2wiki-101, whose facts a large language model told."""
VECTORS_A_FACT = 2.2
"""Its own, that of an entity, which every fifth time is described in more than one way, and of a tenth of a passage."""
BYTES_OF_A_VECTOR, LINKS, BYTES_OF_A_LINK = 2 * 384, 2 * 16, 6
"""In pgvector's index: the vector in half precision, and at the lowest layer two times m links."""
AT_ONCE, SECONDS_OF_A_CALL = 16, 1.0
CORES = 16
QUESTIONS_A_SECOND = 50
WORKERS = (0, 4, 8, 16, 24, 32)
SECONDS_SIMULATED = 120


@dataclass(frozen=True)
class Measured:
    """Constants, in seconds of processor time of one core unless they say otherwise."""

    chunk_ours: float
    chunk_server: float
    chunk_server_indexed: float
    question_server: float
    kilobytes_a_fact: float
    dollars_a_million_tokens: float

    @classmethod
    def read(cls) -> Self:
        engines = section((DOCS / "performance.md").read_text(encoding="utf-8"), "## SQLite and PostgreSQL")
        costs = (DOCS / "costs.md").read_text(encoding="utf-8")
        return cls(
            _last(engines, "of it processor time of ours: ms") / 1_000,
            _last(engines, "and of the server: ms") / 1_000,
            _last(engines, "the same in a workspace whose vectors are indexed: ms") / 1_000,
            _last(engines, "`walk`: processor time of the server a question: ms") / 1_000,
            _last(engines, "on disk: kB a fact"),
            _last(costs, "preset `openai` (gpt-4o-mini)"),
        )

    def chunk(self, facts: float) -> float:
        """Of the server, for a chunk of a workspace of so many facts."""
        return self.chunk_server_indexed if facts > LEAST_INDEXED else self.chunk_server


def sizes() -> NDArray[np.float64]:
    """Facts of each workspace, the largest first."""
    ranks = np.arange(1, WORKSPACES + 1)
    return np.asarray(FACTS / ranks / (1 / ranks).sum())


def _last(text: str, what: str) -> float:
    """The number in the last cell of the row of a table that begins so."""
    (row,) = re.findall(rf"^\| {re.escape(what)} \|(.*)\|$", text, re.MULTILINE)
    return float(re.findall(r"[\d.]+", row.replace(",", "").split("|")[-1])[0])


def needs(measured: Measured) -> Iterator[tuple[str, str]]:
    """What is needed, and how much of it."""
    tokens = FACTS * TOKENS_OF_TEXT / FACTS_OF_TEXT
    chunks, held = FACTS / FACTS_OF_A_CHUNK, sizes()
    indexed = held[held > LEAST_INDEXED].sum()
    index = indexed * VECTORS_A_FACT * (BYTES_OF_A_VECTOR + LINKS * BYTES_OF_A_LINK)
    of_server = sum(facts * measured.chunk(facts) for facts in held) / FACTS
    a_day, a_worker = chunks / 86_400, AT_ONCE / (SECONDS_OF_A_CALL + measured.chunk_ours)
    yield "text: tokens", _shown(tokens)
    yield (
        "money for reading it with gpt-4o-mini at its list price: $",
        _shown(tokens / 1e6 * measured.dollars_a_million_tokens),
    )
    yield "calls, one a chunk", _shown(chunks)
    yield "chunks a second, to be read within a day", f"{a_day:.0f}"
    yield f"workers for that, {AT_ONCE} calls of {SECONDS_OF_A_CALL:.0f} s at once each", f"{a_day / a_worker:.0f}"
    yield "their processor time: cores", f"{a_day * measured.chunk_ours:.1f}"
    yield "processor time of the database meanwhile: cores", f"{a_day * of_server:.1f}"
    yield "the tables with their indexes: TB", f"{FACTS * measured.kilobytes_a_fact / 1e9:.2f}"
    yield "facts of workspaces that are large enough for the index of what is near", _shown(indexed)
    yield "that index, which should be held in memory: GB", _shown(index / 1e9)
    yield "questions a second that one core of the database answers (`walk`)", f"{1 / measured.question_server:.0f}"
    yield "facts of the largest workspace, if the n-th has one n-th of its size", _shown(held[0])
    yield "facts of the one in the middle", _shown(held[WORKSPACES // 2])
    most = 1 / measured.chunk(held[0])
    yield "chunks a second that the largest can take, which are committed one after the other", f"{most:.0f}"


def _shown(number: float) -> str:
    return f"{float(f'{number:.2g}'):,.0f}"


@dataclass
class Database:
    """Cores that work at one thing each, and for each workspace a turn to write, as the advisory locks give it."""

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
        """Questions come one after the other, whoever is answered."""
        while True:
            yield self.world.timeout(self.random.exponential(1 / QUESTIONS_A_SECOND))
            self.world.process(self._answering())

    def reading(self) -> Generator[simpy.Event, Any, None]:
        """One of the calls that a worker has under way, again and again."""
        while True:
            workspace = int(np.searchsorted(self._shares, self.random.uniform(0, self._shares[-1])))
            yield self.world.timeout(self.random.exponential(SECONDS_OF_A_CALL))
            begun = self.world.now
            turn = self.turns.setdefault(workspace, simpy.Resource(self.world, 1))
            with turn.request() as mine:
                yield mine
                yield from self._working(self.measured.chunk(self._sizes[workspace]))
            self.chunks.append(self.world.now - begun)

    def _answering(self) -> Generator[simpy.Event, Any, None]:
        begun = self.world.now
        yield from self._working(self.measured.question_server)
        self.questions.append(self.world.now - begun)

    def _working(self, seconds: float) -> Generator[simpy.Event, Any, None]:
        with self.cores.request() as core:
            yield core
            yield self.world.timeout(seconds)
        self.busy += seconds


def simulated(measured: Measured, workers: int) -> tuple[str, ...]:
    """A row of the table: what so many workers come to beside the questions."""
    world = simpy.Environment()
    database = Database(world, measured, np.random.default_rng(workers))
    world.process(database.asking())
    for _ in range(workers * AT_ONCE):
        world.process(database.reading())
    world.run(SECONDS_SIMULATED)
    committing = 1_000 * np.percentile(database.chunks, 95) if database.chunks else 0.0
    asked = 1_000 * np.percentile(database.questions, [50, 95])
    return (
        str(workers),
        f"{len(database.chunks) / SECONDS_SIMULATED:,.0f}",
        f"{workers * AT_ONCE / SECONDS_OF_A_CALL:,.0f}",
        f"{database.busy / SECONDS_SIMULATED / CORES:.0%}",
        f"{committing:,.0f}",
        f"{asked[0]:,.0f} / {asked[1]:,.0f}",
    )


_TABLE = re.compile(r"^\|.*\n(?:\|.*\n)*", re.MULTILINE)
HEADS = (
    "workers",
    "chunks a second",
    "of what calls allow",
    "the database's cores in use",
    "until a chunk is committed, p95: ms",
    f"a question of {QUESTIONS_A_SECOND} a second in the database, p50 / p95: ms",
)


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]) + "\n"


def main() -> None:
    measured = Measured.read()
    sections = {
        "## What it needs": _table([("what", "for 100 M facts in 10,000 workspaces"), *needs(measured)]),
        "## The busiest part, simulated": _table([HEADS, *(simulated(measured, workers) for workers in WORKERS)]),
    }
    text = REPORT.read_text(encoding="utf-8")
    for heading, table in sections.items():
        told = section(text, heading).removeprefix(f"{heading}\n").rstrip("\n") + "\n"
        text = replaced(text, heading, _TABLE.sub(table, told, count=1))
        print(table)
    REPORT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
