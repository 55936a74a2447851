"""A collector of spans on this machine: takes what OpenTelemetry's exporter sends by HTTP, and answers tests."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Sent
from opentelemetry.proto.trace.v1.trace_pb2 import Status

_SECONDS = 20.0


@dataclass(frozen=True)
class Span:
    """A span as it came: of which process, what it is called, within which, from when to when in nanoseconds."""

    service: str
    name: str
    id: str
    parent: str
    trace: str
    kind: str
    start: int
    end: int
    failed: bool
    status_message: str
    events: int
    attributes: dict[str, Any] = field(default_factory=dict)


class Collector:
    """Takes spans at ``url`` as long as the context lasts; ``bodies`` is all that came, byte by byte."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self._spans: list[Span] = []
        collector = self

        class Taking(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                assert self.path == "/v1/traces" and self.headers["Content-Type"] == "application/x-protobuf"
                collector.bodies.append(body)
                collector._spans += read(body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing is said."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Taking)

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def environment(self) -> dict[str, str]:
        """What tells a process to send its spans here, soon."""
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.url, "OTEL_BSP_SCHEDULE_DELAY": "50"}

    @property
    def spans(self) -> list[Span]:
        """What came so far, in the order in which it began."""
        return sorted(self._spans, key=lambda span: span.start)

    def wait_for(self, name: str) -> Span:
        """The first span of this name, once it is here: what is within it, is too."""
        deadline = time.monotonic() + _SECONDS
        while not (found := [span for span in self.spans if span.name == name]):
            assert time.monotonic() < deadline, [span.name for span in self.spans]
            time.sleep(0.02)
        return found[0]

    def within(self, span: Span) -> list[Span]:
        """What was done directly within a span."""
        return [one for one in self.spans if one.parent == span.id]

    def way_to(self, span: Span) -> list[str]:
        """The names of the spans that lead to this one, it included."""
        by_id = {one.id: one for one in self.spans}
        way = [span]
        while way[0].parent in by_id:
            way.insert(0, by_id[way[0].parent])
        return [one.name for one in way]


def read(body: bytes) -> Iterator[Span]:
    """The spans in what an exporter sent."""
    for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        resource = {one.key: _plain(one.value) for one in of_resource.resource.attributes}
        for scope in of_resource.scope_spans:
            yield from (_span(resource["service.name"], sent) for sent in scope.spans)


def _span(service: str, sent: Sent) -> Span:
    return Span(
        service,
        sent.name,
        sent.span_id.hex(),
        sent.parent_span_id.hex(),
        sent.trace_id.hex(),
        Sent.SpanKind.Name(sent.kind).removeprefix("SPAN_KIND_").lower(),
        sent.start_time_unix_nano,
        sent.end_time_unix_nano,
        sent.status.code == Status.STATUS_CODE_ERROR,
        sent.status.message,
        len(sent.events),
        {one.key: _plain(one.value) for one in sent.attributes},
    )


def _plain(value: AnyValue) -> Any:
    if value.HasField("array_value"):
        return [_plain(one) for one in value.array_value.values]
    return getattr(value, str(value.WhichOneof("value")))
