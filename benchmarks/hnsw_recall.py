"""Measure recall and cost of PostgreSQL's vector index: ``python -m benchmarks.hnsw_recall FOLDER [VECTORS]``.

Fact vectors (benchmarks/synthetic_vectors.py) are indexed with several parameters of HNSW, on a new server. Each index
answers real questions: of the 60 nearest vectors, how many are among the first that the index returns? Times are CPU
times of the server, so other work on the machine changes them little. The first table of a section of
docs/performance-scale.md is replaced; its text is written by hand.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from benchmarks.engines import server, server_cpu_seconds
from benchmarks.report_sections import PERFORMANCE_AT_SCALE, rewrite_table
from benchmarks.synthetic_stores import REAL
from benchmarks.synthetic_vectors import Floats, Kind, Realistic
from polyadic.storage.postgres.adapters import adapt
from polyadic.storage.sql.half_precision import HalfVector

HEADING = "## Parameters of PostgreSQL's vector index"
PARAMETERS = ((16, 64), (16, 128))
GROWING = 64
"""The ef_construction with which an existing index grows."""
SEEN = (800, 2_000, 4_096)
K, QUESTIONS, INSERTED, AT_ONCE = 60, 60, 300, 10_000
_NEAR = "SELECT row, data::halfvec(384) <#> %s FROM vectors ORDER BY data::halfvec(384) <#> %s LIMIT %s"


def measured(address: str, vectors: Floats, further: Floats, questions: Floats) -> Iterator[tuple[str, ...]]:
    """Yield a table row for each choice of parameters."""
    exact = [set(np.argsort(-(vectors @ question))[:K].tolist()) for question in questions]
    with psycopg.connect(address, autocommit=True) as raw:
        raw.execute("CREATE EXTENSION vector")
        adapt(raw)
        raw.execute("CREATE TABLE vectors (row bigint PRIMARY KEY, data halfvec NOT NULL)")
        _insert(raw, vectors, 0)
        for m, ef_construction in PARAMETERS:
            raw.execute("DROP INDEX IF EXISTS near")
            started = server_cpu_seconds(address)
            raw.execute(
                "CREATE INDEX near ON vectors USING hnsw ((data::halfvec(384)) halfvec_ip_ops)"
                f" WITH (m = {m}, ef_construction = {ef_construction})".encode()
            )
            build = server_cpu_seconds(address) - started
            recalls = [_recall(raw, address, questions, exact, seen) for seen in SEEN]
            inserts = [_insertion(raw, address, further, len(vectors), ef) for ef in (ef_construction, GROWING)]
            yield f"{m}", f"{ef_construction}", f"{build:.0f}", *inserts, *recalls


def _recall(raw: Any, address: str, questions: Floats, exact: Sequence[set[int]], seen: int) -> str:
    """Return the mean recall, and the CPU time of the server per question."""
    found, started = 0, server_cpu_seconds(address)
    for question, nearest in zip(questions, exact, strict=True):
        (half,) = HalfVector.each(question[None, :])
        rows = raw.execute(_NEAR, (half, half, seen), binary=True).fetchall()
        found += len(nearest.intersection(row for row, _ in sorted(rows, key=lambda hit: hit[1])[:K]))
    milliseconds = 1_000 * (server_cpu_seconds(address) - started) / len(questions)
    return f"{found / K / len(questions):.3f} / {milliseconds:.0f} ms"


def _insertion(raw: Any, address: str, vectors: Floats, first: int, ef_construction: int) -> str:
    """Return the CPU time of the server for inserting a vector into the index; the vectors are deleted again."""
    raw.execute(f"ALTER INDEX near SET (ef_construction = {ef_construction})".encode())
    started = server_cpu_seconds(address)
    _insert(raw, vectors, first)
    milliseconds = 1_000 * (server_cpu_seconds(address) - started) / len(vectors)
    raw.execute("DELETE FROM vectors WHERE row >= %s", (first,))
    return f"{milliseconds:.1f}"


def _insert(raw: Any, vectors: Floats, first: int) -> None:
    rows = list(enumerate(HalfVector.each(vectors), first))
    with raw.transaction(), raw.cursor() as cursor:
        cursor.executemany("INSERT INTO vectors VALUES (%s, %s)", rows)


def main(folder: Path, number: int) -> None:
    embedder = Realistic(folder / REAL)
    pools = embedder.pools
    seeds = np.arange(number + INSERTED, dtype=np.uint64)
    parts = [pools[Kind.SENTENCE].moved(seeds[start : start + AT_ONCE]) for start in range(0, len(seeds), AT_ONCE)]
    vectors = np.concatenate(parts).astype(np.float16).astype(np.float32)
    chosen = np.random.default_rng(1).choice(len(pools[Kind.QUESTION].vectors), QUESTIONS, replace=False)
    with tempfile.TemporaryDirectory(dir=folder) as place, server(Path(place)) as address:
        rows = list(measured(address, vectors[:number], vectors[number:], pools[Kind.QUESTION].vectors[chosen]))
    inserts = ("insert a vector: ms", f"the same, with ef_construction = {GROWING}: ms")
    heads = ("m", "ef_construction", "build: s", *inserts, *(f"first {seen:,}" for seen in SEEN))
    table = "".join(f"| {' | '.join(row)} |\n" for row in (heads, ["---"] * len(heads), *rows))
    print(table)
    rewrite_table(PERFORMANCE_AT_SCALE, HEADING, table)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200_000)
