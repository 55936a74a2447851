"""Where a store is kept: in a folder, or in a database."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from polyadic.config.loader import expanded
from polyadic.errors import PackageMissing
from polyadic.storage.protocol import Store
from polyadic.storage.sqlite.store import SqliteStore

_SCHEMES = ("postgresql://", "postgres://")


class StoreLocation(Protocol):
    """A place for one store; as text, what to call it where people read it."""

    @property
    def name(self) -> str:
        """What tells it from other places beside it."""

    def exists(self) -> bool:
        """Whether there is a store. Raises StoreError where nobody can tell."""

    def open(self, embedder: str | None) -> Store:
        """The store, made where there is none; ``embedder`` names the model that fills it (None: any)."""


@dataclass(frozen=True, slots=True)
class LocalFolder:
    """A folder of this machine: SQLite."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.absolute().name

    def exists(self) -> bool:
        return SqliteStore.exists(self.path)

    def open(self, embedder: str | None) -> Store:
        return SqliteStore(self.path, embedder)

    def __str__(self) -> str:
        return str(self.path.absolute())


def is_address(place: Path | str) -> bool:
    """Whether this names a database rather than a folder.

    >>> is_address("postgresql://localhost/kb#letters"), is_address("docs/postgresql")
    (True, False)
    """
    return isinstance(place, str) and place.startswith(_SCHEMES)


def home_of(place: Path | str) -> StoreLocation:
    """The home that a place means to people: an address, or a folder. Raises as :func:`database` does."""
    return database(str(place)) if is_address(place) else LocalFolder(expanded(place))


def database(address: str) -> StoreLocation:
    """The home that an address leads to, ``postgresql://user@host/database#workspace``.

    Raises
    ------
    PackageMissing
        The packages of the extra ``postgres`` are not installed.
    StoreError
        It names no workspace.
    """
    try:
        from polyadic.storage.postgres.location import PostgresLocation
    except ImportError as error:
        raise PackageMissing("PostgreSQL", error.name or "psycopg", "postgres") from error
    return PostgresLocation.of(address)
