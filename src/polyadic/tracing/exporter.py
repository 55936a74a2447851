"""Sending spans where the environment says, by OpenTelemetry's own variables; nowhere where it says nothing."""

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
_SPOKEN = ("", "http/protobuf")
_SECONDS_TO_SEND, _SECONDS_TO_GIVE_UP = 3.0, 1.0
_SERVICE = "polyadic"


def is_wanted() -> bool:
    """Whether the environment says where to send spans.

    >>> is_wanted()
    False
    """
    off = _said("OTEL_SDK_DISABLED") == "true" or _said("OTEL_TRACES_EXPORTER") not in ("", "otlp")
    return not off and (bool(_first(_ADDRESSES)) or _said("OTEL_TRACES_EXPORTER") == "otlp")


@contextmanager
def exported(warn: Callable[[str], object]) -> Iterator[None]:
    """Send the spans of what is done meanwhile; at the end, what is left of them, for which a few seconds are given.

    Parameters
    ----------
    warn
        Told in a sentence, once, that spans are not sent, and why: work goes on without them.
    """
    if not is_wanted():
        yield
        return
    if (why := _not_possible()) is not None:
        warn(f"spans are not sent: {why}")
        yield
        return
    heard = _heard(warn)
    exporter = _exporter()
    provider = _provider(exporter)
    Listener.tracer = provider.get_tracer(_SERVICE)
    try:
        yield
    finally:
        Listener.tracer = None
        # It waits for a collector that does not answer far longer than anybody wants to wait for a command.
        ending = threading.Thread(target=provider.shutdown, daemon=True)
        ending.start()
        ending.join(_SECONDS_TO_SEND)
        if ending.is_alive():
            heard.tell(f"nobody took them within {_SECONDS_TO_SEND:g} s")
            # It makes no further attempt.
            exporter.shutdown()
            ending.join(_SECONDS_TO_GIVE_UP)


def _not_possible() -> str | None:
    protocol = _first(_PROTOCOLS)
    if protocol not in _SPOKEN:
        return f"OTEL_EXPORTER_OTLP_PROTOCOL is {protocol}, and only http/protobuf is spoken (port 4318, as a rule)"
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
    """One of our own, which nobody else finds: spans of other libraries may hold what was asked."""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def _resource() -> "Resource":
    """Who sends: what the environment says, and else that this is Polyadic."""
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource

    from polyadic import __version__

    known = Resource.create({"service.version": __version__})
    named = "service.name" in OTELResourceDetector().detect().attributes
    return known if named else known.merge(Resource({"service.name": _SERVICE}))


def _heard(warn: Callable[[str], object]) -> "_Once":
    """What the exporter complains of, said once instead of each time."""
    handler = _Once(warn)
    logger = logging.getLogger("opentelemetry")
    logger.handlers[:] = [handler]
    logger.propagate = False
    return handler


class _Once(logging.Handler):
    """Warns of the first that goes wrong."""

    def __init__(self, warn: Callable[[str], object]) -> None:
        super().__init__(logging.ERROR)
        self._warn: Callable[[str], object] | None = warn

    def emit(self, record: logging.LogRecord) -> None:
        self.tell(record.getMessage())

    def tell(self, why: str) -> None:
        warn, self._warn = self._warn, None
        if warn is not None:
            warn(f"spans are not sent: {why}")


def _first(names: tuple[str, ...]) -> str:
    return next((said for name in names if (said := _said(name))), "")


def _said(name: str) -> str:
    return os.environ.get(name, "").strip().lower()
