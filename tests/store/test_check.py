"""A store that is damaged is not called sound."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from polyadic.knowledge import Chunk, Document, Evidence, Participation, Span
from polyadic.store.sqlite import SqliteStore
from tests.store.test_invariant import TITLES, histories
from tests.support.store_driver import Statement, publish, stage, withdraw

STATEMENTS: Sequence[Statement] = [
    ("Ada met Babbage in London.", ["Ada", "Babbage", "London"]),
    ("Babbage worked on the Engine.", ["Babbage", "the Engine"]),
    ("ADA worked on the Engine.", ["ADA", "the Engine"]),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store that has lived: with a document of several chunks, one changed, one withdrawn, one left half way."""
    store = SqliteStore(tmp_path, "test")
    publish(store, "a", STATEMENTS)
    publish(store, "b", STATEMENTS[1:], title="Engines")
    withdraw(store, publish(store, "c", STATEMENTS[:1]))
    publish(store, "b", STATEMENTS[:2], title="Engines")
    text = "Nobody has published this. It was staged."
    left = Document("/docs/d.txt", "", text)
    chunks = [Chunk(left.id, Span(0, 26), text[:26], 5, 0), Chunk(left.id, Span(20, 41), text[20:], 5, 26)]
    said = Evidence("Nobody published it.", 8.0, (Participation("Nobody"), Participation("it")), (), "by hand")
    stage(store, left, chunks, {chunks[0].id: [said]})
    store.close()
    return tmp_path


def problems(folder: Path) -> list[str]:
    store = SqliteStore(folder, "test")
    try:
        return store.problems()
    finally:
        store.close()


def test_a_store_that_has_lived_is_sound(folder: Path) -> None:
    assert problems(folder) == []


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        ("DELETE FROM participation", "3 facts are linked to other entities"),
        ("INSERT INTO participation VALUES (99, 1, 1)", "facts are linked to other entities"),
        ("DELETE FROM statement", "3 facts are stated elsewhere"),
        ("UPDATE statement SET stop = stop + 1 WHERE chunk = 1", "3 facts are stated elsewhere"),
        ("INSERT INTO statement VALUES (1, 99, 0, 4)", "1 facts are stated elsewhere"),
        ("DELETE FROM passage_window", "2 passages lack vectors"),
        ("UPDATE passage_window SET ordinal = 1", "2 passages lack vectors"),
        ("INSERT INTO passage_window VALUES (99, 0, 1)", "1 vectors are for passages that are gone"),
        ("UPDATE fact SET text = 'Mars is made of cheese ' || id", "3 facts differ from"),
        ("UPDATE fact SET arity = 9", "3 facts differ from"),
        ("UPDATE fact SET score = score + 1 WHERE id = 1", "1 facts differ from"),
        ("DELETE FROM fact WHERE id = 1", "1 facts differ from"),
        ("UPDATE fact SET vector = NULL", "3 facts lack their vector"),
        ("UPDATE fact SET vector = (SELECT max(id) FROM vector) WHERE id = 1", "1 facts lack their vector"),
        ("DELETE FROM vector WHERE id = (SELECT vector FROM fact WHERE id = 1)", "1 facts lack their vector"),
        ("UPDATE vector SET uses = uses + 1", "vectors are used more or less often than noted"),
        ("UPDATE entity SET name = 'Mars'", "4 entities differ from"),
        ("UPDATE entity SET facts = facts + 1 WHERE id = 1", "1 entities differ from"),
        ("DELETE FROM said WHERE attribute = 'type'", "4 entities have other names, descriptions or vectors"),
        ("UPDATE said SET vector = NULL", "4 entities have other names, descriptions or vectors"),
        ("DELETE FROM vector WHERE id IN (SELECT vector FROM said)", "4 entities have other names"),
        ("UPDATE chunk SET stop = stop + 1000", "2 passages are not what stands in their documents"),
        ("UPDATE chunk SET start = 3, fresh = 3", "2 passages are not what stands in their documents"),
        ("UPDATE revision SET text = 'Mars'", "2 passages are not what stands in their documents"),
        ("UPDATE chunk SET evidence = NULL", "4 entities differ from"),
        ("UPDATE chunk SET evidence = 'Mars'", "evidence that cannot be read"),
        ("UPDATE chunk SET evidence = '[[1, 2, 3, [], [[4]]]]'", "evidence that cannot be read"),
    ],
)
def test_damage_is_found(folder: Path, damage: str, found: str) -> None:
    connection = sqlite3.connect(folder / "store.sqlite")
    connection.execute(damage)
    connection.commit()
    connection.close()
    assert any(found in problem for problem in problems(folder)), problems(folder)


@given(histories)
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_no_history_makes_a_store_unsound(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[str, list[Statement] | None]]
) -> None:
    store = SqliteStore(tmp_path_factory.mktemp("lived"), "test")
    present = {}
    for name, said in history:
        if said is not None:
            present[name] = publish(store, name, said, title=TITLES[name])
        elif name in present:
            withdraw(store, present.pop(name))
    assert store.problems() == []
    store.close()
