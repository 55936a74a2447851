"""A collector that the environment names; spans come there from ``exported`` on."""

from collections.abc import Iterator

import pytest

from tests.tracing.collector import Collector


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with Collector() as collector:
        for name, value in collector.environment.items():
            monkeypatch.setenv(name, value)
        yield collector
