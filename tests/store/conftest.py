"""The stores that the contract is tested with."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from polyadic.store.postgres.store import PostgresStore
from polyadic.store.protocol import Store
from polyadic.store.sqlite import SqliteStore
from tests.support import postgres


class Opener(Protocol):
    """Opens a store by name, as often as asked: the same name is the same store."""

    def __call__(self, name: str, embedder: str | None = "test vectors") -> Store: ...


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def open_store(engine: str, tmp_path: Path) -> Iterator[Opener]:
    opened: list[Store] = []
    own = postgres.fresh()

    def opener(name: str, embedder: str | None = "test vectors") -> Store:
        if engine == "sqlite":
            opened.append(SqliteStore(tmp_path / name, embedder))
        else:
            opened.append(PostgresStore(postgres.address(f"{own}-{name}"), embedder))
        return opened[-1]

    yield opener
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Opener) -> Store:
    return open_store("kb")
