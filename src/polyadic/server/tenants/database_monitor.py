"""Watch whether a database answers, so that requests fail at once while it does not; metrics of it and its pool."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

import psycopg
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from polyadic.errors import StoreError
from polyadic.storage.postgres.errors import translate_errors
from polyadic.storage.postgres.keepalive import parameters_of
from polyadic.storage.postgres.pool import DatabasePool

_SECONDS_BETWEEN_PROBES = 1.0
_SECONDS_TO_ANSWER = 5.0
"""Without an answer for as long, the database counts as unavailable."""
# Of a probe only: other connections may wait longer for their answers.
_BOUNDS = {"connect_timeout": 3, "tcp_user_timeout": 3_000}

_GAUGES = {
    "polyadic_database_up": "1 if the database answers, else 0.",
    "polyadic_database_probe_seconds": "Duration of the last probe that the database has answered.",
    "polyadic_database_connections_limit": "Connections that the server may open for workspaces.",
    "polyadic_database_connections_waiting": "Requests that wait for a connection.",
}
_COUNTERS = {
    "polyadic_database_connections_opened": ("connections_num", 1, "Connections opened for workspaces."),
    "polyadic_database_connections_failed": ("connections_errors", 1, "Connections that could not be opened."),
    "polyadic_database_connections_lost": ("connections_lost", 1, "Connections that were lost."),
    "polyadic_database_wait_seconds": ("requests_wait_ms", 1_000, "Seconds that requests waited for a connection."),
}
"""Figures of the pool, and the number by which each is divided."""


class DatabaseMonitor:
    """Asks a database once a second, in a thread of its own and over its own connection.

    Parameters
    ----------
    database
        Database URL; the database has just answered.
    called
        Its name in messages.
    """

    def __init__(self, database: str, called: str) -> None:
        self._parameters = parameters_of(database)
        self._called = called
        self._failure: StoreError | None = None
        self._answered = time.monotonic()
        self.seconds = 0.0
        """Duration of the last probe that was answered."""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="polyadic-database-monitor", daemon=True)
        self._thread.start()

    def failure(self) -> StoreError | None:
        """Return why the database cannot be used now; None if it answers."""
        if self._failure is not None:
            return self._failure
        if time.monotonic() - self._answered > _SECONDS_BETWEEN_PROBES + _SECONDS_TO_ANSWER:
            what = f"{self._called} has not answered for {_SECONDS_TO_ANSWER:.0f} seconds"
            return StoreError(what, "check the server and the network")
        return None

    def close(self) -> None:
        self._closing.set()
        self._thread.join(_SECONDS_TO_ANSWER)

    def _watch(self) -> None:
        raw: psycopg.Connection | None = None
        while not self._closing.is_set():
            begun = time.monotonic()
            try:
                with translate_errors(self._called):
                    raw = raw or psycopg.connect(self._parameters, autocommit=True, **_BOUNDS)  # type: ignore[arg-type]
                    raw.execute("SELECT 1")
            except StoreError as error:
                self._failure = error
                _close(raw)
                raw = None
            else:
                self._failure, self._answered = None, time.monotonic()
                self.seconds = self._answered - begun
            self._closing.wait(_SECONDS_BETWEEN_PROBES)
        _close(raw)


def _close(raw: psycopg.Connection | None) -> None:
    if raw is not None:
        with contextlib.suppress(psycopg.Error):
            raw.close()


class DatabaseMetrics(Collector):
    """Reads the monitor and the pool at each scrape."""

    def __init__(self, monitor: DatabaseMonitor, pool: Callable[[], DatabasePool]) -> None:
        self._monitor = monitor
        self._pool = pool

    def collect(self) -> Iterator[Metric]:
        pool = self._pool()
        stats = pool.get_stats()
        values = (
            float(self._monitor.failure() is None),
            self._monitor.seconds,
            pool.max_size,
            stats.get("requests_waiting", 0),
        )
        for (name, what), value in zip(_GAUGES.items(), values, strict=True):
            yield GaugeMetricFamily(name, what, value)
        size, idle = stats.get("pool_size", 0), stats.get("pool_available", 0)
        connections = GaugeMetricFamily(
            "polyadic_database_connections", "Open connections for workspaces, by state.", labels=["state"]
        )
        connections.add_metric(["idle"], idle)
        connections.add_metric(["in_use"], size - idle)
        yield connections
        for name, (figure, unit, what) in _COUNTERS.items():
            yield CounterMetricFamily(name, what, stats.get(figure, 0) / unit)
