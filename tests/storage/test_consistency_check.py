"""A store that is damaged is not called sound."""

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from polyadic.model.hierarchy import Community, Rearrangement
from polyadic.model.identity import entity_id
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.storage.sql.encoding import compress
from polyadic.storage.sqlite.store import SqliteStore
from tests.storage.hierarchies import by_hand, rearrange
from tests.storage.test_invariant import TITLES, histories
from tests.support.store_driver import WrittenFact, publish, stage, withdraw

STATEMENTS: Sequence[WrittenFact] = [
    ("Ada met Babbage in London.", ["Ada", "Babbage", "London"]),
    ("Babbage worked on the Engine.", ["Babbage", "the Engine"]),
    ("ADA worked on the Engine.", ["ADA", "the Engine"]),
]


@pytest.fixture(scope="module")
def used_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a document of several chunks, one changed, one withdrawn, one left half way."""
    folder = tmp_path_factory.mktemp("used")
    store = SqliteStore(folder, "test")
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
    return folder


@pytest.fixture(scope="module")
def used_store_with_hierarchy(used_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with a hierarchy: a cluster with a summary, a community with a report, and one that has become stale."""
    folder = shutil.copytree(used_store, tmp_path_factory.mktemp("hierarchy") / "kb")
    store = SqliteStore(folder, "test")
    with store.read() as reader:
        cluster, community = by_hand(reader)
    passing = publish(store, "e", [("Mars met Venus.", ["Mars", "Venus"])])
    members = tuple(sorted(entity_id(key) for key in ("mars", "venus")))
    stale = Community(1, members, community.id, "basis", members[:1], community.report, 12)
    rearrange(store, Rearrangement([cluster], [community, stale], (), [0.5], 6, 0))
    withdraw(store, passing)
    store.close()
    return folder


@pytest.fixture
def folder(used_store: Path, tmp_path: Path) -> Path:
    """A copy of the used store to damage."""
    return shutil.copytree(used_store, tmp_path / "kb")


@pytest.fixture
def arranged(used_store_with_hierarchy: Path, tmp_path: Path) -> Path:
    """A copy of the used store with a hierarchy to damage."""
    return shutil.copytree(used_store_with_hierarchy, tmp_path / "kb")


def problems(folder: Path) -> list[str]:
    store = SqliteStore(folder, "test")
    try:
        return store.problems()
    finally:
        store.close()


def test_used_store_is_consistent(folder: Path) -> None:
    assert problems(folder) == []


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        ("DELETE FROM participation", "3 facts are linked to other entities"),
        ("INSERT INTO participation VALUES (99, 1, 1)", "facts are linked to other entities"),
        ("DELETE FROM statement", "3 facts are stated elsewhere"),
        ("UPDATE statement SET stop = stop + 1 WHERE chunk = 1", "3 facts are stated elsewhere"),
        ("INSERT INTO statement VALUES (1, 99, 0, 4)", "1 facts are stated elsewhere"),
        ("DELETE FROM passage_window", "2 chunks lack vectors"),
        ("UPDATE passage_window SET ordinal = 1", "2 chunks lack vectors"),
        ("INSERT INTO passage_window VALUES (99, 0, 1)", "1 vectors belong to chunks that no longer exist"),
        ("DELETE FROM document WHERE id = 1", "1 revisions belong to documents that no longer exist"),
        ("UPDATE fact SET text = 'Mars is made of cheese ' || id", "3 facts differ from"),
        ("UPDATE fact SET arity = 9", "3 facts differ from"),
        ("UPDATE fact SET score = score + 1 WHERE id = 1", "1 facts differ from"),
        ("DELETE FROM fact WHERE id = 1", "1 facts differ from"),
        ("UPDATE fact SET vector = NULL", "3 facts lack their vector"),
        ("UPDATE fact SET vector = (SELECT max(id) FROM vector) WHERE id = 1", "1 facts lack their vector"),
        ("DELETE FROM vector WHERE id = (SELECT vector FROM fact WHERE id = 1)", "1 facts lack their vector"),
        ("UPDATE vector SET uses = uses + 1", "vectors have a wrong use count"),
        ("UPDATE entity SET name = 'Mars'", "4 entities differ from"),
        ("UPDATE entity SET facts = facts + 1 WHERE id = 1", "1 entities differ from"),
        (
            "DELETE FROM attribute_value WHERE attribute = 'type'",
            "4 entities have other names, descriptions or vectors",
        ),
        ("UPDATE attribute_value SET vector = NULL", "4 entities have other names, descriptions or vectors"),
        ("DELETE FROM vector WHERE id IN (SELECT vector FROM attribute_value)", "4 entities have other names"),
        ("UPDATE chunk SET stop = stop + 1000", "2 chunks do not match the text of their documents"),
        ("UPDATE chunk SET start = 3, new_from = 3", "2 chunks do not match the text of their documents"),
        ("UPDATE text_segment SET text = 'Mars'", "2 chunks do not match the text of their documents"),
        ("DELETE FROM text_segment", "2 chunks do not match the text of their documents"),
        (
            "INSERT INTO text_segment VALUES (99 << 20, 'Mars')",
            "1 texts belong to documents that",
        ),
        (
            "INSERT INTO original_segment VALUES (99 << 20, x'25504446')",
            "1 original files belong to documents that",
        ),
        ("UPDATE chunk SET evidence = NULL", "4 entities differ from"),
        ("UPDATE chunk SET evidence = 'Mars'", "evidence that cannot be read"),
        (f"UPDATE chunk SET evidence = x'{compress('[[1, 2, 3, [], [[4]]]]').hex()}'", "evidence that cannot be read"),
        ("UPDATE chunk SET evidence = substr(evidence, 1, 9)", "evidence that cannot be read"),
        ("UPDATE chunk SET evidence_count = evidence_count + 1", "2 chunks have a wrong evidence count"),
    ],
)
def test_damage_is_detected(folder: Path, damage: str, found: str) -> None:
    inflict(folder, damage)
    assert any(found in problem for problem in problems(folder)), problems(folder)


def inflict(folder: Path, damage: str) -> None:
    with closing(sqlite3.connect(folder / "store.sqlite")) as connection:
        connection.execute(damage)
        connection.commit()


def test_used_hierarchy_is_consistent(arranged: Path) -> None:
    assert problems(arranged) == []


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (
            "UPDATE hierarchy_node SET members = primary_members WHERE kind = 'cluster'",
            "1 clusters or communities have identifiers",
        ),
        (
            "UPDATE hierarchy_node SET level = 7",
            "3 clusters or communities have identifiers that do not match their members",
        ),
        ("DELETE FROM entity", "2 clusters or communities have missing members or sources"),
        ("DELETE FROM fact", "2 clusters or communities have missing members or sources"),
        ("DELETE FROM summary", "1 clusters or communities have missing members or sources"),
        ("UPDATE hierarchy_node SET stale = 0", "1 clusters or communities have missing members or sources"),
        (
            "DELETE FROM hierarchy_source WHERE text_digests != x''",
            "2 clusters or communities have wrong source records",
        ),
        (
            "DELETE FROM hierarchy_source WHERE text_digests = x''",
            "2 clusters or communities have wrong source records",
        ),
        ("UPDATE hierarchy_source SET node = 99 WHERE node = 1", "2 clusters or communities have wrong source records"),
        (
            "UPDATE hierarchy_source SET text_digests = x'' WHERE node = 1",
            "1 clusters or communities have wrong source records",
        ),
        (
            "UPDATE hierarchy_source SET text_digests = x'0123456789abcdef'",
            "2 clusters or communities have wrong source records",
        ),
        (
            "UPDATE hierarchy_source SET text_digests = x'0123456789abcdef'",
            "2 clusters or communities are based on outdated texts",
        ),
        ("UPDATE hierarchy_node SET sources = members", "1 clusters or communities are stale but still have texts"),
        ("UPDATE hierarchy_node SET basis = 'basis'", "1 clusters or communities are stale but still have texts"),
        ("UPDATE hierarchy_node SET tokens = 1", "1 clusters or communities are stale but still have texts"),
        ("UPDATE hierarchy_node SET stale = 1", "2 clusters or communities are stale but still have texts"),
        (
            "UPDATE hierarchy_node SET report = (SELECT max(report) FROM hierarchy_node)",
            "are stale but still have texts",
        ),
        ("UPDATE summary SET name = 'Mars'", "1 summaries do not match their clusters"),
        ("UPDATE summary SET description = 'Mars'", "1 summaries do not match their clusters"),
        ("UPDATE summary SET members = x'abababababababababababababababab'", "1 summaries do not match"),
        ("UPDATE summary SET vector = NULL", "1 summaries do not match their clusters"),
        ("UPDATE summary SET node = 2", "1 summaries do not match their clusters"),
        ("UPDATE summary SET vector = NULL", "vectors have a wrong use count"),
        ("UPDATE hierarchy_node SET report = 'Mars' WHERE id = 2", "1 reports cannot be read"),
        ("UPDATE hierarchy_node SET report = '[1, 2]' WHERE id = 2", "1 reports cannot be read"),
    ],
)
def test_hierarchy_damage_is_detected(arranged: Path, damage: str, found: str) -> None:
    inflict(arranged, damage)
    assert any(found in problem for problem in problems(arranged)), problems(arranged)


@pytest.mark.slow
@given(histories)
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_store_is_consistent_after_any_history(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[str, list[WrittenFact] | None]]
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
