"""What is written by one statement for many rows, and what is kept in step with it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import numpy as np

from polyadic.config import EmbeddingSettings, Settings
from polyadic.model.types import Document
from polyadic.storage.postgres import topic_entities
from polyadic.storage.postgres.connection import PostgresConnection, bulk_statement
from polyadic.storage.postgres.store import PostgresStore
from polyadic.storage.sql.encoding import text_digest
from polyadic.storage.sql.half_precision import HalfVector
from polyadic.storage.sql.revisions import resolution_of
from polyadic.storage.sql.tables import ATTRIBUTE_VALUE, DOCUMENT, ENTITY_ALIAS, MODEL_CALL
from polyadic.storage.sql.tables import VECTOR as VECTOR_TABLE
from polyadic.storage.table import Delete, Insert, Update
from polyadic.workspace import Workspace
from tests.postgres.test_statements import counted, letters
from tests.support import postgres

SETTINGS = Settings(embedding=EmbeddingSettings(model="hashing"))
(VECTOR,) = HalfVector.each(np.ones((1, 3), dtype=np.float32))
SOME = "plain", "with \0 in it", "{an,array}", "\U0010ffff0", ""


@contextmanager
def connected() -> Iterator[PostgresConnection]:
    """A connection within a transaction of a new workspace."""
    with (
        closing(PostgresStore(postgres.address(postgres.fresh()), None)) as store,
        store._pooled_transaction() as connection,
    ):
        yield connection


def rows_of(connection: PostgresConnection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql).fetchall()


def test_one_statement_inserts_many_rows() -> None:
    with connected() as connection:
        rows = [(number, "form", text_digest(value), value, number + 1) for number, value in enumerate(SOME)]
        add = Insert(ATTRIBUTE_VALUE, ATTRIBUTE_VALUE.names[:-1], add=("occurrences",))
        connection.change(add, rows)
        with counted() as statements:
            connection.change(add, rows[:3])
        assert len(statements) == 1
        sql = "SELECT entity, attribute, value_digest, value, occurrences FROM attribute_value ORDER BY entity"
        stored = rows_of(connection, sql)
        assert stored == [(*row, times * (1 + (number < 3))) for number, (*row, times) in enumerate(rows)]


def test_inserted_rows_get_keys_in_order() -> None:
    with connected() as connection:
        digests = [number.to_bytes(4) for number in np.random.default_rng(1).permutation(3_000).tolist()]
        connection.change(Insert(DOCUMENT, ("digest", "source")), [(d, d.hex()) for d in digests])
        assert [digest for (digest,) in rows_of(connection, "SELECT digest FROM document ORDER BY id")] == digests


def test_nulls_numbers_and_vectors_round_trip() -> None:
    with connected() as connection:
        vectors = HalfVector.each(np.eye(3, dtype=np.float32))
        rows = [(bytes([n]), 0, vector) for n, vector in enumerate(vectors)]
        for _ in range(2):
            connection.change(Insert(VECTOR_TABLE, ("digest", "uses", "data"), ignore=True), rows)
        assert rows_of(connection, "SELECT digest, uses, data FROM vector ORDER BY id") == rows
        calls = [("now", "ask", "m", 1, 2, 0, 0.5, None), ("now", "ask", "m", 1, 2, 1.5, 3, b"d")]
        columns = MODEL_CALL.names[1:]
        connection.change(Insert(MODEL_CALL, columns), calls)
        assert rows_of(connection, f"SELECT {', '.join(columns)} FROM model_call ORDER BY id") == calls


def test_one_statement_updates_and_deletes_many_rows() -> None:
    with connected() as connection:
        documents = [(bytes([number]), value, None) for number, value in enumerate(SOME)]
        connection.change(Insert(DOCUMENT, ("digest", "source", "current")), documents)
        with counted() as statements:
            connection.change(
                Update(DOCUMENT, where=("digest",), set=("current", "source")),
                [(10 * number, f"{source}!", digest) for number, (digest, source, _) in enumerate(documents)],
            )
            connection.change(Delete(DOCUMENT, ("digest",)), [(b"\0",), (b"x",)])
        assert len(statements) == 2
        stored = rows_of(connection, "SELECT digest, source, current FROM document ORDER BY digest")
        assert stored == [(bytes([number]), f"{value}!", 10 * number) for number, value in enumerate(SOME)][1:]


def test_two_changes_of_one_row_are_both_applied() -> None:
    with connected() as connection:
        connection.change(Insert(VECTOR_TABLE, ("digest", "uses", "data")), [(b"a", 1, VECTOR)])
        with counted() as statements:
            connection.change(
                Update(VECTOR_TABLE, where=("digest",), add=("uses",)), [(10, b"a"), (100, b"a"), (1_000, b"b")]
            )
        assert rows_of(connection, "SELECT uses FROM vector") == [(111,)] and len(statements) == 2
        add = Insert(ATTRIBUTE_VALUE, ATTRIBUTE_VALUE.names[:-1], add=("occurrences",))
        connection.change(add, [(1, "form", b"d", "a", 1), (1, "form", b"d", "a", 10)])
        assert rows_of(connection, "SELECT occurrences FROM attribute_value") == [(11,)]


def test_changes_by_digest_use_an_index() -> None:
    """Row-level security lets few conditions of a join use an index: else each row would read the whole table."""
    with connected() as connection:
        connection.execute(
            "INSERT INTO attribute_value (entity, attribute, value_digest, value, occurrences)"
            " SELECT 1, 'form', int8send(n), '', 1 FROM generate_series(1, 20000) n"
        )
        connection.execute("INSERT INTO entity_alias SELECT int8send(n), 1 FROM generate_series(1, 20000) n")
        for change in (
            Update(ATTRIBUTE_VALUE, where=("entity", "attribute", "value_digest"), set=("vector",)),
            Delete(ENTITY_ALIAS, ("digest", "entity")),
        ):
            bulk = bulk_statement(change)
            row = [{"value_digest": b"d", "digest": b"d", "attribute": "form"}.get(one, 1) for one in change.columns]
            explained = connection.execute(b"EXPLAIN " + bulk.sql, bulk.parameters([row])).fetchall()
            plan = "\n".join(line for (line,) in explained)
            assert " = v." in plan.partition("Index Cond")[2], plan


def test_batch_of_documents_takes_few_statements() -> None:
    taken = []
    for count in (8, 40):
        with Workspace(f"{postgres.server()}#{postgres.fresh()}", SETTINGS) as kb:
            kb.add(letters(3))
            with counted() as statements:
                kb.add([Document(f"more:{one.source}", one.title, one.text) for one in letters(count)])
            taken.append(len(statements))
    assert taken[1] < taken[0] + 16, taken


def test_incremental_topic_entities_equal_recomputed_ones() -> None:
    documents = [Document(one.source, "", one.text.partition(".")[0]) for one in letters(40)]
    with Workspace(f"{postgres.server()}#{postgres.fresh()}", SETTINGS) as kb:
        for start in range(0, 40, 8):
            kb.add(documents[start : start + 8])
        for one in documents[::9]:
            kb.delete(one.source)
        store = kb.store()
        assert isinstance(store, PostgresStore)
        with store._pooled_transaction() as connection:
            sql = "SELECT id, topic_entity FROM chunk ORDER BY id"
            before, contested = (
                rows_of(connection, sql),
                rows_of(connection, "SELECT DISTINCT chunk FROM topic_candidate"),
            )
            topic_entities.renew(connection, resolution_of(connection), (), [chunk for chunk, _ in before])
            assert rows_of(connection, sql) == before
        assert len(contested) > 5
        assert len({about for _, about in before}) > 3
