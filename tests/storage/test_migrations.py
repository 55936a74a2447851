"""A store of an earlier version is brought up to date once, as a whole, with all it contains."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from polyadic.errors import StoreError
from polyadic.storage.sqlite import database, schema
from polyadic.storage.sqlite.schema import UNRELEASED_APPLICATION_ID, VERSION
from polyadic.storage.sqlite.store import SqliteStore
from tests.support.canonical import canonical
from tests.support.store_driver import publish

ADD_COLUMN = """
ALTER TABLE fact ADD COLUMN remark TEXT NOT NULL DEFAULT 'none';
CREATE INDEX fact_remark ON fact (remark);
ALTER TABLE participation ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE statement ADD COLUMN valid_from TEXT
"""
FACT = ("Ada met Babbage in London.", ["Ada", "Babbage", "London"])


def opened(folder: Path) -> SqliteStore:
    return SqliteStore(folder, "test vectors")


@pytest.fixture
def contents(tmp_path: Path) -> str:
    """What the store in ``tmp_path``, of the present version, contains."""
    with closing(opened(tmp_path)) as store:
        publish(store, "ada", [FACT])
        return canonical(store)


@pytest.fixture
def upgraded(contents: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this a version of Polyadic that adds a column, after the store was filled."""
    monkeypatch.setattr(schema, "MIGRATIONS", (ADD_COLUMN,))
    monkeypatch.setattr(schema, "VERSION", VERSION + 1)


def ask(folder: Path, sql: str) -> list[object]:
    with closing(sqlite3.connect(folder / "store.sqlite")) as connection:
        return connection.execute(sql).fetchall()


@pytest.mark.usefixtures("upgraded")
def test_store_is_migrated_with_its_contents(tmp_path: Path, contents: str) -> None:
    with closing(opened(tmp_path)) as store:
        assert canonical(store) == contents and store.problems() == []
        publish(store, "new", [("Ada met Menabrea.", ["Ada", "Menabrea"])])
        assert store.problems() == []
    assert ask(tmp_path, "PRAGMA user_version") == [(VERSION + 1,)]
    assert ask(tmp_path, "SELECT DISTINCT remark FROM fact") == [("none",)]
    assert ask(tmp_path, "SELECT DISTINCT role FROM participation") == [("",)]
    assert ask(tmp_path, "SELECT DISTINCT valid_from FROM statement") == [(None,)]
    assert ask(tmp_path, "SELECT name FROM sqlite_master WHERE name = 'fact_remark'") == [("fact_remark",)]
    opened(tmp_path).close()


def test_failed_migration_changes_nothing(tmp_path: Path, contents: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(schema, "MIGRATIONS", (ADD_COLUMN + ";\nSELECT id FROM nowhere;\n",))
        patched.setattr(schema, "VERSION", VERSION + 1)
        with pytest.raises(StoreError, match="nowhere"):
            opened(tmp_path)
    assert ask(tmp_path, "PRAGMA user_version") == [(VERSION,)]
    with closing(opened(tmp_path)) as store:
        assert canonical(store) == contents


@pytest.mark.usefixtures("upgraded")
def test_store_that_cannot_be_written_is_not_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "is_read_only", lambda path: True)
    with pytest.raises(StoreError, match="must be upgraded, but it is read-only"):
        database.connect(tmp_path / "store.sqlite")


@pytest.mark.usefixtures("contents")
def test_newer_store_is_refused(tmp_path: Path) -> None:
    ask(tmp_path, f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(StoreError, match="newer Polyadic"):
        opened(tmp_path)


@pytest.mark.usefixtures("contents")
def test_store_of_before_the_first_release_is_refused(tmp_path: Path) -> None:
    ask(tmp_path, f"PRAGMA application_id = {UNRELEASED_APPLICATION_ID}")
    ask(tmp_path, "PRAGMA user_version = 9")
    with pytest.raises(StoreError, match=r"before the first release.*index the documents again") as raised:
        opened(tmp_path)
    assert "\n" not in str(raised.value)
