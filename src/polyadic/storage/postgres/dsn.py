"""Address of a workspace in PostgreSQL: ``postgresql://user@host:port/database#workspace``."""

import re
from dataclasses import dataclass
from typing import Self
from urllib.parse import unquote, urlsplit, urlunsplit

from polyadic.errors import StoreError

DEFAULT_NAME = "default"
_SCHEMES = ("postgresql", "postgres")
_NAME = re.compile(r"[\w.-]{1,200}")


@dataclass(frozen=True, slots=True)
class PostgresDsn:
    """A database URI, as libpq takes it, and the name of a workspace in it.

    Examples
    --------
    >>> found = PostgresDsn.of("postgresql://ada:secret@db.example/kb?sslmode=require#acme")
    >>> found.name, str(found)
    ('acme', 'postgresql://db.example/kb#acme')
    """

    database: str
    name: str

    @classmethod
    def of(cls, text: str) -> Self:
        """Parse an address.

        Raises
        ------
        StoreError
            The address cannot be parsed, or the name of the workspace is invalid.
        """
        try:
            parts = urlsplit(text)
        except ValueError as error:
            raise StoreError(f"the address of the workspace is invalid ({error})", "check its brackets") from error
        name = unquote(parts.fragment) or DEFAULT_NAME
        if not _NAME.fullmatch(name):
            raise StoreError(f"{name!r} is not a valid workspace name", "use letters, digits, '-', '_' and '.'")
        return cls(urlunsplit(parts._replace(fragment="")), name)

    def __str__(self) -> str:
        """Format the address without user, password and query parameters."""
        parts = urlsplit(self.database)
        host = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{host}{parts.path}#{self.name}"


def is_address(text: str) -> bool:
    """Return whether a text is a database address rather than a folder.

    >>> is_address("postgresql://localhost/kb"), is_address("docs/postgresql")
    (True, False)
    """
    return text.startswith(tuple(f"{scheme}://" for scheme in _SCHEMES))
