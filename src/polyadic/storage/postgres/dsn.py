"""Address of a workspace in PostgreSQL: ``postgresql://user@host:port/database#workspace``."""

import re
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import quote, unquote, unquote_to_bytes

from psycopg import pq

from polyadic.errors import StoreError

DEFAULT_NAME = "default"
_NAME = re.compile(r"[\w.-]{1,200}")
# The user information ends at the last "@", because people write passwords as they are.
_URI = re.compile(
    r"(?P<scheme>postgres(?:ql)?)://"
    r"(?:(?P<user>[^/?#:]*)(?P<password>:[^/?#]*)?@)?(?P<hosts>[^/?#@]*)"
    r"(?P<path>/[^?#]*)?(?:\?(?P<query>[^#]*))?"
)
_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.%\w]*\]|[^:\[\]]*)(?::\d*)?")
_ENCODE = (
    "write special characters of the password as percent codes (/ as %2F, # as %23, ? as %3F), or put it into ~/.pgpass"
)
_PARAMETERS = "correct it; PostgreSQL's documentation of libpq lists the parameters of connections"
_JDBC = "ssl"
"""A parameter that libpq accepts in an address only."""


@dataclass(frozen=True, slots=True)
class PostgresDsn:
    """A database URI, as libpq takes it, and the name of a workspace in it.

    Characters in user, password and parameters that a URI must not have are encoded, so that libpq finds the same parts
    in it as Polyadic, and names no part of a password in its messages.

    Raises
    ------
    StoreError
        The address cannot be parsed, or the name of the workspace is invalid.

    Examples
    --------
    >>> found = PostgresDsn.of("postgresql://ada:sec@ret@db.example/kb?sslmode=require#acme")
    >>> found.name, str(found), found
    ('acme', 'postgresql://db.example/kb#acme', PostgresDsn(name='acme'))
    """

    database: str = field(repr=False)
    name: str

    @classmethod
    def of(cls, text: str) -> Self:
        """Parse an address; the workspace is named :data:`DEFAULT_NAME` if it names none."""
        database, _, name = text.strip().partition("#")
        return cls(database, unquote(name) or DEFAULT_NAME)

    def __post_init__(self) -> None:
        object.__setattr__(self, "database", _encoded(self.database))
        if "@" in self.name or "/" in self.name:
            raise _unreadable("what follows # is not the name of a workspace")
        if not _NAME.fullmatch(self.name):
            # With an unencoded password, "#" may be a part of it.
            called = "the name" if "password" in self.database else repr(self.name)
            raise StoreError(f"{called} is not a valid workspace name", "use letters, digits, '-', '_' and '.'")

    def __str__(self) -> str:
        """Format the address without user, password and query parameters."""
        parts = _URI.match(self.database)
        assert parts is not None  # noqa: S101 - checked when it was made
        return f"{parts['scheme']}://{parts['hosts']}{parts['path'] or ''}#{self.name}"


def _encoded(database: str) -> str:
    """Check the parts of a URI and encode the special characters in them."""
    parts = _URI.fullmatch(database)
    if parts is None or "@" in (parts["path"] or ""):
        raise _unreadable("its parts cannot be separated")
    if not all(_HOST.fullmatch(host) for host in parts["hosts"].split(",")):
        raise _unreadable("the host is invalid, or the port is not a number")
    user = _quoted(parts["user"] or "", safe="")
    password = f":{_quoted(parts['password'][1:], safe='')}" if parts["password"] is not None else ""
    at = "@" if parts["user"] is not None else ""
    query = f"?{_encoded_query(parts['query'])}" if parts["query"] else ""
    return f"{parts['scheme']}://{user}{password}{at}{parts['hosts']}{_quoted(parts['path'] or '')}{query}"


def _encoded_query(query: str) -> str:
    known = {option.keyword.decode() for option in pq.Conninfo.get_defaults()} | {_JDBC}
    pairs = []
    for pair in query.split("&"):
        name, equals, value = pair.partition("=")
        if not equals or name not in known:
            # An unencoded password may have been cut here, so only a plain name is shown.
            if "@" in query or "password" in query or not name.isidentifier():
                raise _unreadable("a parameter is unknown or has no value")
            why = f"{name} has no value" if name in known else f"there is no parameter {name}"
            raise StoreError(f"the address of the database is invalid ({why})", _PARAMETERS)
        pairs.append(f"{name}={_quoted(value)}")
    return "&".join(pairs)


def _quoted(part: str, safe: str = "/") -> str:
    """Encode a part of a URI that may be encoded already."""
    decoded = unquote_to_bytes(part)
    if b"\0" in decoded:
        raise _unreadable("%00 is no character")
    return quote(decoded, safe=safe)


def _unreadable(why: str) -> StoreError:
    return StoreError(f"the address of the database is invalid ({why})", _ENCODE)
