"""What the SQLite store promises of its files."""

from pathlib import Path

import pytest

from polyadic.errors import StoreError
from polyadic.storage.protocol import Store
from polyadic.storage.sqlite.store import SqliteStore
from tests.storage.hierarchies import arrange
from tests.support.canonical import canonical
from tests.support.store_driver import publish
from tests.support.stores import Opener
from tests.support.vectors import vector

ADA = ("Ada Lovelace met Charles Babbage in London.", ["Ada Lovelace", "Charles Babbage", "London"])
ENGINE = ("Charles Babbage designed the Analytical Engine.", ["Charles Babbage", "the Analytical Engine"])
LONELY = ("Only London is named here.", ["London"])


@pytest.fixture
def engine() -> str:
    return "sqlite"


def test_arrays_of_another_state_are_never_read(store: Store, open_store: Opener, tmp_path: Path) -> None:
    """A store restored from a backup goes on from an earlier state: its arrays must not be those of the lost one."""
    publish(store, "ada", [ADA])
    store.close()
    backup = (tmp_path / "kb" / "store.sqlite").read_bytes()
    lost = open_store("kb")
    publish(lost, "engine", [ENGINE])
    canonical(lost)
    lost.close()
    (tmp_path / "kb" / "store.sqlite").write_bytes(backup)
    restored, fresh = open_store("kb"), open_store("fresh")
    publish(restored, "lonely", [LONELY])
    for name, said_there in (("ada", ADA), ("lonely", LONELY)):
        publish(fresh, name, [said_there])
    assert canonical(restored) == canonical(fresh)


def test_invalid_folder_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError, match="cannot be a workspace's folder"):
        SqliteStore(tmp_path / "file", "test")


def test_damaged_store_is_reported_in_one_line(store: Store, open_store: Opener, tmp_path: Path) -> None:
    for number in range(40):
        publish(store, f"d{number}", [(f"Ada met friend {number} in London.", ["Ada", f"friend {number}", "London"])])
    store.close()
    file = tmp_path / "kb" / "store.sqlite"
    pages = bytearray(file.read_bytes())
    pages[16384:] = b"\xff" * (len(pages) - 16384)
    file.write_bytes(bytes(pages))
    with pytest.raises(StoreError, match="damaged"):
        canonical(open_store("kb"))


def test_hierarchy_changes_keep_the_saved_arrays(store: Store, tmp_path: Path) -> None:
    publish(store, "a", [ADA])
    with store.read() as reader:
        assert len(reader.nearest("fact", vector("x"), 9).rows) == 1
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "kb" / "derived").rglob("*.npy")}
    arrange(store, 3)
    with store.read() as reader:
        assert reader.hierarchy_reader().summary_count and len(reader.nearest("fact", vector("x"), 9).rows) == 1
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "kb" / "derived").rglob("*.npy")}
