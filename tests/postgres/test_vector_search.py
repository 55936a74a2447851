"""What the index of PostgreSQL finds is what comparing all finds, also where vectors of others lie between."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import patch
from urllib.parse import quote

import numpy as np
import psycopg
import pytest

from polyadic.interchange.workspace_copy import copy
from polyadic.model.types import Usage
from polyadic.storage.postgres import hnsw, vector_search, writer
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.store import PostgresStore
from polyadic.storage.protocol import Hits, LedgerCall, Reader, Store
from polyadic.storage.sql.half_precision import HalfVector
from polyadic.storage.sqlite.store import SqliteStore
from polyadic.storage.url import home_of
from tests.support import postgres
from tests.support.databases import database
from tests.support.lookups import keyed
from tests.support.store_driver import publish
from tests.support.vectors import DIMENSION, vector, vectors

pytestmark = pytest.mark.slow

FACTS, OTHERS = 1_500, 500
QUESTIONS = [vector(f"question {number}") for number in range(8)]
# What is sorted costs next to nothing in so small a table, and an index would never be taken.
OPTIONS = quote("-c enable_sort=off -c enable_seqscan=off")


@pytest.fixture(scope="module")
def store() -> Iterator[PostgresStore]:
    """A workspace among whose vectors lie those of another; of both, one entity is in all facts."""
    database = postgres.own_database()
    database += ("&" if "?" in database else "?") + f"options={OPTIONS}"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(hnsw, "LEAST_INDEXED", OTHERS - 1)
        for name, count in (("other", OTHERS), ("kb", OTHERS), ("kb", FACTS)):
            filled = PostgresStore(PostgresDsn(database, name), "test vectors")
            stated = [(f"Ada met {name} {n}.", ["Ada", f"{name} {n}"]) for n in range(count)]
            publish(filled, name, stated)
            filled.close()
    filled = PostgresStore(PostgresDsn(database, "kb"), "test vectors")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("ANALYZE")
    yield filled
    filled.close()


def shared(one: Hits, other: Hits) -> float:
    """The share of the one's rows that the other has; what both have has the same number in both."""
    numbers = dict(zip(other.rows.tolist(), other.scores.tolist(), strict=True))
    both = [(row, number) for row, number in zip(one.rows.tolist(), one.scores.tolist(), strict=True) if row in numbers]
    assert all(numbers[row] == number for row, number in both)
    return len(both) / len(one.rows)


def found(reader: Reader, k: int) -> list[Hits]:
    plain = [reader.nearest(node_type, asked, k) for node_type in ("entity", "fact") for asked in QUESTIONS]
    return plain + [
        reader.nearest(node_type, asked, k, by_score=True) for node_type in ("entity", "fact") for asked in QUESTIONS
    ]


@pytest.fixture
def all_compared(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """No index pays, until the patch is undone."""
    monkeypatch.setattr(vector_search.PostgresVectorSearch, "_index_pays", lambda self, node_type, count: False)
    yield monkeypatch


@pytest.mark.parametrize("k", [1, 5, 60])
def test_index_search_finds_what_exhaustive_search_finds(
    store: PostgresStore, all_compared: pytest.MonkeyPatch, k: int
) -> None:
    with store.read() as reader:
        exact = found(reader, k)
    all_compared.undo()
    with store.read() as reader:
        assert np.mean([shared(one, other) for one, other in zip(exact, found(reader, k), strict=True)]) >= 0.95


def test_nearest_facts_of_a_hub_are_found(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with store.read() as reader:
        ada = np.array([keyed(reader, ["ada"])["ada"]])
        exact = [set(reader.facts_of(ada, 20, asked).targets.tolist()) for asked in QUESTIONS]
    monkeypatch.setattr(vector_search, "MOST_COMPARED", 400)
    monkeypatch.setattr(vector_search, "_SAMPLE", 20)
    with store.read() as reader:
        some = [set(reader.facts_of(ada, 20, asked).targets.tolist()) for asked in QUESTIONS]
    assert np.mean([len(one & other) / 20 for one, other in zip(exact, some, strict=True)]) >= 0.95


def test_index_is_used_if_enough_of_it_belongs_to_the_workspace(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for looked_at, pays in ((1_000, True), (100, False)):
        monkeypatch.setattr(vector_search, "_MAX_SCAN_TUPLES", looked_at)
        monkeypatch.setattr(vector_search, "EF_SEARCH", looked_at)
        with store.read() as reader:
            assert reader._near._index_pays("fact", 240) is pays  # type: ignore[attr-defined]
            assert reader._near._index_pays("chunk", 240) is False  # type: ignore[attr-defined]
            assert len(reader.nearest("fact", QUESTIONS[0], 60).rows) == 60


def test_iterative_scan_is_used_if_available(store: PostgresStore) -> None:
    with store.read() as reader:
        version = "SELECT string_to_array(extversion, '.')::int[] >= '{0,8}' FROM pg_extension WHERE extname = 'vector'"
        (expected,) = reader._connection.execute(version).fetchone()  # type: ignore[attr-defined]
        assert reader.stats.scans_on is expected  # type: ignore[attr-defined]


def test_large_index_is_searched_deeper_than_requested(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, nearest = [], []
    for one_of in (FACTS, 4, 1):
        monkeypatch.setattr(vector_search, "ONE_SEEN_OF", one_of)
        with store.read() as reader:
            searching: vector_search.PostgresVectorSearch = reader._near  # type: ignore[attr-defined]
            seen.append(searching._by_index("fact", QUESTIONS[0], 5).parameters[-2:])
            nearest.append(searching.roughly("fact", QUESTIONS[0], 5, ()).rows.tolist())
    assert seen == [(5, 5), (FACTS // 4, 5), (FACTS, 5)]
    assert nearest[0] == nearest[1] == nearest[2] and len(nearest[0]) == 5


def test_query_plan_uses_the_index(store: PostgresStore) -> None:
    """As it is asked in the tests above, where sorting is not to be thought of."""
    width = len(QUESTIONS[0])
    sql = (
        f"SELECT row FROM search_vector_{width} WHERE node_type = 'fact' AND indexed ORDER BY"
        f" data::halfvec({width}) <#> ? LIMIT 5"
    )
    with store.read() as reader:
        (asked,) = HalfVector.each(np.stack(QUESTIONS[:1]))
        plan = reader._connection.execute(f"EXPLAIN {sql}", (asked,)).fetchall()  # type: ignore[attr-defined]
    assert any(f"Index Scan using search_vector_{width}_fact" in line for (line,) in plan), plan


@pytest.fixture
def new(monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresStore]:
    """A workspace in a database of its own, large where it has more than three of something."""
    monkeypatch.setattr(hnsw, "LEAST_INDEXED", 3)
    with database() as address, closing(PostgresStore(PostgresDsn(address, "new"), "test vectors")) as store:
        yield store


def count(store: PostgresStore, where: str) -> int:
    with store.read() as reader:
        sql = f"SELECT count(*) FROM search_vector WHERE {where}"
        return int(reader._connection.execute(sql).fetchone()[0])  # type: ignore[attr-defined]


def indexes(store: PostgresStore) -> list[str]:
    with store.read() as reader:
        sql = "SELECT indexname FROM pg_indexes WHERE indexdef LIKE '%hnsw%' ORDER BY 1"
        return [name for (name,) in reader._connection.execute(sql).fetchall()]  # type: ignore[attr-defined]


def tell_of(store: Store, number: int) -> None:
    publish(store, f"{number}", [(f"Ada met Bolt {number}.", ["Ada", f"Bolt {number}"])])


def test_small_workspaces_stay_out_of_the_index_until_they_are_large(new: PostgresStore) -> None:
    for number, expected in ((1, 0), (2, 0), (3, 4), (4, 5), (5, 6)):
        tell_of(new, number)
        assert count(new, "node_type = 'entity' AND indexed") == expected
        assert bool(indexes(new)) is (expected > 0)
    assert count(new, "node_type = 'chunk' AND indexed") == 5 and count(new, "NOT indexed") == 0


def test_index_is_created_once_by_concurrent_workspaces(new: PostgresStore) -> None:
    """Each would have to wait for the other, as both have written vectors."""
    with closing(PostgresStore(PostgresDsn(new._address.database, "other"), "test vectors")) as other:
        for number in range(2):
            for store in (new, other):
                tell_of(store, number)
        with psycopg.connect(new._address.database) as connection:
            connection.execute("SET search_path = polyadic, public")
            connection.execute(f"SELECT may_create_vector_index('fact', {DIMENSION})")
            tell_of(other, 2)
            assert count(other, "indexed") == 0
        for number, store in ((3, other), (2, new), (3, new)):
            tell_of(store, number)
        for store in (new, other):
            assert count(store, "NOT indexed") == 0 and indexes(store) == [*map(named, ("chunk", "entity", "fact"))]


def named(node_type: str, dimension: int = DIMENSION) -> str:
    return f"search_vector_{dimension}_{node_type}"


def test_reembedded_vectors_are_indexed_like_before(new: PostgresStore) -> None:
    for number in range(5):
        tell_of(new, number)
    with new.read() as reader:
        chunks = [place.chunk_id for place in reader.chunk_places(reader.rows("chunk"))]
    with new.reembedding_session("test vectors") as gathering, new.exclusive_session():
        texts = list(gathering.texts())
        wide = np.concatenate([vectors(texts), vectors(texts)], axis=1)
        gathering.put(texts, wide, LedgerCall("embed", "test vectors", Usage(), 0.0))
        gathering.switch({chunk: [gathering.digest(texts[0])] for chunk in chunks})
    assert count(new, "NOT indexed") == 0 and count(new, f"dimension = {DIMENSION}") == 0
    assert named("fact", 2 * DIMENSION) in indexes(new)


def test_copy_creates_its_index_at_the_end(new: PostgresStore, tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path, "test vectors")) as store:
        for number in range(5):
            tell_of(store, number)
    with patch.object(writer, "_AT_ONCE", 2):
        copy(home_of(tmp_path), home_of(f"{new._address.database}#copy"), lambda progress: None)
    with closing(PostgresStore(PostgresDsn(new._address.database, "copy"), "test vectors")) as copied:
        assert count(copied, "NOT indexed") == 0 and count(copied, "indexed") == 5 + 5 + 6
        assert indexes(copied) == [*map(named, ("chunk", "entity", "fact"))]
        with copied.read() as reader:
            (analyzed,) = reader._connection.execute(  # type: ignore[attr-defined]
                "SELECT count(*) FROM pg_stat_all_tables WHERE relname = 'statement' AND last_analyze IS NOT NULL"
            ).fetchone()
    assert analyzed == 1


def test_vectors_above_the_index_dimension_limit_are_not_indexed() -> None:
    database = postgres.own_database()
    PostgresStore(PostgresDsn(database, "kb"), "test vectors").close()
    with psycopg.connect(database) as connection:
        connection.execute("SET search_path = polyadic, public")
        connection.execute("SELECT create_vector_partition(4000), create_vector_partition(4001)")
        connection.execute("SELECT create_vector_index('fact', 4000), create_vector_index('fact', 4001)")
        found = connection.execute("SELECT DISTINCT tablename FROM pg_indexes WHERE indexdef LIKE '%hnsw%'").fetchall()
        options = connection.execute("SELECT reloptions FROM pg_class WHERE relname = 'search_vector_4000_fact'")
        assert options.fetchall() == [(["ef_construction=64"],)]
    assert found == [("search_vector_4000",)]
