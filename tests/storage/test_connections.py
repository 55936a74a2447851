"""Readers of one store share a few connections, however many there were at once."""

from contextlib import ExitStack, closing
from pathlib import Path

from polyadic.storage.sqlite.store import SqliteStore
from tests.support.store_driver import publish

ADA = ("Ada Lovelace met Charles Babbage in London.", ["Ada Lovelace", "Charles Babbage", "London"])


def test_concurrent_readers_leave_few_connections_open(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path, "test vectors")) as store:
        source = publish(store, "ada", [ADA])
        left = []
        for _ in range(3):
            with ExitStack() as stack:
                readers = [stack.enter_context(store.read()) for _ in range(40)]
                assert all(reader.records.record(source.id) for reader in readers)
                assert len(logs_open(tmp_path)) > 40
            left.append(len(logs_open(tmp_path)))
        assert left[0] < 10 and len(set(left)) == 1
        with store.read() as reader:
            assert reader.records.record(source.id)
    assert not logs_open(tmp_path)


def logs_open(folder: Path) -> list[Path]:
    """The logs of the store that this process has open, one a connection; SQLite reuses its other files."""
    open_ = [link.resolve() for link in Path("/proc/self/fd").iterdir()]
    return [file for file in open_ if file == folder.resolve() / "store.sqlite-wal"]
