"""Stores of every engine, by name, for tests of what all of them promise."""

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from polyadic.storage.postgres.store import PostgresStore
from polyadic.storage.protocol import Store
from polyadic.storage.sql.row_reader import SqlRowReader
from polyadic.storage.sqlite.store import SqliteStore
from tests.support import postgres
from tests.support.memory_store.store import MemoryStore

ENGINES = ("sqlite", "postgres")
IN_MEMORY = "memory"
"""The engine of docs/add-a-store.md, which reads and writes, but has no hierarchy, batch files or ledger."""


class Opener(Protocol):
    """Opens a store by name, as often as asked: the same name is the same store."""

    def __call__(self, name: str, embedder: str | None = "test vectors") -> Store: ...


def rows_of(store: Store, tables: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """All that stands in these tables."""
    with store.read() as reader:
        assert isinstance(reader, SqlRowReader)
        for table in tables:
            yield from reader._connection.execute(f"SELECT * FROM {table}").fetchall()


@contextlib.contextmanager
def stores(engine: str, folder: Path | None = None) -> Iterator[Opener]:
    """Stores that nobody else knows, which are closed in the end; those of SQLite in a folder."""
    own = postgres.fresh()
    in_memory: dict[str, MemoryStore] = {}
    with tempfile.TemporaryDirectory() as temporary, contextlib.ExitStack() as opened:

        def opener(name: str, embedder: str | None = "test vectors") -> Store:
            store: Store
            if engine == IN_MEMORY:
                return cast(Store, MemoryStore(name, embedder, in_memory))
            if engine == "sqlite":
                store = SqliteStore((folder or Path(temporary)) / name, embedder)
            else:
                store = PostgresStore(postgres.address(f"{own}-{name}"), embedder)
            return opened.enter_context(contextlib.closing(store))

        yield opener
