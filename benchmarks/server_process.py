"""Run a ``polyadic serve`` process on a copy of a workspace, and clients that ask it questions."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import numpy as np

_SECONDS_TO_START = 60.0
_SECONDS_FOR_A_QUESTION = 300.0
OK = 200


@dataclass(frozen=True, slots=True)
class Served:
    """A running server: its URL and process id."""

    url: str
    process: int

    def memory(self) -> float:
        """Return the resident memory of the process in megabytes."""
        match = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{self.process}/status").read_text(encoding="ascii"))
        assert match
        return int(match[1]) / 1024

    def client(self) -> httpx2.Client:
        # Plain HTTP on this machine, so loading certificates is unnecessary.
        return httpx2.Client(base_url=self.url, timeout=_SECONDS_FOR_A_QUESTION, verify=False)


@contextmanager
def served(workspace: Path) -> Iterator[Served]:
    """Serve a copy of a workspace, so that uploads of clients do not change the original."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        shutil.copytree(workspace, folder / workspace.name, ignore=shutil.ignore_patterns("*.lock", "writer.pid"))
        log = folder / "log"
        with log.open("w") as errors:
            command = [sys.executable, "-m", "polyadic", "serve", str(folder), "--port", "0"]
            process = subprocess.Popen(command, stderr=errors, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        try:
            yield Served(_address(process, log), process.pid)
        finally:
            process.terminate()
            process.wait()


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    deadline = time.monotonic() + _SECONDS_TO_START
    while not (match := re.search(r" at (http://\S+)", log.read_text(encoding="utf-8"))):
        assert process.poll() is None and time.monotonic() < deadline, log.read_text(encoding="utf-8")
        time.sleep(0.05)
    return match[1]


@dataclass(frozen=True, slots=True)
class Load:
    """Outcome of a load test: seconds per question, number of failures, and total seconds."""

    seconds: Sequence[float]
    failed: int
    whole: float

    def milliseconds(self, percentile: float) -> float:
        return 1000 * float(np.percentile(self.seconds, percentile))

    @property
    def a_second(self) -> float:
        return len(self.seconds) / self.whole


def ask(server: Served, path: str, questions: Sequence[str], clients: int, requests: int) -> Load:
    """Ask ``requests`` questions with a number of concurrent clients, each sequentially."""
    return asyncio.run(_ask(server.url, path, questions, clients, requests))


async def _ask(url: str, path: str, questions: Sequence[str], clients: int, requests: int) -> Load:
    limits = httpx2.Limits(max_connections=clients, max_keepalive_connections=clients)
    numbers, seconds, failed = iter(range(requests)), list[float](), 0
    async with httpx2.AsyncClient(
        base_url=url, timeout=_SECONDS_FOR_A_QUESTION, verify=False, limits=limits
    ) as connections:

        async def one_client() -> None:
            nonlocal failed
            for number in numbers:
                started = time.perf_counter()
                failed += not await _is_answered(connections, path, questions[number % len(questions)])
                seconds.append(time.perf_counter() - started)

        started = time.perf_counter()
        await asyncio.gather(*(one_client() for _ in range(clients)))
        return Load(seconds, failed, time.perf_counter() - started)


async def _is_answered(connections: httpx2.AsyncClient, path: str, question: str) -> bool:
    try:
        reply = await connections.post(path, json={"question": question})
    except httpx2.HTTPError:
        return False
    return reply.status_code == OK and bool(reply.json()["knowledge"]["items"])
