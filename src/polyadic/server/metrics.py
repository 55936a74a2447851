"""Prometheus metrics. Labels name routes and states, never workspaces, which the reader may not have access to."""

from collections.abc import Callable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from polyadic.model.types import Usage

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


class ServerMetrics:
    """The metrics of one server."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("polyadic_requests", "Requests answered.", labels, registry=self._registry)
        self._seconds = Histogram(
            "polyadic_request_seconds",
            "Seconds until the response was complete.",
            ("method", "route"),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._calls = Counter("polyadic_model_calls", "Language model calls for questions.", registry=self._registry)
        self._tokens = Counter(
            "polyadic_model_tokens", "Language model tokens for questions.", ("direction",), registry=self._registry
        )
        self._money = Counter(
            "polyadic_model_money", "Cost of questions, by the prices in the settings.", registry=self._registry
        )

        self._indexing_tokens = Counter(
            "polyadic_indexing_tokens", "Tokens that jobs have sent to models and received.", registry=self._registry
        )
        self._indexing_money = Counter(
            "polyadic_indexing_money", "Cost of jobs, by the prices in the settings.", registry=self._registry
        )

    def add(self, collector: Collector) -> None:
        """Register metrics that are read at each scrape."""
        self._registry.register(collector)

    def watch(self, name: str, what: str, read: Callable[[], float]) -> None:
        """Register a gauge whose value is read at each scrape."""
        Gauge(name, what, registry=self._registry).set_function(read)

    def watch_states(self, name: str, what: str, states: Mapping[str, Callable[[], float]]) -> None:
        """Register a gauge with one value per state, as :meth:`watch`."""
        gauge = Gauge(name, what, ("state",), registry=self._registry)
        for state, read in states.items():
            gauge.labels(state).set_function(read)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def paid(self, usage: Usage) -> None:
        """Count the usage of a question."""
        self._calls.inc(usage.calls)
        self._tokens.labels("sent").inc(usage.prompt_tokens)
        self._tokens.labels("received").inc(usage.completion_tokens)
        self._money.inc(usage.money)

    def indexed(self, tokens: int, money: float) -> None:
        """Count what a job of this server has spent since it was last counted."""
        self._indexing_tokens.inc(tokens)
        self._indexing_money.inc(money)

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self._registry)
