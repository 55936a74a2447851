"""Export of spans as configured by OpenTelemetry's environment variables; without them nothing is exported."""

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from polyadic.errors import PackageMissing
from polyadic.tracing.spans import Listener

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

_ADDRESSES = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_SUPPORTED = ("", "http/protobuf")
_SECONDS_TO_SEND, _SECONDS_TO_GIVE_UP = 3.0, 1.0
_SERVICE = "polyadic"


def is_wanted() -> bool:
    """Return whether the environment configures an endpoint for spans.

    >>> is_wanted()
    False
    """
    off = _variable("OTEL_SDK_DISABLED") == "true" or _variable("OTEL_TRACES_EXPORTER") not in ("", "otlp")
    return not off and (bool(_first(_ADDRESSES)) or _variable("OTEL_TRACES_EXPORTER") == "otlp")


@contextmanager
def exported(warn: Callable[[str], object]) -> Iterator[None]:
    """Export the spans of the work done in this context; at the end, flush the rest within a few seconds.

    Parameters
    ----------
    warn
        Called once, with a sentence, if spans cannot be sent; work goes on without them.
    """
    if not is_wanted():
        yield
        return
    if (problem := _problem()) is not None:
        warn(f"spans are not sent: {problem}")
        yield
        return
    handler = _warn_once(warn)
    exporter = _exporter()
    provider = _provider(exporter)
    Listener.tracer = provider.get_tracer(_SERVICE)
    try:
        yield
    finally:
        Listener.tracer = None
        # Shutdown waits for an unresponsive collector far longer than a command should take.
        shutdown = threading.Thread(target=provider.shutdown, daemon=True)
        shutdown.start()
        shutdown.join(_SECONDS_TO_SEND)
        if shutdown.is_alive():
            handler.report(f"the collector did not accept them within {_SECONDS_TO_SEND:g} s")
            # Stops further attempts.
            exporter.shutdown()
            shutdown.join(_SECONDS_TO_GIVE_UP)


def _problem() -> str | None:
    protocol = _first(_PROTOCOLS)
    if protocol not in _SUPPORTED:
        return f"OTEL_EXPORTER_OTLP_PROTOCOL is {protocol}, but only http/protobuf is supported (usually port 4318)"
    try:
        import opentelemetry.exporter.otlp.proto.http.trace_exporter
        import opentelemetry.sdk.trace  # noqa: F401
    except ImportError as error:
        return str(PackageMissing("OpenTelemetry", str(error.name), "otel"))
    return None


def _exporter() -> "SpanExporter":
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter()


def _provider(exporter: "SpanExporter") -> "TracerProvider":
    """Create a private tracer provider: spans of other libraries may hold questions, so they are not exported."""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def _resource() -> "Resource":
    """Return the resource of the spans: the service name of the environment, or else ``polyadic``."""
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource

    from polyadic import __version__

    known = Resource.create({"service.version": __version__})
    named = "service.name" in OTELResourceDetector().detect().attributes
    return known if named else known.merge(Resource({"service.name": _SERVICE}))


def _warn_once(warn: Callable[[str], object]) -> "_WarnOnce":
    """Replace the log handlers of OpenTelemetry by one that reports only the first error."""
    handler = _WarnOnce(warn)
    logger = logging.getLogger("opentelemetry")
    logger.handlers[:] = [handler]
    logger.propagate = False
    return handler


class _WarnOnce(logging.Handler):
    """Log handler that passes on the first error only."""

    def __init__(self, warn: Callable[[str], object]) -> None:
        super().__init__(logging.ERROR)
        self._warn: Callable[[str], object] | None = warn

    def emit(self, record: logging.LogRecord) -> None:
        self.report(record.getMessage())

    def report(self, why: str) -> None:
        warn, self._warn = self._warn, None
        if warn is not None:
            warn(f"spans are not sent: {why}")


def _first(names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := _variable(name))), "")


def _variable(name: str) -> str:
    return os.environ.get(name, "").strip().lower()
