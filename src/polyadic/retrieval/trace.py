"""Trace of a retrieval: its steps with their durations."""

from time import perf_counter

from polyadic.model.types import TraceStep
from polyadic.tracing.spans import step_done


class Trace:
    """Collects steps; each lasts from the end of the one before.

    >>> trace = Trace()
    >>> trace.done("embed", "1 question")
    >>> [(step.name, step.detail) for step in trace.steps]
    [('embed', '1 question')]
    """

    def __init__(self) -> None:
        self._steps: list[TraceStep] = []
        self._since = perf_counter()

    def done(self, name: str, detail: str) -> None:
        now = perf_counter()
        self._steps.append(TraceStep(name, detail, now - self._since))
        self._since = now
        step_done(name)

    @property
    def steps(self) -> tuple[TraceStep, ...]:
        return tuple(self._steps)
