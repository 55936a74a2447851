"""A workspace in PostgreSQL as the home of a store."""

from dataclasses import dataclass
from typing import Self

from polyadic.store.postgres.address import Address
from polyadic.store.postgres.connecting import POOLS
from polyadic.store.postgres.store import PostgresStore
from polyadic.store.postgres.troubles import explained
from polyadic.store.protocol import Store


@dataclass(frozen=True, slots=True)
class Database:
    """Implements :class:`polyadic.store.homes.Home`."""

    address: Address

    @classmethod
    def of(cls, address: str) -> Self:
        """Raises StoreError where it names no workspace."""
        return cls(Address.of(address))

    @property
    def name(self) -> str:
        return self.address.name

    def exists(self) -> bool:
        with explained(self.address), POOLS.used(self.address.database) as pool, pool.connection() as raw:
            sql = "SELECT 1 FROM workspace WHERE name = %s"
            return raw.execute(sql, (self.address.name,)).fetchone() is not None

    def open(self, embedder: str | None) -> Store:
        return PostgresStore(self.address, embedder)

    def __str__(self) -> str:
        return str(self.address)
