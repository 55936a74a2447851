"""Trace spans: what was done, when, and as part of what.

Spans are recorded if :mod:`polyadic.tracing.exporter` exports them, or if the host application has set up
OpenTelemetry itself. Otherwise they are OpenTelemetry's no-op spans.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from time import time_ns

from opentelemetry.context import Context
from opentelemetry.trace import (
    ProxyTracerProvider,
    Span,
    SpanKind,
    StatusCode,
    Tracer,
    get_tracer,
    get_tracer_provider,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue

_LIBRARY = "polyadic"
# Headers that carry the parent span to another process (W3C Trace Context). A process that is started has them in its
# environment, in capitals.
_PROPAGATOR = TraceContextTextMapPropagator()
_UNNAMED_STEP, _LAST_STEP = "unfinished", "afterwards"
_current: ContextVar["_OpenSpan | None"] = ContextVar("polyadic_span", default=None)


class _OpenSpan:
    """A span that has not ended; a staged one is divided into consecutive steps."""

    def __init__(self, span: Span, tracer: Tracer, staged: bool) -> None:
        self.span = span
        self.tracer = tracer
        self._staged = staged
        self._since = time_ns()
        self._step: Span | None = None

    def within(self) -> Context:
        """Return the context for child spans: this span, or its current step."""
        return set_span_in_context(self._current_step() if self._staged else self.span)

    def done(self, step: str) -> None:
        """End the current step, which began when the one before it ended."""
        if self._staged:
            self._current_step().update_name(step)
            self._end_step("")

    def end(self, failed: str) -> None:
        """End the span and its current step; ``failed`` is the kind of error, empty if there was none."""
        if self._step is not None:
            self._step.update_name(_UNNAMED_STEP if failed else _LAST_STEP)
            self._end_step(failed)
        if failed:
            mark_failed(self.span, failed)
        self.span.end()

    def _current_step(self) -> Span:
        """Return the current step, starting it if needed.

        The name of a step is known only when it ends, so the first child span starts it.
        """
        if self._step is None:
            context = set_span_in_context(self.span)
            self._step = self.tracer.start_span(_UNNAMED_STEP, context=context, start_time=self._since)
        return self._step

    def _end_step(self, failed: str) -> None:
        step, self._step, self._since = self._current_step(), None, time_ns()
        if failed:
            mark_failed(step, failed)
        step.end(self._since)


def span(
    name: str, attributes: Mapping[str, AttributeValue] | None = None, kind: SpanKind = SpanKind.INTERNAL
) -> AbstractContextManager[Span]:
    """Start a span within the current one; its attributes never hold questions, answers, document text or keys.

    >>> with span("not recorded") as recording:
    ...     recording.is_recording()
    False
    """
    return _start(name, attributes, kind)


def stage(name: str) -> AbstractContextManager[Span]:
    """Start a span with steps; each ends at :func:`step_done` and is the parent of the spans started meanwhile."""
    return _start(name, staged=True)


def step_done(name: str) -> None:
    """End the current step of the current stage; does nothing without one."""
    current = _current.get()
    if current is not None:
        current.done(name)


def called(name: str, carrier: Mapping[str, str], kind: SpanKind = SpanKind.SERVER) -> AbstractContextManager[Span]:
    """Start a span for a request of another process, as a child of the span in ``carrier`` (request headers)."""
    tracer = _tracer()
    # From an empty context, so that the current span does not become the parent.
    context = _PROPAGATOR.extract(carrier, Context())
    return _open(tracer.start_span(name, context=context, kind=kind), tracer)


def started(name: str) -> AbstractContextManager[Span]:
    """Start the span of this process, as a child of the span in its environment (``TRACEPARENT``), if any."""
    return called(name, {key: os.environ.get(key.upper(), "") for key in _PROPAGATOR.fields}, SpanKind.INTERNAL)


def for_environment() -> dict[str, str]:
    """Return the environment variables that pass the current span to a child process; empty without one."""
    carrier: dict[str, str] = {}
    current = _current.get()
    if current is not None:
        _PROPAGATOR.inject(carrier, current.within())
    return {key.upper(): value for key, value in carrier.items()}


def is_listened() -> bool:
    """Return whether spans are recorded."""
    return Listener.tracer is not None or not isinstance(get_tracer_provider(), ProxyTracerProvider)


def mark_failed(span: Span, kind: str) -> None:
    """Mark a span as failed with the kind of error; the message is left out, as it may repeat a question."""
    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR)


class Listener:
    """Holder of the tracer that this process exports to; None if it does not export itself."""

    tracer: Tracer | None = None


def _tracer() -> Tracer:
    return Listener.tracer or get_tracer(_LIBRARY)


def _start(
    name: str,
    attributes: Mapping[str, AttributeValue] | None = None,
    kind: SpanKind = SpanKind.INTERNAL,
    staged: bool = False,
) -> AbstractContextManager[Span]:
    current = _current.get()
    tracer = current.tracer if current else _tracer()
    # Without a current span, OpenTelemetry takes the span of the host application as parent.
    context = current.within() if current else None
    return _open(tracer.start_span(name, context=context, kind=kind, attributes=attributes), tracer, staged)


@contextmanager
def _open(span: Span, tracer: Tracer, staged: bool = False) -> Iterator[Span]:
    """Make a span the current one for the context; end it afterwards."""
    opened, before, failed = _OpenSpan(span, tracer, staged), _current.get(), ""
    _current.set(opened)
    try:
        yield span
    except Exception as error:
        failed = _error_kind(error)
        raise
    finally:
        # Not reset by a token: an abandoned generator may be closed in another context.
        if _current.get() is opened:
            _current.set(before)
        opened.end(failed)


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
