"""Store locations: a local folder or a database URL."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from polyadic.config.folders import local_folder
from polyadic.errors import PackageMissing
from polyadic.storage.protocol import Store
from polyadic.storage.sqlite.store import SqliteStore

_SCHEMES = ("postgresql://", "postgres://")


class StoreLocation(Protocol):
    """The location of one store; ``str()`` gives the form to display."""

    @property
    def name(self) -> str:
        """A name that is unique among locations beside it."""

    def exists(self) -> bool:
        """Return whether there is a store. Raises StoreError if that cannot be determined."""

    def open(self, embedder: str | None) -> Store:
        """Open the store, or create it; ``embedder`` names the model that fills it (None: any)."""


@dataclass(frozen=True, slots=True)
class LocalFolder:
    """A folder on this machine with a SQLite store."""

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
    """Return whether this is a database URL rather than a folder.

    >>> is_address("postgresql://localhost/kb#letters"), is_address("docs/postgresql")
    (True, False)
    """
    return isinstance(place, str) and place.strip().startswith(_SCHEMES)


def home_of(place: Path | str) -> StoreLocation:
    """Return the location for a database URL or a folder.

    Raises
    ------
    SettingsError
        It is an address, but not of a PostgreSQL database.
    PackageMissing, StoreError
        As :func:`database`.
    """
    return database(str(place)) if is_address(place) else LocalFolder(local_folder(place))


def database(address: str) -> StoreLocation:
    """Return the location of a database URL, ``postgresql://user@host/database#workspace``.

    Raises
    ------
    PackageMissing
        The packages of the extra ``postgres`` are not installed.
    StoreError
        The URL is invalid, or the name of its workspace is.
    """
    try:
        from polyadic.storage.postgres.workspaces import PostgresLocation
    except ImportError as error:
        raise PackageMissing("PostgreSQL", error.name or "psycopg", "postgres") from error
    return PostgresLocation.of(address)
