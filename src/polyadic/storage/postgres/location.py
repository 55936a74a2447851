"""Store location of a workspace in PostgreSQL."""

from dataclasses import dataclass
from typing import Self

from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.errors import translate_errors
from polyadic.storage.postgres.pool import POOLS
from polyadic.storage.postgres.store import PostgresStore
from polyadic.storage.protocol import Store


@dataclass(frozen=True, slots=True)
class PostgresLocation:
    """Implements :class:`polyadic.storage.url.StoreLocation`."""

    address: PostgresDsn

    @classmethod
    def of(cls, address: str) -> Self:
        """Parse an address; raises StoreError if it is invalid."""
        return cls(PostgresDsn.of(address))

    @property
    def name(self) -> str:
        return self.address.name

    def exists(self) -> bool:
        with translate_errors(self.address), POOLS.used(self.address.database) as pool, pool.connection() as raw:
            sql = "SELECT 1 FROM workspace WHERE name = %s"
            return raw.execute(sql, (self.address.name,)).fetchone() is not None

    def open(self, embedder: str | None) -> Store:
        return PostgresStore(self.address, embedder)

    def __str__(self) -> str:
        return str(self.address)
