"""Metrics of a database and of the connection pool that workspaces share."""

from collections.abc import Callable, Iterator

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from polyadic.server.tenants.database_monitor import DatabaseMonitor
from polyadic.storage.postgres.pool import DatabasePool

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
