"""Databases of their own on the server of tests, beside the one that workspaces of tests share."""

import itertools
import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from tests.support import postgres

_numbers = itertools.count()


@contextmanager
def database() -> Iterator[str]:
    """The address of a new database, in which nothing is; it goes with the context."""
    name = f"database_{next(_numbers)}"
    with psycopg.connect(postgres.server(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield re.sub(r"/postgres\?", f"/{name}?", postgres.server())
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
