"""What is written by one statement for many rows, and what is kept in step with it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import numpy as np

from polyadic.config import EmbeddingSettings, Settings
from polyadic.model.types import Document
from polyadic.storage.postgres import topic_entities
from polyadic.storage.postgres.bulk import BulkStatement
from polyadic.storage.postgres.connection import PostgresConnection
from polyadic.storage.postgres.dialect import translated
from polyadic.storage.postgres.store import PostgresStore
from polyadic.storage.sql.half_precision import HalfVector
from polyadic.storage.sql.serialization import overlay_of
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
        store._pool.connection() as raw,
        store._transaction(raw) as connection,
    ):
        yield connection


def rows_of(connection: PostgresConnection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql).fetchall()


def test_one_statement_inserts_many_rows() -> None:
    with connected() as connection:
        said = [(number, "form", value, number + 1) for number, value in enumerate(SOME)]
        statement = (
            "INSERT INTO attribute_value (entity, attribute, value, occurrences) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (entity, attribute, value) DO UPDATE SET occurrences = attribute_value.occurrences"
            " + excluded.occurrences"
        )
        connection.executemany(statement, said)
        with counted() as statements:
            connection.executemany(statement, said[:3])
        assert len(statements) == 1
        told = rows_of(connection, "SELECT entity, attribute, value, occurrences FROM attribute_value ORDER BY entity")
        assert told == [(*row, times * (1 + (number < 3))) for number, (*row, times) in enumerate(said)]


def test_inserted_rows_get_keys_in_order() -> None:
    with connected() as connection:
        digests = [number.to_bytes(4) for number in np.random.default_rng(1).permutation(3_000).tolist()]
        connection.executemany("INSERT INTO document (digest, source) VALUES (?, ?)", [(d, d.hex()) for d in digests])
        assert [digest for (digest,) in rows_of(connection, "SELECT digest FROM document ORDER BY id")] == digests


def test_nulls_numbers_and_vectors_round_trip() -> None:
    with connected() as connection:
        vectors = HalfVector.each(np.eye(3, dtype=np.float32))
        rows = [(bytes([n]), vector) for n, vector in enumerate(vectors)]
        connection.executemany("INSERT INTO vector (digest, uses, data) VALUES (?, 0, ?) ON CONFLICT DO NOTHING", rows)
        assert rows_of(connection, "SELECT digest, data FROM vector ORDER BY id") == rows
        calls = [("now", "ask", "m", 1, 2, 0, 0.5, None), ("now", "ask", "m", 1, 2, 1.5, 3, b"d")]
        columns = "at, purpose, model, prompt_tokens, completion_tokens, money, seconds, document"
        connection.executemany(f"INSERT INTO model_call ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", calls)
        assert rows_of(connection, f"SELECT {columns} FROM model_call ORDER BY id") == calls


def test_one_statement_updates_and_deletes_many_rows() -> None:
    with connected() as connection:
        documents = [(bytes([number]), value, None) for number, value in enumerate(SOME)]
        connection.executemany("INSERT INTO document (digest, source, current) VALUES (?, ?, ?)", documents)
        with counted() as statements:
            connection.executemany(
                "UPDATE document SET current = ?, source = ? WHERE digest = ?",
                [(10 * number, f"{source}!", digest) for number, (digest, source, _) in enumerate(documents)],
            )
            connection.executemany("DELETE FROM document WHERE current IS NOT NULL AND digest = ?", [(b"\0",), (b"x",)])
        assert len(statements) == 2
        told = rows_of(connection, "SELECT digest, source, current FROM document ORDER BY digest")
        assert told == [(bytes([number]), f"{value}!", 10 * number) for number, value in enumerate(SOME)][1:]


def test_two_changes_of_one_row_are_both_applied() -> None:
    with connected() as connection:
        connection.executemany("INSERT INTO vector (digest, uses, data) VALUES (?, 1, ?)", [(b"a", VECTOR)])
        changes = [(10, b"a"), (100, b"a"), (1_000, b"b")]
        with counted() as statements:
            connection.executemany("UPDATE vector SET uses = uses + ? WHERE digest = ?", changes)
        assert rows_of(connection, "SELECT uses FROM vector") == [(111,)] and len(statements) == 2
        counted_twice = (
            "INSERT INTO attribute_value (entity, attribute, value, occurrences) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (entity, attribute, value) DO UPDATE SET occurrences = attribute_value.occurrences"
            " + excluded.occurrences"
        )
        connection.executemany(counted_twice, [(1, "form", "a", 1), (1, "form", "a", 10)])
        assert rows_of(connection, "SELECT occurrences FROM attribute_value") == [(11,)]


def test_rows_found_by_long_text_are_changed_one_by_one() -> None:
    """In a join, row-level security would let no index be used for it: all that a hub has would be read for each."""
    with connected() as connection:
        for sql, row in (
            (
                "UPDATE attribute_value SET occurrences = ? WHERE entity = ? AND attribute = 'form' AND value = ?",
                (2, 1, "a"),
            ),
            ("DELETE FROM entity_alias WHERE alias = ? AND entity = ?", ("a", 1)),
        ):
            assert BulkStatement.known(translated(sql).sql.decode(), connection._connection) is None
            index = connection.execute(f"EXPLAIN {sql}", row).fetchall()
            assert any("Index Cond" in line and "_digest = " in line for (line,) in index), index


def test_batch_of_documents_takes_few_statements() -> None:
    taken = []
    for count in (8, 40):
        with Workspace(f"{postgres.server()}#{postgres.fresh()}", SETTINGS) as kb:
            kb.add(letters(3))
            with counted() as statements:
                kb.add([Document(f"more:{one.source}", one.title, one.text) for one in letters(count)])
            # What is found by a long text is changed row by row.
            taken.append(sum("_digest = short_digest(" not in one for one in statements))
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
        with store._pool.connection() as raw, store._transaction(raw) as connection:
            sql = "SELECT id, topic_entity FROM chunk ORDER BY id"
            before, contested = (
                rows_of(connection, sql),
                rows_of(connection, "SELECT DISTINCT chunk FROM topic_candidate"),
            )
            topic_entities.renew(connection, overlay_of(connection), (), [chunk for chunk, _ in before])
            assert rows_of(connection, sql) == before
        assert len(contested) > 5
        assert len({about for _, about in before}) > 3
