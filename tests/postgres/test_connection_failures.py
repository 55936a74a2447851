"""Whatever keeps Polyadic from a database is named in one line: what happened, where, and what to do."""

import contextlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from polyadic.cli.main import run
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.store import PostgresStore
from polyadic.storage.url import home_of
from tests.support.own_server import OwnServer, own_folder, own_server
from tests.support.proxy import proxy

PASSWORD = "Top@Secret9"  # noqa: S105
ROLES = f"""
CREATE ROLE ada LOGIN PASSWORD '{PASSWORD}'; CREATE ROLE ben LOGIN; CREATE ROLE cleo LOGIN CONNECTION LIMIT 0;
CREATE ROLE dora LOGIN; CREATE DATABASE kb; CREATE DATABASE owned OWNER ben
"""


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    with own_folder() as folder, own_server(folder) as running:
        with psycopg.connect(running.database, autocommit=True) as raw:
            for statement in ROLES.split(";"):
                raw.execute(statement.encode())
        running.allow(
            "local all ada scram-sha-256", "local all dora peer", "local kb ben trust", "local owned all trust",
            "local all cleo trust", "local all nobody trust",
        )  # fmt: skip
        yield running


@pytest.fixture
def sockets(server: OwnServer) -> str:
    """The folder of the server's socket."""
    return server.database.rpartition("host=")[2]


def failure(address: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What the command says of an address, which must be a line that has what, where and what to do."""
    assert run(["-w", address, "status"]) == 1
    said = capsys.readouterr()
    [line] = said.err.splitlines()
    assert "this is a bug" not in line and "bug in Polyadic" not in line and "Secret9" not in line
    assert re.match(r"polyadic: .+: .+", line)
    return line


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("postgresql://ada:wrong@/kb?host={}", "password authentication failed.*correct the password"),
        ("postgresql://ada@/kb?host={}", "no password supplied.*correct the password in ~/.pgpass, PGPASSWORD"),
        ("postgresql://dora@/kb?host={}", "Peer authentication failed.*pg_hba.conf"),
        ("postgresql://ben@/postgres?host={}", "no pg_hba.conf entry.*allow this user, database and host"),
        ("postgresql://nobody@/kb?host={}", 'role "nobody" does not exist.*create the user nobody'),
        ("postgresql://postgres@/nowhere?host={}", "create the database first .CREATE DATABASE nowhere"),
        ("postgresql://cleo@/kb?host={}", 'too many connections for role "cleo".*ALTER role cleo CONNECTION LIMIT'),
        ("postgresql://postgres@/kb?host={}&sslmode=maybe", "invalid sslmode value.*correct this parameter"),
        ("postgresql://postgres@/kb?host={}&connect_timeout=soon", "connect_timeout.*correct this parameter"),
        ("postgresql://postgres@/kb?host={}&options=-c%20foo%3Dbar", 'parameter "foo".*correct this parameter'),
        ("postgresql://postgres@/kb?host={}&sslmod=require", "there is no parameter sslmod"),
        ("postgresql:///kb?host={}&service=nothing", 'service "nothing" not found.*PGSERVICEFILE'),
        ("postgresql:///kb?host=/not/there", "/not/there.*start the server on this machine, or name its host"),
        ("postgresql://nobody.invalid/kb", "'nobody.invalid'.*check the host in the address or PGHOST"),
        ("postgresql://127.0.0.1:1/kb", "127.0.0.1.*refused.*check that the server is running"),
    ],
)
def test_a_refused_connection(address: str, said: str, sockets: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = failure(address.format(sockets), capsys)
    assert re.search(said, line), line
    assert "postgresql://" in line or "address of the database" in line


@pytest.mark.parametrize("mode", ["require", "verify-full"])
def test_a_server_without_ssl(server: OwnServer, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    with proxy(server.database) as between:
        line = failure(f"{between.database}?sslmode={mode}", capsys)
    assert "SSL was required" in line and "ssl = on on the server, or sslmode=prefer" in line


def test_a_server_that_is_too_old(server: OwnServer, capsys: pytest.CaptureFixture[str]) -> None:
    with proxy(server.database) as between:
        between.version = b"15"
        line = failure(between.database, capsys)
    assert "runs PostgreSQL 15, but Polyadic needs 16 or later: upgrade it" in line


def test_a_server_without_pgvector(server: OwnServer, capsys: pytest.CaptureFixture[str]) -> None:
    with own_folder() as folder, own_folder() as copied:
        # The programs find their libraries beside the package.
        package = server.programs.parent.parent
        for part in (server.programs.parent, package.with_name(f"{package.name}.libs")):
            shutil.copytree(part, copied / part.relative_to(package.parent), symlinks=True)
        for file in copied.rglob("extension/vector.control"):
            file.unlink()
        with own_server(folder, copied / server.programs.relative_to(package.parent)) as bare:
            line = failure(f"{bare.database}#kb", capsys)
    assert "has no extension vector: install pgvector 0.7 or later on the server" in line


def test_rights_that_are_missing_are_named_with_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with own_folder() as folder, own_server(folder) as fresh:
        with psycopg.connect(fresh.database, autocommit=True) as raw:
            raw.execute("CREATE ROLE ben LOGIN")
            address = fresh.database.replace("postgres:@", "ben@")
            line = failure(address, capsys)
            start = "ben may not create all that Polyadic needs in the database postgres: let a superuser run in this "
            commands = line.partition(f"{start}database: ")[2].split("; ")
            assert [command.split()[1] for command in commands] == ["EXTENSION", "ROLE", "CREATE"]
            for command in commands:
                raw.execute(command.encode())
        # They suffice.
        assert "there is no workspace" in failure(address, capsys)


def test_rights_of_another_user_s_tables(server: OwnServer, sockets: str, capsys: pytest.CaptureFixture[str]) -> None:
    with psycopg.connect(server.database.replace("/postgres?", "/owned?"), autocommit=True) as raw:
        raw.execute("CREATE EXTENSION vector")
    PostgresStore(PostgresDsn.of(f"postgresql://postgres@/owned?host={sockets}"), None).close()
    line = failure(f"postgresql://ben@/owned?host={sockets}", capsys)
    assert "permission denied for schema polyadic" in line and "connect as the user who owns the schema" in line


def test_too_many_connections(sockets: str, capsys: pytest.CaptureFixture[str]) -> None:
    address = f"postgresql://ben@/kb?host={sockets}"
    with contextlib.ExitStack() as held:
        with contextlib.suppress(psycopg.OperationalError):
            while True:
                held.enter_context(psycopg.connect(address))
        assert "the server has no connection left: raise its max_connections" in failure(address, capsys)


@pytest.mark.parametrize("way", ["address", "PGHOST", "PGPASSFILE", "PGSERVICE"])
def test_the_ways_of_psql_to_name_a_database(
    way: str, sockets: str, server: OwnServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(server.database, autocommit=True) as raw:
        if raw.execute("SELECT FROM pg_database WHERE datname = 'mine'").fetchone() is None:
            raw.execute("CREATE DATABASE mine")
            mine = f"postgresql://postgres@/mine?host={sockets}"
            PostgresStore(PostgresDsn.of(f"{mine}#letters"), None).close()
            with psycopg.connect(mine, autocommit=True) as inside:
                inside.execute("GRANT polyadic_workspaces TO ada")
                inside.execute("GRANT SELECT ON polyadic.store_version TO ada")
    passwords = tmp_path / "passwords"
    passwords.write_text(f"*:*:mine:ada:{PASSWORD}\n")
    passwords.chmod(0o600)
    services = tmp_path / "services"
    services.write_text(f"[kb]\nhost={sockets}\nuser=ada\npassword={PASSWORD}\ndbname=mine\n")
    address, environment = {
        "address": (f"postgresql://ada:{PASSWORD}@/mine?host={sockets}", {}),
        "PGHOST": ("postgresql:///mine", {"PGHOST": sockets, "PGUSER": "ada", "PGPASSWORD": PASSWORD}),
        "PGPASSFILE": (f"postgresql://ada@/mine?host={sockets}", {"PGPASSFILE": str(passwords)}),
        "PGSERVICE": ("postgresql://", {"PGSERVICEFILE": str(services), "PGSERVICE": "kb"}),
    }[way]
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert home_of(f"{address}#letters").exists()
    assert not home_of(f"{address}#others").exists()
