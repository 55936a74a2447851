"""Figures for Prometheus. They name routes and states, never a workspace: whoever reads them may open none."""

from collections.abc import Callable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from polyadic.model.types import Usage

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


class ServerMetrics:
    """The figures of one server."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("polyadic_requests", "Requests answered.", labels, registry=self._registry)
        self._seconds = Histogram(
            "polyadic_request_seconds",
            "Seconds until a request was answered whole.",
            ("method", "route"),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._calls = Counter(
            "polyadic_model_calls", "Calls of language models for questions.", registry=self._registry
        )
        self._tokens = Counter(
            "polyadic_model_tokens", "Tokens of language models for questions.", ("direction",), registry=self._registry
        )
        self._money = Counter(
            "polyadic_model_money", "Money paid for questions, by the prices in the settings.", registry=self._registry
        )

    def watch(self, name: str, what: str, read: Callable[[], float]) -> None:
        """A figure that is read when it is asked for."""
        Gauge(name, what, registry=self._registry).set_function(read)

    def watch_states(self, name: str, what: str, states: Mapping[str, Callable[[], float]]) -> None:
        """As :meth:`watch`, for each of several states."""
        gauge = Gauge(name, what, ("state",), registry=self._registry)
        for state, read in states.items():
            gauge.labels(state).set_function(read)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def paid(self, usage: Usage) -> None:
        """Count what a question cost."""
        self._calls.inc(usage.calls)
        self._tokens.labels("sent").inc(usage.prompt_tokens)
        self._tokens.labels("received").inc(usage.completion_tokens)
        self._money.inc(usage.money)

    def text(self) -> bytes:
        """All figures in Prometheus' text format."""
        return generate_latest(self._registry)
