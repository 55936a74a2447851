"""``polyadic workspaces``: what is listed is there, and what is dropped leaves nothing."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from polyadic.cli.main import run
from polyadic.config import EmbeddingSettings, Settings
from polyadic.model.types import Document
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.store import PostgresStore
from polyadic.workspace import Workspace
from tests.support.databases import database

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def address() -> Iterator[str]:
    settings = Settings(embedding=EmbeddingSettings(model="hashing"))
    with database() as address:
        for name in ("letters", "notes"):
            with Workspace(f"{address}#{name}", settings) as kb:
                kb.add([Document("memory:1", "Letters", "Jonas Orth wrote to Mira Falk in Turin.")])
        yield address


def test_workspaces_are_listed_and_dropped(address: str, capsys: Captured) -> None:
    assert run(["workspaces", "list", address]) == 0
    assert capsys.readouterr().out == "letters  (1 document, 1 fact)\nnotes  (1 document, 1 fact)\n"
    assert run(["workspaces", "drop", f"{address}#letters", "--yes"]) == 0
    assert capsys.readouterr().out == "deleted letters (1 document, 1 fact)\n"
    assert run(["workspaces", "list", address, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"name": "notes", "documents": 1, "facts": 1}]
    assert run(["workspaces", "drop", f"{address}#letters", "--yes"]) == 1
    assert "there is no workspace in postgresql://" in capsys.readouterr().err
    assert run(["workspaces", "drop", f"{address}#notes", "--yes", "--json"]) == 0
    capsys.readouterr()
    assert run(["workspaces", "list", address]) == 0
    assert capsys.readouterr().out == "there are no workspaces in this database\n"


def test_a_workspace_that_is_being_written_is_not_dropped(address: str, capsys: Captured) -> None:
    with closing(PostgresStore(PostgresDsn.of(f"{address}#letters"), None)) as store, store.indexing_session():
        assert run(["workspaces", "drop", f"{address}#letters", "--yes"]) == 1
    assert "another process is writing" in capsys.readouterr().err
    assert run(["workspaces", "list", address]) == 0
    assert "letters" in capsys.readouterr().out


def test_nothing_is_dropped_by_accident(address: str, tmp_path: Path, capsys: Captured) -> None:
    for arguments, said in (
        ((address, "--yes"), "names no workspace: add #NAME"),
        ((f"{address}#letters",), "add --yes"),
        ((str(tmp_path), "--yes"), "is not the address of a database"),
    ):
        assert run(["workspaces", "drop", *arguments]) == 2
        assert said in capsys.readouterr().err
    assert run(["workspaces", "list", address]) == 0
    assert "letters" in capsys.readouterr().out
