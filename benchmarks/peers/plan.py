"""Plan of the measurements; systems take turns, because a machine's speed varies over time."""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from benchmarks.peers.killing import survivors
from benchmarks.peers.measured import Asking, Inserting, Missing, Reading, Sharing
from benchmarks.peers.running import Runner
from benchmarks.peers.systems import SYSTEMS

READINGS = ((10, 0.0), (1, 0.0), (10, 0.05))
"""Passages per document, and seconds per model call."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes of the measurements.

    Attributes
    ----------
    passages
        Passages indexed into a new store.
    stages
        Sizes in passages at which documents are inserted into a growing store.
    times
        Documents inserted per stage.
    questions
        Questions to the final store.
    kills
        How often its writer is killed.
    """

    passages: int = 200
    stages: tuple[int, ...] = (70, 390, 2_243)
    times: int = 5
    questions: int = 30
    kills: int = 3


WHOLE = Plan()
SMALL = Plan(passages=20, stages=(10, 20, 40), times=3, questions=10, kills=1)


@dataclass(frozen=True, slots=True)
class Results:
    """Measurements by system; ``alive`` counts surviving stores, ``seconds`` are the durations of the run's parts."""

    readings: list[dict[str, Reading | Missing]] = field(default_factory=list)
    insertions: list[dict[str, Inserting | Missing]] = field(default_factory=list)
    sharing: dict[str, Sharing | Missing] = field(default_factory=dict)
    questions: dict[str, list[Asking | Missing]] = field(default_factory=dict)
    alive: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.seconds[part] = time.perf_counter() - started
        print(f"{self.seconds[part]:7.1f} s  {part}: all", file=sys.stderr, flush=True)


def carried_out(plan: Plan, runner: Runner) -> Results:
    """Carry out all measurements of a plan."""
    results = Results()
    with results.timed("reading"):
        results.readings.extend(_read(plan, runner, *reading) for reading in READINGS)
    for number, last in enumerate(plan.stages):
        first = plan.stages[number - 1] if number else 0
        with results.timed(f"inserting at {last} passages"):
            results.insertions.append(_insert(plan, runner, first, last))
        if number == 0:
            with results.timed("sharing"):
                results.sharing.update({name: _share(runner, name) for name in runner.systems})
    with results.timed("questions"):
        results.questions.update({name: _ask(plan, runner, name) for name in runner.systems})
    with results.timed("killing"):
        for name, inserted in results.insertions[-1].items():
            if isinstance(inserted, Inserting):
                store = runner.work / name
                results.alive[name] = survivors(runner, name, store, inserted.written, plan.kills)
    return results


def _read(plan: Plan, runner: Runner, a_document: int, seconds: float) -> dict[str, Reading | Missing]:
    readings = dict[str, Reading | Missing]()
    for name in runner.systems:
        folder = runner.work / f"read-{name}"
        readings[name] = runner.run(
            Reading, name, "read", folder, passages=plan.passages, a_document=a_document, seconds=seconds
        )
        shutil.rmtree(folder)
    return readings


def _insert(plan: Plan, runner: Runner, first: int, last: int) -> dict[str, Inserting | Missing]:
    return {
        name: runner.run(Inserting, name, "insert", runner.work / name, first=first, last=last, times=plan.times)
        for name in runner.systems
    }


def _share(runner: Runner, name: str) -> Sharing | Missing:
    copy = runner.work / f"shared-{name}"
    shutil.copytree(runner.work / name, copy)
    outcome = runner.run(Sharing, name, "share", copy)
    shutil.rmtree(copy)
    return outcome


def _ask(plan: Plan, runner: Runner, name: str) -> list[Asking | Missing]:
    return [
        runner.run(Asking, name, "ask", runner.work / name, questions=plan.questions, method=method)
        for method in SYSTEMS[name].methods
    ]
