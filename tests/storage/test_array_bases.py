"""When arrays are saved again, and when earlier ones are deleted."""

import shutil
from contextlib import closing

import numpy as np
import pytest

from polyadic.model.identity import loose_name
from polyadic.storage.sql.change_log import LEAST_KEPT
from polyadic.storage.sqlite.array_cache import LEAST_CHANGED, SnapshotManager
from polyadic.storage.sqlite.database import connect
from polyadic.storage.sqlite.store import SqliteStore
from tests.storage.test_array_cache import History, all_contents, history, many, opened

__all__ = ["history"]


def bases(history: History) -> set[str]:
    return {entry.name for entry in (history.folder / "derived").iterdir()}


def as_made_afresh(history: History) -> bool:
    """Whether the store reads as one that has no derived files."""
    documents = sorted(one.id for one in history.documents.values())
    here = all_contents(history.store, documents)
    shutil.rmtree(history.folder / "derived")
    return here == opened(history.folder)


def test_small_change_saves_no_arrays(history: History) -> None:
    before = bases(history)
    for n in range(5):
        history.publish_facts("b", many("Bolt", n + 1))
        history.withdraw("b")
        history.read()
    assert bases(history) == before
    assert as_made_afresh(history)


@pytest.mark.slow
def test_new_base_is_built_in_the_background_after_many_changes(history: History) -> None:
    (before,) = bases(history)
    history.publish_facts("b", many("Bolt", LEAST_CHANGED // 2))
    history.read()
    with history.store.read() as reader:
        assert reader.size("fact") == 300 + LEAST_CHANGED // 2
    history.store.close()  # which waits for it
    # The one before it is needed no longer; who has it open may read on.
    assert len(bases(history)) == 1 and before not in bases(history)
    history.store = SqliteStore(history.folder, "test")
    history.publish_facts("c", many("Carol", 3))
    assert as_made_afresh(history)


def test_readers_switch_to_the_new_base(history: History) -> None:
    history.publish_facts("b", many("Bolt", LEAST_CHANGED // 2))
    reading = SnapshotManager(history.folder / "store.sqlite", history.folder / "derived")
    with closing(connect(history.folder / "store.sqlite")) as connection:
        old = reading.of(connection)
        reading.close()
        history.publish_facts("c", many("Carol", 3))
        new = reading.of(connection)
    assert (old.changed, new.changed) == (LEAST_CHANGED + 2, 8)
    assert new.size("fact") == old.size("fact") + 3


@pytest.mark.slow
def test_replaced_base_is_deleted_while_others_read_it(history: History) -> None:
    reading = SnapshotManager(history.folder / "store.sqlite", history.folder / "derived")
    with closing(connect(history.folder / "store.sqlite")) as connection:
        connection.execute("BEGIN")
        before = reading.of(connection)
        (replaced,) = bases(history)
        writing = history.folder / "derived" / "writing-elsewhere"
        writing.mkdir()
        history.publish_facts("b", many("Bolt", LEAST_CHANGED // 2))
        history.read()
        history.store.close()
        assert replaced not in bases(history) and len(bases(history)) == 2
        assert writing.exists()
        places, _ = before.vectors["fact"].places(np.arange(300))
        assert before.vectors["fact"].at(places).shape[0] == 300
        connection.execute("COMMIT")
    writing.rmdir()
    history.store = SqliteStore(history.folder, "test")
    assert as_made_afresh(history)


@pytest.mark.slow
def test_long_running_process_releases_replaced_vectors(history: History) -> None:
    reading = SnapshotManager(history.folder / "store.sqlite", history.folder / "derived")
    with closing(connect(history.folder / "store.sqlite")) as connection:
        for n in range(12):
            history.publish_facts("b", many(f"Bolt {n}", 120))
            history.read()
            state = reading.of(connection)
        delta = state.nodes["fact"].delta
        assert delta.columns["vectors"].sum() == 120
        assert len(delta.vectors) < 12 * 120
    assert as_made_afresh(history)


@pytest.mark.slow
def test_change_log_is_bounded(history: History) -> None:
    def known() -> list[tuple[int, int]]:
        with closing(connect(history.folder / "store.sqlite")) as connection:
            return connection.execute("SELECT total, length(facts) FROM change_log ORDER BY id").fetchall()

    for n in range(4):
        history.publish_facts("b", many(f"Bolt {n}", LEAST_KEPT // 8))
    totals = [total for total, _ in known()]
    assert len(totals) > 1
    assert totals[-1] - totals[0] <= LEAST_KEPT
    assert known()[0][1] == 0
    history.publish_facts("c", many("Carol", LEAST_KEPT // 2))
    assert len(known()) == 1
    assert as_made_afresh(history)


def test_base_newer_than_a_restored_store_is_not_used(history: History) -> None:
    history.store.close()
    shutil.copy(history.folder / "store.sqlite", history.folder / "backup")
    history.store = SqliteStore(history.folder, "test")
    history.publish_facts("b", many("Bolt", 5))
    shutil.rmtree(history.folder / "derived")
    history.read()
    history.store.close()
    (history.folder / "backup").rename(history.folder / "store.sqlite")
    history.store = SqliteStore(history.folder, "test")
    history.publish_facts("c", many("Carol", 5))
    del history.documents["b"]
    with history.store.read() as reader:
        assert reader.size("fact") == 305
        assert not reader.named([loose_name("Bolt 1")])
    assert as_made_afresh(history)
