"""Measuring tasks; each runs in its own process."""

import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.footprint import resident, stored, written
from benchmarks.peers.measured import Asking, Inserting, Reading, Sharing
from benchmarks.peers.stand_in import known, narrow_question, question, tells_of
from benchmarks.peers.systems import SYSTEMS, System, system
from benchmarks.synthetic_workload import documents

FURTHER = 900_000
"""Passages from this number on are inserted one by one; the others are used to fill stores."""
_SHARED, _FIRST_ENDLESS = FURTHER - 1, FURTHER + 50_000
READY = "ready"
_FOUND = "found"
WORKER = "benchmarks.peers.worker"
_A_DOCUMENT = 100
_WARMING = 2


@dataclass(frozen=True, slots=True)
class Spent:
    """Wall-clock seconds, processor seconds, and bytes written."""

    seconds: float
    processor: float
    written: int


async def spent(work: Callable[[], Awaitable[object]]) -> Spent:
    written_before, started, cpu_before = written(), time.perf_counter(), time.process_time()
    await work()
    return Spent(time.perf_counter() - started, time.process_time() - cpu_before, written() - written_before)


async def read(name: str, folder: Path, passages: int, a_document: int, seconds: float) -> Reading:
    """Index passages into a new store, ``a_document`` per document, with a model that takes ``seconds`` per call."""
    texts = _prepared(0, passages, a_document)
    measured, model = system(name, seconds)
    await measured.warm()
    await measured.open(folder)
    written_before = written()
    costs = await spent(lambda: measured.insert(texts))
    holding = await measured.holding()
    await measured.close()
    total_written = written() - written_before
    return Reading(
        passages,
        holding.entities,
        holding.facts,
        model.calls,
        costs.seconds,
        costs.processor,
        total_written,
        stored(folder),
    )


async def insert(name: str, folder: Path, first: int, last: int, times: int) -> Inserting:
    """Fill a store with the passages from ``first`` to ``last``, and then insert documents one by one.

    A question before the insertions makes sure that everything is loaded.
    """
    measured, _ = system(name, 0.0)
    await measured.open(folder)
    texts = _prepared(first, last - first, _A_DOCUMENT)
    filled = await spent(lambda: measured.insert(texts))
    await measured.query(question(0), SYSTEMS[name].methods[0])
    holding = await measured.holding()
    further_documents = [_prepared(FURTHER + last + number, 1, 1) for number in range(times)]
    costs = [await spent(lambda texts=texts: measured.insert(texts)) for texts in further_documents]  # type: ignore[misc]
    await measured.close()
    return Inserting(
        holding.entities,
        holding.facts,
        statistics.median(cost.seconds for cost in costs),
        statistics.median(cost.processor for cost in costs),
        round(statistics.median(cost.written for cost in costs)),
        filled.seconds,
    )


async def share(name: str, folder: Path) -> Sharing:
    """Insert a document into an existing store that another process has open, and check which processes find it."""
    measured, _ = system(name, 0.0)
    await measured.open(folder)
    command = [sys.executable, "-m", WORKER, name, "look", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin and other.stdout
        assert other.stdout.readline().strip() == READY
        await measured.insert(_prepared(_SHARED, 1, 1))
        same = await _finds(measured, name)
        await measured.close()
        output, _ = other.communicate("\n")
    later = subprocess.run(command, input="\n", stdout=subprocess.PIPE, text=True, check=True).stdout
    return Sharing(same, _FOUND in output, _FOUND in later)


async def look(name: str, folder: Path) -> None:
    """Second process of :func:`share`: open the store, and on a line of input report whether it finds the document."""
    measured, _ = system(name, 0.0)
    await measured.open(folder)
    await measured.query(question(0), SYSTEMS[name].methods[0])
    print(READY, file=sys.__stdout__, flush=True)
    sys.stdin.readline()
    if await _finds(measured, name):
        print(_FOUND, file=sys.__stdout__, flush=True)
    await measured.close()


async def _finds(measured: System, name: str) -> bool:
    return tells_of(await measured.query(narrow_question(_SHARED), SYSTEMS[name].methods[0]), _SHARED)


async def ask(name: str, folder: Path, questions: int, method: str) -> Asking:
    """Open a store and ask questions of it."""
    measured, _ = system(name, 0.0)
    texts = [question(number) for number in range(questions + _WARMING)]

    async def opened() -> str:
        await measured.open(folder)
        return await measured.query(texts[0], method)

    first = await spent(opened)
    await measured.query(texts[1], method)
    milliseconds, processor, found_count = list[float](), list[float](), 0
    for text in texts[_WARMING:]:
        started, cpu_before = time.perf_counter(), time.process_time()
        context = await measured.query(text, method)
        milliseconds.append(1_000 * (time.perf_counter() - started))
        processor.append(1_000 * (time.process_time() - cpu_before))
        found_count += len(context) > len(text)
    asking = Asking(
        first.seconds, tuple(milliseconds), statistics.median(processor), resident(), stored(folder), found_count
    )
    await measured.close()
    return asking


async def go_on(name: str, folder: Path) -> None:
    """Insert documents one after the other until the process is killed."""
    measured, _ = system(name, 0.0)
    await measured.open(folder)
    await measured.query(question(0), SYSTEMS[name].methods[0])
    print(READY, file=sys.__stdout__, flush=True)
    number = _FIRST_ENDLESS
    while True:
        await measured.insert(_prepared(number, 1, 1))
        number += 1


def _prepared(first: int, passages: int, a_document: int) -> list[str]:
    """Generate documents and the model's replies before anything is timed."""
    for number in range(first, first + passages):
        known(number)
    return documents(passages, a_document, first)
