"""Databases of their own on the server of tests, beside the one that workspaces of tests share."""

import itertools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.support import postgres

_numbers = itertools.count()
VERSION_1 = Path(__file__).parents[1] / "postgres" / "version_1.sql"
"""A database as version 1 left it: what pg_dump says of one that tests/postgres/filled.py filled with its code."""


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


@contextmanager
def of_version_1() -> Iterator[str]:
    """The address of a database of version 1, with the workspace of ``filled.py``."""
    with database() as address:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
            role = "SELECT 1 FROM pg_roles WHERE rolname = 'polyadic_workspaces'"
            if connection.execute(role).fetchone() is None:
                connection.execute("CREATE ROLE polyadic_workspaces NOLOGIN")
            # Functions come before the tables that they speak of.
            connection.execute("SET check_function_bodies = false")
            connection.execute(VERSION_1.read_bytes())
        yield address
