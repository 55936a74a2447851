"""Measure the throughput of several clients, in one process and in several; used by benchmarks/scale.py.

Run as a program, it is one client process: it opens a store, prints "ready", and starts when it reads a line.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command sets it; must precede the import of numpy

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from benchmarks.hierarchy_store import SETTINGS
from benchmarks.synthetic_stores import Grown, Scaled
from polyadic.text.counts import count
from polyadic.workspace import Workspace

CLIENTS = (1, 2, 4)
METHODS = ("hypergraph", "walk")
QUESTIONS_EACH = 50


def throughput(folder: Path, plan: Grown) -> dict[str, float]:
    """Return questions per second by method, number of clients, and whether they share a process."""
    rates = {}
    for method in METHODS:
        for clients in CLIENTS:
            rates[f"{method}, {count(clients, 'thread')}: questions per second"] = _in_one(
                folder, plan, method, clients
            )
        for clients in CLIENTS[1:]:
            rates[f"{method}, {clients} processes: questions per second"] = _in_several(folder, plan, method, clients)
    return rates


def _in_one(folder: Path, plan: Grown, method: str, clients: int) -> float:
    with Scaled(folder, SETTINGS) as kb, ThreadPoolExecutor(clients) as pool:
        list(pool.map(lambda client: _ask(kb, plan, method, client, 3), range(clients)))
        started = time.perf_counter()
        list(pool.map(lambda client: _ask(kb, plan, method, client, QUESTIONS_EACH), range(clients)))
        return clients * QUESTIONS_EACH / (time.perf_counter() - started)


def _in_several(folder: Path, plan: Grown, method: str, clients: int) -> float:
    with ExitStack() as stack:
        clients_io = [stack.enter_context(_client(folder, plan, method, client)) for client in range(clients)]
        for _, stdout in clients_io:
            stdout.readline()
        started = time.perf_counter()
        for stdin, _ in clients_io:
            stdin.write("\n")
            stdin.flush()
        for _, stdout in clients_io:
            stdout.readline()
        return clients * QUESTIONS_EACH / (time.perf_counter() - started)


@contextmanager
def _client(folder: Path, plan: Grown, method: str, client: int) -> Iterator[tuple[IO[str], IO[str]]]:
    command = [sys.executable, "-m", "benchmarks.clients", str(folder), str(plan.entities), method, str(client)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        yield process.stdin, process.stdout


def _ask(kb: Workspace, plan: Grown, method: str, client: int, questions: int) -> None:
    for number in range(questions):
        kb.retrieve(plan.question(100 * client + number), method)


def main(arguments: Sequence[str]) -> None:
    folder, entities, method, client = arguments
    plan = Grown(int(entities), int(entities))
    with Scaled(Path(folder), SETTINGS) as kb:
        _ask(kb, plan, method, int(client), 3)
        print("ready", flush=True)
        sys.stdin.readline()
        _ask(kb, plan, method, int(client), QUESTIONS_EACH)
        print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
