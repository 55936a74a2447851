"""Trace spans: what was done, when, and as part of what.

Spans are recorded if :mod:`polyadic.tracing.exporter` exports them, or if the host application has set up
OpenTelemetry itself. Otherwise they do nothing, and OpenTelemetry need not be installed.
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
# Headers that carry the parent span to another process (W3C Trace Context). A process that is started has them in its
# environment, in capitals.
_CARRIER_KEYS = ("traceparent", "tracestate")
_UNNAMED_STEP, _LAST_STEP = "unfinished", "afterwards"
_current: ContextVar["_RecordedSpan | None"] = ContextVar("polyadic_span", default=None)


class TraceSpan:
    """A span of work that lasts as long as its ``with`` block; this base class records nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the span."""

    @property
    def is_recording(self) -> bool:
        """Whether the span is recorded; if not, attributes that are expensive to compute can be skipped."""
        return False

    @property
    def trace_id(self) -> str:
        """Trace id in hexadecimal digits; empty if the span is not recorded."""
        return ""

    def rename(self, name: str) -> None:
        """Set a name that was not known at the start."""

    def set_attributes(self, attributes: Mapping[str, Value]) -> None:
        """Set attributes; never questions, answers, document text or keys."""

    def fail(self, kind: str) -> None:
        """Mark the span as failed with the kind of error; the message is left out, as it may repeat a question."""


SILENT = TraceSpan()


class _RecordedSpan(TraceSpan):
    """A recorded span; a staged one is divided into consecutive steps."""

    def __init__(self, span: "Recorded", tracer: "Tracer", staged: bool) -> None:
        self._span = span
        self._tracer = tracer
        self._staged = staged
        self._since = time_ns()
        self._step: Recorded | None = None
        self._before: _RecordedSpan | None = None

    def __enter__(self) -> Self:
        self._before = _current.get()
        _current.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Not reset by a token: an abandoned generator may be closed in another context.
        if _current.get() is self:
            _current.set(self._before)
        failed = _error_kind(error) if isinstance(error, Exception) else ""
        if self._step is not None:
            self._step.update_name(_UNNAMED_STEP if failed else _LAST_STEP)
            self._end_step(failed)
        if failed:
            self.fail(failed)
        self._span.end()

    @property
    def is_recording(self) -> bool:
        return self._span.is_recording()

    @property
    def trace_id(self) -> str:
        return f"{self._span.get_span_context().trace_id:032x}"

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def set_attributes(self, attributes: Mapping[str, Value]) -> None:
        self._span.set_attributes(attributes)

    def fail(self, kind: str) -> None:
        _mark_failed(self._span, kind)

    def within(self) -> "Context":
        """Return the context for child spans: this span, or its current step."""
        return _context_of(self._current_step() if self._staged else self._span)

    def done(self, step: str) -> None:
        """End the current step, which began when the one before it ended."""
        if self._staged:
            self._current_step().update_name(step)
            self._end_step("")

    def _current_step(self) -> "Recorded":
        """Return the current step, starting it if needed.

        The name of a step is known only when it ends, so the first child span starts it.
        """
        if self._step is None:
            context = _context_of(self._span)
            self._step = self._tracer.start_span(_UNNAMED_STEP, context=context, start_time=self._since)
        return self._step

    def _end_step(self, failed: str) -> None:
        step, self._step, self._since = self._current_step(), None, time_ns()
        if failed:
            _mark_failed(step, failed)
        step.end(self._since)


def span(name: str, attributes: Mapping[str, Value] | None = None, kind: Kind = "internal") -> TraceSpan:
    """Start a span within the current one.

    >>> with span("not recorded") as recording:
    ...     recording.is_recording
    False
    """
    return _start(name, attributes, kind)


def stage(name: str, attributes: Mapping[str, Value] | None = None) -> TraceSpan:
    """Start a span with steps; each ends at :func:`step_done` and is the parent of the spans started meanwhile."""
    return _start(name, attributes, "internal", staged=True)


def step_done(name: str) -> None:
    """End the current step of the current stage; does nothing without one."""
    current = _current.get()
    if current is not None:
        current.done(name)


def called(name: str, carrier: Mapping[str, str], kind: Kind = "server") -> TraceSpan:
    """Start a span for a request of another process, as a child of the span in ``carrier`` (request headers)."""
    if (tracer := _tracer()) is None:
        return SILENT
    from opentelemetry.context import Context

    # From an empty context, so that the current span does not become the parent.
    recorded = tracer.start_span(name, context=_propagator().extract(carrier, Context()), kind=_kind(kind))
    return _RecordedSpan(recorded, tracer, staged=False)


def started(name: str) -> TraceSpan:
    """Start the span of this process, as a child of the span in its environment (``TRACEPARENT``), if any."""
    return called(name, {key: os.environ.get(key.upper(), "") for key in _CARRIER_KEYS}, "internal")


def for_environment() -> dict[str, str]:
    """Return the environment variables that pass the current span to a child process; empty without a recorded span."""
    carrier: dict[str, str] = {}
    current = _current.get()
    if current is not None:
        _propagator().inject(carrier, current.within())
    return {key.upper(): value for key, value in carrier.items()}


def is_listened() -> bool:
    """Return whether spans are recorded."""
    return _tracer() is not None


class Listener:
    """Holder of the tracer that this process exports to; None if it does not export itself."""

    tracer: "Tracer | None" = None


def _start(name: str, attributes: Mapping[str, Value] | None, kind: Kind, staged: bool = False) -> TraceSpan:
    current = _current.get()
    if (tracer := current._tracer if current else _tracer()) is None:
        return SILENT
    # Without a current span, OpenTelemetry takes the span of the host application as parent.
    context = current.within() if current else None
    return _RecordedSpan(
        tracer.start_span(name, context=context, kind=_kind(kind), attributes=attributes), tracer, staged
    )


def _tracer() -> "Tracer | None":
    if Listener.tracer is not None:
        return Listener.tracer
    # An application with tracing has imported this module; the lookup costs nothing otherwise.
    api = sys.modules.get("opentelemetry.trace")
    if api is None or isinstance(api.get_tracer_provider(), api.ProxyTracerProvider):
        return None
    tracer: Tracer = api.get_tracer(_LIBRARY)
    return tracer


def _mark_failed(span: "Recorded", kind: str) -> None:
    from opentelemetry.trace import StatusCode

    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR)


def _error_kind(error: BaseException) -> str:
    """Return the HTTP status of an endpoint error, or else the class name of the original error.

    >>> _error_kind(ValueError("what was asked"))
    'ValueError'
    """
    original = error.__context__ if error.__suppress_context__ and error.__cause__ is None else None
    for candidate in (error, original):
        if isinstance(status := getattr(candidate, "status_code", None), int):
            return str(status)
    return type(original or error).__name__


def _context_of(span: "Recorded") -> "Context":
    from opentelemetry.trace import set_span_in_context

    return set_span_in_context(span)


def _kind(kind: Kind) -> "SpanKind":
    from opentelemetry.trace import SpanKind

    return SpanKind[kind.upper()]


def _propagator() -> "TraceContextTextMapPropagator":
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator()
