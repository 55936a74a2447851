"""The stores that the contract is tested with."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.storage.protocol import Store
from tests.support.stores import ENGINES, Opener, stores


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def open_store(engine: str, tmp_path: Path) -> Iterator[Opener]:
    with stores(engine, tmp_path) as opener:
        yield opener


@pytest.fixture
def store(open_store: Opener) -> Store:
    return open_store("kb")
