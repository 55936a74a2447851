"""A workspace that is copied, from any engine to any other, is the same workspace there, and lives on as such."""

import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyadic.errors import NotFound, StoreBusy, StoreError
from polyadic.interchange.export import exported
from polyadic.interchange.workspace_copy import CopyProgress, copy
from polyadic.model.identity import document_id
from polyadic.model.types import Document, Evidence, Usage
from polyadic.storage.protocol import LedgerCall
from polyadic.storage.sql.tables import COPIED
from polyadic.storage.transfer import CopySource, CopyTarget, Row
from polyadic.storage.url import StoreLocation, home_of
from polyadic.workspace import Workspace
from tests.crashes.commands import COMMAND, ended, started
from tests.interchange.workspaces import SETTINGS, collections, drafts, fill
from tests.support import postgres
from tests.support.stores import ENGINES

NAMES = ("Ada Lovelace", "Charles Babbage", "London", "Luigi Menabrea", "Turin", "Mary Somerville")
WAYS = [(one, other) for one in ENGINES for other in ENGINES]
COLUMNS = {
    "sqlite": "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c"
    " WHERE t.type = 'table' AND t.name NOT LIKE 'passage_fts%'",
    "postgres": "SELECT table_name, column_name FROM information_schema.columns"
    " WHERE table_schema = 'polyadic' AND table_name NOT LIKE 'search_vector%'",
}
OWN: dict[str, dict[str, set[str]]] = {
    "postgres": {
        "document": {"source_prefix"},
        "chunk": {"sort_key", "topic_entity"},
    },
    "sqlite": {},
}
TABLES = {table.name: table for table in COPIED}
NOT_COPIED = {"new_vector", "change_log", "topic_candidate", "row_count", "lease", "store_version", "workspace"}
"""Vectors of a model that the store may be switched to, and what an engine derives for itself."""


def place(engine: str, folder: Path, name: str) -> str:
    return str(folder / name) if engine == "sqlite" else f"{postgres.server()}#{postgres.fresh()}"


def letters(count: int, first: int = 0) -> list[Document]:
    """Documents that share entities and facts."""
    documents = []
    for number in range(first, first + count):
        one, another, third = (NAMES[(number * step) % len(NAMES)] for step in (1, 2, 3))
        text = f"{one} wrote to {another} of engine {number % 4}. {another} met {third} in London. {third} answered."
        documents.append(Document(f"memory:letters/{number}", f"Letter {number}", text))
    return documents


@pytest.fixture(scope="module", params=ENGINES)
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> StoreLocation:
    """A workspace with something in nearly every table, also of documents that came and went."""
    with Workspace(place(request.param, tmp_path_factory.mktemp("source"), "kb"), SETTINGS) as kb:
        kb.add(letters(12))
        kb.delete("memory:letters/3")
        kb.entities.merge(["Mary Somerville", "Luigi Menabrea"], "Mary Somerville")
        kb.hierarchy.build()
        call = LedgerCall("extraction", "some-model", Usage(1, 100, 20, 0.01), 0.5, "ab" * 16)
        kb.store().record_calls([(call, ("cd" * 16, '{"facts": []}', True))])
        with kb.store().write() as writer:
            writer.put_original(document_id("memory:letters/1"), "ef" * 16, bytes(100_000), is_staged=False)
        return kb.home


@pytest.fixture(params=ENGINES)
def destination(request: pytest.FixtureRequest, tmp_path: Path) -> StoreLocation:
    return home_of(place(request.param, tmp_path, "copy"))


def nothing(progress: CopyProgress) -> None:
    pass


def stopped_after(rows: int) -> Callable[[CopyProgress], None]:
    """Stops a copy as soon as so many rows are there."""

    def stop(progress: CopyProgress) -> None:
        if progress.rows >= rows:
            raise KeyboardInterrupt

    return stop


def opened(home: StoreLocation) -> Workspace:
    kb = Workspace(settings=SETTINGS)
    kb.home = home
    return kb


def rows(home: StoreLocation) -> dict[str, list[Row]]:
    """What stands in all tables that are copied, as both engines would tell it."""
    store = home.open(None)
    try:
        with store.copy_source() as original:
            return {
                name: [row for row in _all(original, name) if row[0] not in ("store", "generation")] for name in TABLES
            }
    finally:
        store.close()


def _all(original: CopySource, table: str) -> Iterator[Row]:
    last = None
    while found := original.following(table, last):
        yield from found
        last = found[-1]


def export(kb: Workspace) -> bytes:
    assert kb.store().problems() == []
    return b"".join(exported(kb, "hif"))


def answered(kb: Workspace, method: str) -> set[tuple[str, float]]:
    """What is found, with its scores; in no order, because several are as good but for their last digits."""
    found = kb.retrieve("Who wrote to Luigi Menabrea of engine 2?", method)
    return {(item.text, round(item.score, 4)) for item in found.items}


def test_copy_is_complete(source: StoreLocation, destination: StoreLocation) -> None:
    report = copy(source, destination, nothing)
    assert rows(destination) == rows(source)
    assert (
        min(
            report.rows[table]
            for table in (
                "document",
                "original_segment",
                "reply",
                "model_call",
                "decision",
                "summary",
                "hierarchy_node",
            )
        )
        > 0
    )
    with opened(source) as kb, opened(destination) as copied:
        assert export(copied) == export(kb)
        for method in ("bm25", "walk", "hypergraph", "hipporag", "hipporag2", "fastgraphrag", "raptor"):
            assert answered(copied, method) == answered(kb, method) != set()
        assert copied.ledger() == kb.ledger()
        assert copied.add(letters(12)).unchanged == 11


def test_copy_can_be_changed_further(source: StoreLocation, destination: StoreLocation, tmp_path: Path) -> None:
    copy(source, destination, nothing)
    beside = home_of(tmp_path / "beside")
    copy(source, beside, nothing)
    exports = []
    for home in (destination, beside):
        with opened(home) as kb:
            kb.add(letters(3, first=20))
            kb.delete("memory:letters/5")
            kb.hierarchy.build()
            exports.append(export(kb))
    assert exports[0] == exports[1]


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_interrupted_copy_resumes(source: StoreLocation, destination: StoreLocation, share: float) -> None:
    total = sum(map(len, rows(source).values()))
    with pytest.raises(KeyboardInterrupt):
        copy(source, destination, stopped_after(int(share * total)))
    with opened(destination) as kb:
        for use in (lambda: kb.retrieve("Who wrote?", "chunks"), lambda: kb.add(letters(1))):
            with pytest.raises(StoreError, match="an unfinished copy"):
                use()
    report = copy(source, destination, nothing)
    assert share * total - 50 <= report.resumed <= total
    assert rows(destination) == rows(source)


def test_copy_starts_over_if_the_source_has_changed(destination: StoreLocation, tmp_path: Path) -> None:
    with Workspace(tmp_path / "kb", SETTINGS) as kb:
        kb.add(letters(4))
        with pytest.raises(KeyboardInterrupt):
            copy(kb.home, destination, stopped_after(60))
        kb.delete("memory:letters/1")
        copy(kb.home, destination, nothing)
        with opened(destination) as copied:
            assert export(copied) == export(kb)


def test_differing_copy_is_reported_and_copied_again(source: StoreLocation, destination: StoreLocation) -> None:
    there = rows(source)
    before = list(TABLES)[: list(TABLES).index("entity_alias")]
    with pytest.raises(KeyboardInterrupt):
        copy(source, destination, stopped_after(sum(len(there[table]) for table in before)))
    store = destination.open(None)
    with store.copy_target() as duplicate:
        assert isinstance(duplicate, CopyTarget)
        with duplicate._transaction():
            duplicate._connection.execute(
                "DELETE FROM attribute_value WHERE entity = (SELECT min(entity) FROM attribute_value)"
            )
    store.close()
    with pytest.raises(StoreError, match="differs from the original in attribute_value"):
        copy(source, destination, nothing)
    assert copy(source, destination, nothing).resumed == 0
    assert rows(destination) == there


def test_non_empty_destination_is_refused(source: StoreLocation, destination: StoreLocation) -> None:
    with opened(destination) as kb:
        kb.add(letters(2))
        before = export(kb)
        with pytest.raises(StoreError, match="is not empty"):
            copy(source, destination, nothing)
        assert export(kb) == before


def test_missing_source_is_refused(destination: StoreLocation, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no workspace in"):
        copy(home_of(tmp_path / "none"), destination, nothing)
    assert not destination.exists()


def test_destination_is_locked_while_copying(source: StoreLocation, destination: StoreLocation) -> None:
    def another(progress: CopyProgress) -> None:
        with opened(destination) as kb, pytest.raises((StoreBusy, StoreError)):
            kb.add(letters(1))

    copy(source, destination, another)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@given(collections, st.lists(drafts, max_size=6))
@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow])
def test_any_workspace_can_be_copied(way: tuple[str, str], documents: list[Document], pool: list[Evidence]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one, other = (place(engine, Path(folder), name) for engine, name in zip(way, ("kb", "copy"), strict=True))
        with Workspace(one, SETTINGS) as kb:
            fill(kb, documents, pool)
            copy(kb.home, home_of(other), nothing)
            assert rows(home_of(other)) == rows(kb.home)
            with Workspace(other, SETTINGS) as copied:
                assert export(copied) == export(kb)


@pytest.mark.slow
@pytest.mark.parametrize("way", [("sqlite", "postgres"), ("postgres", "sqlite")])
def test_copy_resumes_after_kill_at_any_moment(way: tuple[str, str], tmp_path: Path) -> None:
    one, other = (place(engine, tmp_path, name) for engine, name in zip(way, ("kb", "copy"), strict=True))
    with Workspace(one, SETTINGS) as kb:
        kb.add(letters(150))
        for wait in (0.2, 0.3, 0.4):
            run = started(COMMAND, "copy", one, other)
            time.sleep(wait)
            run.send_signal(signal.SIGKILL)
            run.communicate()
        deadline = time.monotonic() + 60
        code, said = ended(started(COMMAND, "copy", one, other))
        # PostgreSQL notices a moment later that the process which held the lock is gone.
        while code and "another process is writing" in said and time.monotonic() < deadline:
            code, said = ended(started(COMMAND, "copy", one, other))
        assert code == 0 or "is not empty" in said
        with Workspace(other, SETTINGS) as copied:
            assert export(copied) == export(kb)


@pytest.mark.parametrize("engine", ENGINES)
def test_all_tables_and_columns_are_copied(engine: str, tmp_path: Path) -> None:
    with Workspace(place(engine, tmp_path, "kb"), SETTINGS) as kb, kb.store(make=True).copy_target() as duplicate:
        assert isinstance(duplicate, CopyTarget)
        found = duplicate._connection.execute(COLUMNS[engine]).fetchall()
    columns = {table: {name for of, name in found if of == table} - {"workspace"} for table, _ in found}
    known = {name: set(table.names) | OWN[engine].get(name, set()) for name, table in TABLES.items()}
    assert {table: names for table, names in columns.items() if table not in NOT_COPIED} == known
