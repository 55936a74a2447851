"""Spans: what is done, from when to when, within what.

Nobody listens unless :mod:`polyadic.tracing.exporter` was told where to send spans, or the application that Polyadic
is a part of has set up OpenTelemetry itself. Where nobody does, nothing is done, and OpenTelemetry may be missing.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from time import time_ns
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span as Recorded
    from opentelemetry.trace import SpanKind, Tracer
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

Value = str | int | float | bool | Sequence[str]
Kind = Literal["internal", "client", "server"]
_LIBRARY = "polyadic"
# Under these names one process tells another within which span it is called (W3C Trace Context); a process that is
# started has them in its environment, in capitals.
_CARRIED = ("traceparent", "tracestate")
_UNNAMED_STEP, _LAST_STEP = "unfinished", "afterwards"
_here: ContextVar["_Told | None"] = ContextVar("polyadic_span", default=None)


class TraceSpan:
    """Something that is done, for as long as the ``with`` block lasts; this one is told to nobody."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """It has ended."""

    @property
    def listened(self) -> bool:
        """Whether anybody is told: what takes time to find out need not be found out for nobody."""
        return False

    @property
    def trace_id(self) -> str:
        """The trace that it belongs to, in hexadecimal digits; empty where it belongs to none."""
        return ""

    def rename(self, name: str) -> None:
        """Call it by a name that was not known when it began."""

    def tell(self, attributes: Mapping[str, Value]) -> None:
        """Say more about it; never what was asked, answered or read, and no key."""

    def fail(self, kind: str) -> None:
        """Say that it failed, by the kind of the error: its words may repeat what was asked."""


SILENT = TraceSpan()


class _Told(TraceSpan):
    """A span that somebody is told of; it may be cut into steps that follow one another (``staged``)."""

    def __init__(self, span: "Recorded", tracer: "Tracer", staged: bool) -> None:
        self._span = span
        self._tracer = tracer
        self._staged = staged
        self._since = time_ns()
        self._step: Recorded | None = None
        self._before: _Told | None = None

    def __enter__(self) -> Self:
        self._before = _here.get()
        _here.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Not by a token: a generator that is left may be closed in another context.
        if _here.get() is self:
            _here.set(self._before)
        failed = _kind_of(error) if isinstance(error, Exception) else ""
        if self._step is not None:
            self._step.update_name(_UNNAMED_STEP if failed else _LAST_STEP)
            self._end_step(failed)
        if failed:
            self.fail(failed)
        self._span.end()

    @property
    def listened(self) -> bool:
        return self._span.is_recording()

    @property
    def trace_id(self) -> str:
        return f"{self._span.get_span_context().trace_id:032x}"

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def tell(self, attributes: Mapping[str, Value]) -> None:
        self._span.set_attributes(attributes)

    def fail(self, kind: str) -> None:
        _mark_failed(self._span, kind)

    def within(self) -> "Context":
        """What is done from now on is done within this span, or within the step that is under way."""
        return _context_of(self._begun_step() if self._staged else self._span)

    def done(self, step: str) -> None:
        """A step has ended that began when the one before it did."""
        if self._staged:
            self._begun_step().update_name(step)
            self._end_step("")

    def _begun_step(self) -> "Recorded":
        """The step that is under way. What it is called shows when it is done, so it is begun by what is done in it."""
        if self._step is None:
            within = _context_of(self._span)
            self._step = self._tracer.start_span(_UNNAMED_STEP, context=within, start_time=self._since)
        return self._step

    def _end_step(self, failed: str) -> None:
        step, self._step, self._since = self._begun_step(), None, time_ns()
        if failed:
            _mark_failed(step, failed)
        step.end(self._since)


def span(name: str, attributes: Mapping[str, Value] | None = None, kind: Kind = "internal") -> TraceSpan:
    """Something to be done within what is being done here.

    >>> with span("nobody listens") as told:
    ...     told.listened
    False
    """
    return _begun(name, attributes, kind)


def stage(name: str, attributes: Mapping[str, Value] | None = None) -> TraceSpan:
    """The same, done in steps; each ends where :func:`step_done` says so, and holds the spans that began meanwhile."""
    return _begun(name, attributes, "internal", staged=True)


def step_done(name: str) -> None:
    """A step of the stage that is under way here has ended; nothing where there is none."""
    here = _here.get()
    if here is not None:
        here.done(name)


def called(name: str, carrier: Mapping[str, str], kind: Kind = "server") -> TraceSpan:
    """What another process calls for, within its span if the carrier, as the headers of a request, names one."""
    if (tracer := _tracer()) is None:
        return SILENT
    from opentelemetry.context import Context

    # Of an empty context, not of what is being done here.
    begun = tracer.start_span(name, context=_propagator().extract(carrier, Context()), kind=_kind(kind))
    return _Told(begun, tracer, staged=False)


def started(name: str) -> TraceSpan:
    """What this process was started for, within the span that its environment names (``TRACEPARENT``)."""
    return called(name, {key: os.environ.get(key.upper(), "") for key in _CARRIED}, "internal")


def for_environment() -> dict[str, str]:
    """What the environment of a process needs that is started for what is done here; nothing where nobody listens."""
    carrier: dict[str, str] = {}
    here = _here.get()
    if here is not None:
        _propagator().inject(carrier, here.within())
    return {key.upper(): value for key, value in carrier.items()}


def is_listened() -> bool:
    """Whether anybody is told of spans."""
    return _tracer() is not None


class Listener:
    """Whom this process tells of its spans, if it tells anybody itself; kept in one place, since there is one."""

    tracer: "Tracer | None" = None


def _begun(name: str, attributes: Mapping[str, Value] | None, kind: Kind, staged: bool = False) -> TraceSpan:
    here = _here.get()
    if (tracer := here._tracer if here else _tracer()) is None:
        return SILENT
    # Where there is nothing here, within what the application around is doing, which OpenTelemetry knows.
    within = here.within() if here else None
    return _Told(tracer.start_span(name, context=within, kind=_kind(kind), attributes=attributes), tracer, staged)


def _tracer() -> "Tracer | None":
    if Listener.tracer is not None:
        return Listener.tracer
    # Who has set up tracing has loaded it; looking costs nothing where nobody has.
    api = sys.modules.get("opentelemetry.trace")
    if api is None or isinstance(api.get_tracer_provider(), api.ProxyTracerProvider):
        return None
    tracer: Tracer = api.get_tracer(_LIBRARY)
    return tracer


def _mark_failed(span: "Recorded", kind: str) -> None:
    from opentelemetry.trace import StatusCode

    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR)


def _kind_of(error: BaseException) -> str:
    """The status that an endpoint answered with, or the class of the error: of that which was put into our words.

    >>> _kind_of(ValueError("what was asked"))
    'ValueError'
    """
    said_first = error.__context__ if error.__suppress_context__ and error.__cause__ is None else None
    for one in (error, said_first):
        if isinstance(status := getattr(one, "status_code", None), int):
            return str(status)
    return type(said_first or error).__name__


def _context_of(span: "Recorded") -> "Context":
    from opentelemetry.trace import set_span_in_context

    return set_span_in_context(span)


def _kind(kind: Kind) -> "SpanKind":
    from opentelemetry.trace import SpanKind

    return SpanKind[kind.upper()]


def _propagator() -> "TraceContextTextMapPropagator":
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator()
