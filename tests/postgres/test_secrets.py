"""Passwords in addresses: no message, path, exception, representation or list of processes holds one."""

import re
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.cli.main import run
from polyadic.errors import PolyadicError
from polyadic.server.tenants.tenant_backend import WorkspaceLocation
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.url import home_of
from tests.crashes.commands import COMMAND

HIDDEN = ("Top", "Secret9")
"""What the password in each address consists of."""
PASSWORDS: tuple[str, ...] = (
    "Top@Secret9",
    "Top:Secret9",
    "Top/Secret9",
    "Top#Secret9",
    "Top?Secret9",
    "Top%40Secret9",
    "Top%Secret9",
)
PASSWORDS += ("Top@1:Secret9", "Top?a=Secret9", "Top[Secret9", "Top&Secret9", "Top#a@Secret9", "Top%00Secret9")
ADDRESSES = tuple(f"postgresql://ada:{password}@127.0.0.1:1/kb#letters" for password in PASSWORDS)
ADDRESSES += tuple(f"postgresql://127.0.0.1:1/kb?password={one}#letters" for one in ("Top@Secret9", "Top/:Secret9"))
ADDRESSES += tuple(
    f"postgresql://127.0.0.1:1/kb?password={one}" for one in ("Top&Secret9", "Top&Secret9=1", "Top#!Secret9")
)
ADDRESSES += ("postgresql://ada:Top%40Secret9@127.0.0.1:port/kb", "postgresql://ada:Top%40Secret9@[::1/kb")
MISTYPED = tuple(
    f"{scheme}ada:Top@Secret9@127.0.0.1:1/kb"
    for scheme in (
        "postgresq://",
        "postgresql:/",
        "postgresql:",
        "POSTGRESQL://",
        "mysql://",
        "://",
        "postgresql//",
        "",
    )
)
MISTYPED += ("postgresql+psycopg://ada:Top/Secret9@h/kb", "jdbc:postgresql://h/kb?user=ada&password=TopSecret9")
MISTYPED += ("host=127.0.0.1 port=1 password=TopSecret9", "dbname=kb password = 'Top Secret9'")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current folder, in which nothing may be made."""
    monkeypatch.setenv("POLYADIC_EMBEDDING__MODEL", "hashing")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert_hidden(" ".join(path.name for path in tmp_path.rglob("*")))


def assert_hidden(text: str) -> None:
    assert not [part for part in HIDDEN if part in text], text


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_is_said_of_a_database_that_cannot_be_used_is_one_line_without_the_password(
    address: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    assert run(["-w", address, "status"]) == 1
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.splitlines()) == 1 and ": " in said.err
    assert_hidden(said.err + caplog.text)
    with pytest.raises(PolyadicError) as raised:
        home_of(address).exists()
    assert_hidden("".join(traceback.format_exception(raised.value)))


@pytest.mark.parametrize("address", MISTYPED)
@pytest.mark.parametrize(
    "command",
    [
        ("-w", "{}", "index", "."),
        ("init", "{}"),
        ("serve", "{}"),
        ("keys", "add", "{}", "ada", "--all"),
        ("copy", "{}", "kb"),
    ],
)
def test_an_address_of_another_form_is_no_folder(
    address: str, command: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([part.replace("{}", address) for part in command]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "does not begin the address of a database: use postgresql://" in line
    assert_hidden(line)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("command", [("status", "{}"), ("index", "{}"), ("index", "x{}"), ("query", "Who?", "{}")])
@pytest.mark.parametrize("address", ADDRESSES[:5])
def test_an_address_in_the_wrong_place_is_not_repeated_with_its_password(
    command: tuple[str, ...], address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([part.replace("{}", address) for part in command]) in (1, 2)
    assert_hidden(capsys.readouterr().err)


def test_a_folder_whose_name_looks_like_an_address_can_be_named(folder: Path) -> None:
    assert home_of("./notes:/kb").exists() is False
    assert home_of(folder / "a:b").exists() is False


@pytest.mark.parametrize("password", ["Top@Secret9", "Top:Secret9", "Top%2FSecret9", "Top%Secret9"])
def test_representations_hide_the_password(password: str) -> None:
    address = f"postgresql://ada:{password}@db.example/kb#letters"
    for value in (PostgresDsn.of(address), home_of(address), WorkspaceLocation(address, "settings")):
        assert_hidden(repr(value))
    assert str(PostgresDsn.of(address)) == "postgresql://db.example/kb#letters"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="arguments are overwritten on Linux only")
@pytest.mark.parametrize("address", ["ada:Top@Secret9@127.0.0.1:{}/kb", "127.0.0.1:{}/kb?password=TopSecret9"])
def test_the_list_of_processes_does_not_show_the_password(address: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = "postgresql://" + address.format(silent.getsockname()[1])
        process = subprocess.Popen([*COMMAND, "-w", place, "status"], stderr=subprocess.PIPE)
        try:
            silent.settimeout(60)
            # The process may end as soon as the connection is closed.
            with silent.accept()[0]:
                shown = Path(f"/proc/{process.pid}/cmdline").read_text()
        finally:
            process.kill()
            process.communicate()
    assert_hidden(shown)
    assert re.search(r"\*{10}", shown) and "127.0.0.1" in shown
