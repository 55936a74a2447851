"""Smoke test of Polyadic's performance: check in a minute, by ratios within the run, that costs scale as expected.

The margins are wide, so that only real regressions exceed them, on any machine.
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.peers.measured import Asking, Inserting, Missing, Reading, Sharing
from benchmarks.peers.running import Runner, T
from benchmarks.peers.stand_in import AT_ONCE
from benchmarks.peers.systems import POLYADIC, SYSTEMS

_PASSAGES, _SECONDS = 64, 0.05
_SMALL, _LARGE = 25, 200
_TIMES, _QUESTIONS = 9, 20


class Failed(Exception):
    """A task did not finish, so there is nothing to compare."""


@dataclass(frozen=True, slots=True)
class Margin:
    """A ratio and its upper limit."""

    what: str
    measured: float
    most: float

    @property
    def broken(self) -> bool:
        return self.measured > self.most

    def __str__(self) -> str:
        return f"{'BROKEN' if self.broken else 'kept':6}  {self.measured:6.2f} of at most {self.most:.0f}  {self.what}"


def margins(runner: Runner) -> list[Margin]:
    """Measure all margins, each in separate processes.

    Raises
    ------
    Failed
        A task failed or took too long.
    """
    return [*_measure_reading(runner), *_measure_growth(runner)]


def reading_margins(many: Reading, one: Reading, slow: Reading) -> Iterator[Margin]:
    """Yield the margins of indexing many passages per document, one per document, and with a slow model."""
    ideal = many.seconds + slow.calls * _SECONDS / AT_ONCE
    yield Margin("bytes written per byte stored, 10 passages per document", many.written_a_byte, 8)
    yield Margin("bytes written per byte stored, 1 passage per document", one.written_a_byte, 8)
    yield Margin("CPU time of indexing 1 passage per document / 10", one.processor / many.processor, 3)
    yield Margin("indexing with a model at 50 ms / without, and the time of its calls", slow.seconds / ideal, 4)


def insertion_margins(small: Inserting, large: Inserting) -> Iterator[Margin]:
    """Yield the margins of inserting documents into a small store and a large one."""
    times = f"into a store {_LARGE // _SMALL} times as large / into the small one"
    yield Margin(f"CPU time of inserting a document {times}", large.processor / small.processor, 3)
    yield Margin(f"bytes written for a document {times}", large.written / small.written, 3)


def question_margins(method: str, small: Asking, large: Asking) -> Iterator[Margin]:
    """Yield the margin of questions to a small store and a large one."""
    times = f"on a store {_LARGE // _SMALL} times as large / on the small one"
    yield Margin(f"CPU time of `{method}` {times}", large.processor / small.processor, 4)


def sharing_margin(sharing: Sharing) -> Margin:
    """Return the margin of processes, of three, that do not find an inserted document at the next question."""
    return Margin(
        "processes that do not find a new document", 3 - sum((sharing.same, sharing.other, sharing.opened_later)), 0
    )


def _measure_reading(runner: Runner) -> Iterator[Margin]:
    readings = []
    for a_document, seconds in ((10, 0.0), (1, 0.0), (10, _SECONDS)):
        folder = runner.work / "read"
        given = {"passages": _PASSAGES, "a_document": a_document, "seconds": seconds}
        readings.append(_require(runner.run(Reading, POLYADIC, "read", folder, **given)))
        shutil.rmtree(folder)
    yield from reading_margins(*readings)


def _measure_growth(runner: Runner) -> Iterator[Margin]:
    folder, methods = runner.work / "grown", SYSTEMS[POLYADIC].methods
    insertions, questions = list[Inserting](), list[list[Asking]]()
    for first, last in ((0, _SMALL), (_SMALL, _LARGE)):
        given = {"first": first, "last": last, "times": _TIMES}
        insertions.append(_require(runner.run(Inserting, POLYADIC, "insert", folder, **given)))
        outcomes = [
            runner.run(Asking, POLYADIC, "ask", folder, questions=_QUESTIONS, method=outcome) for outcome in methods
        ]
        questions.append([_require(outcome) for outcome in outcomes])
    yield from insertion_margins(*insertions)
    for method, small, large in zip(methods, *questions, strict=True):
        yield from question_margins(method, small, large)
    yield sharing_margin(_require(runner.run(Sharing, POLYADIC, "share", folder)))


def _require(outcome: T | Missing) -> T:
    if isinstance(outcome, Missing):
        raise Failed(outcome.why)
    return outcome
