"""Several queries run in one statement, and rows are read once."""

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from polyadic.storage.postgres.connection import PostgresConnection
from polyadic.storage.postgres.query_batch import FOUND, CommonTableExpression, QueryBatch, listed, parse_rows
from polyadic.storage.postgres.row_cache import ROWS, RowCache
from polyadic.storage.postgres.store import PostgresStore
from polyadic.storage.sql.encoding import text_digest
from tests.postgres.test_statements import counted
from tests.support import postgres
from tests.support.store_driver import publish

Answers = dict[str, object]


@pytest.fixture
def connection() -> Iterator[PostgresConnection]:
    with closing(PostgresStore(postgres.address(postgres.fresh()), None)) as store, store._pool.connection() as one:
        yield one


def queue(
    batch: QueryBatch,
    answers: Answers,
    name: str,
    sql: str,
    *parameters: object,
    source: CommonTableExpression | None = None,
) -> None:
    batch.later(sql, parameters, lambda value: answers.update({name: value}), source)


def test_subqueries_are_read_in_one_statement_with_their_ctes(connection: PostgresConnection) -> None:
    answers: Answers = {}
    few = CommonTableExpression("number", "SELECT generate_series(1, ?::int)", (3,))
    many = CommonTableExpression("number", "SELECT generate_series(?::int, ?::int)", (10, 20))
    sum_of = f"SELECT sum(number) + ? FROM {FOUND}"
    batch = QueryBatch(connection)
    with counted() as statements:
        queue(batch, answers, "few", sum_of, 100, source=few)
        queue(batch, answers, "plain", "SELECT ?::bigint", 7)
        queue(batch, answers, "many", sum_of, 200, source=many)
        last = batch.read(f"SELECT max(number) FROM {FOUND}", (), few)
    assert answers == {"few": 106, "plain": 7, "many": 365} and last == 3
    assert len(statements) == 1 and statements[0].count("generate_series") == 2


def test_queued_subqueries_run_once_with_the_next_read(connection: PostgresConnection) -> None:
    answers: Answers = {}
    batch = QueryBatch(connection)
    with counted() as statements:
        queue(batch, answers, "first", "SELECT ?::bigint", 1)
        assert not answers
        assert batch.read("SELECT ?::bigint", (2,)) == 2
        batch.run()
    assert answers == {"first": 1} and len(statements) == 1


def test_rows_are_read_once(connection: PostgresConnection) -> None:
    batch = QueryBatch(connection)
    numbers = f"SELECT string_agg(int8send(row) || int8send(10 * row), '') FROM unnest({ROWS}) row"
    cache = RowCache(batch, [("number", ">i8")], numbers)
    with counted() as statements:
        assert cache.prefetch(np.array([3, 1])).tolist() == [1, 3]
        assert cache.prefetch(np.array([1, 2])).tolist() == [2]
        records, owners = cache.of(np.array([3, 2, 3]))
        assert records["number"].tolist() == [30, 20, 30] and owners.tolist() == [0, 1, 2]
        cache.of(np.array([1]))
    assert len(statements) == 1
    with counted() as statements:
        assert cache.of(np.array([4, 1]))[0]["number"].tolist() == [40, 10]
    assert len(statements) == 1


def test_empty_result_gives_an_empty_list(connection: PostgresConnection) -> None:
    query = listed("number, 'a' || number", "FROM generate_series(1, ?::int) number", "number DESC")
    batch = QueryBatch(connection)
    assert [parse_rows(batch.read(query, (count,))) for count in (2, 0)] == [[[2, "a2"], [1, "a1"]], []]


def test_entity_found_by_two_names_has_its_chunks_once() -> None:
    with closing(PostgresStore(postgres.address(postgres.fresh()), "test vectors")) as store:
        publish(store, "ada", [("Ada met Bolt.", ["Ada", "Bolt"])], title="Ada")
        with store.write() as writer:
            sql = "INSERT INTO entity_alias (digest, entity) SELECT ?, id FROM entity WHERE key = 'ada'"
            writer._connection.execute(sql, (text_digest("countess"),))  # type: ignore[attr-defined]
        with store.read() as reader:
            named = reader.named(["ada", "countess"])
            assert named["ada"] == named["countess"]
            assert len(reader.links("topic_chunks", np.array(named["ada"]), 3).targets) == 1
