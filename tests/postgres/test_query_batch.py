"""Several things are asked for in one statement, and each gets what it asked for."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from polyadic.storage.postgres.connection import PostgresConnection
from polyadic.storage.postgres.query_batch import FOUND, CommonTableExpression, QueryBatch, SubQuery, listed, parse_rows
from polyadic.storage.postgres.store import PostgresStore
from tests.postgres.test_statements import counted
from tests.support import postgres

Answers = dict[str, object]


@pytest.fixture
def connection() -> Iterator[PostgresConnection]:
    with closing(PostgresStore(postgres.address(postgres.fresh()), None)) as store, store._pool.connection() as raw:
        yield PostgresConnection(raw)


def part(
    answers: Answers, name: str, sql: str, *parameters: object, ground: CommonTableExpression | None = None
) -> SubQuery:
    return SubQuery(sql, parameters, lambda value: answers.update({name: value}), ground)


def test_subqueries_are_read_in_one_statement_with_their_ctes(connection: PostgresConnection) -> None:
    answers: Answers = {}
    few = CommonTableExpression("number", "SELECT generate_series(1, ?::int)", (3,))
    many = CommonTableExpression("number", "SELECT generate_series(?::int, ?::int)", (10, 20))
    sum_of = f"SELECT sum(number) + ? FROM {FOUND}"
    with counted() as statements:
        QueryBatch(connection).read(
            part(answers, "few", sum_of, 100, ground=few),
            None,
            part(answers, "plain", "SELECT ?::bigint", 7),
            part(answers, "many", sum_of, 200, ground=many),
            part(answers, "few again", f"SELECT max(number) FROM {FOUND}", ground=few),
        )
    assert answers == {"few": 106, "plain": 7, "many": 365, "few again": 3}
    assert len(statements) == 1 and statements[0].count("generate_series") == 2


def test_queued_subqueries_run_once_with_the_next_read(connection: PostgresConnection) -> None:
    answers: Answers = {}
    asking = QueryBatch(connection)
    with counted() as statements:
        asking.later(part(answers, "first", "SELECT ?::bigint", 1), None)
        asking.later(part(answers, "same", "SELECT ?::bigint", 2))
        asking.read(None)
        assert not answers
        asking.read(part(answers, "second", "SELECT ?::bigint", 2))
        asking.read_waiting()
    assert answers == {"first": 1, "second": 2} and len(statements) == 1


def test_empty_result_gives_an_empty_list(connection: PostgresConnection) -> None:
    answers: Answers = {}
    query = listed("number, 'a' || number", "FROM generate_series(1, ?::int) number", "number DESC")
    asking = QueryBatch(connection)
    asking.read(part(answers, "two", query, 2), part(answers, "none", query, 0))
    assert [parse_rows(value) for value in (answers["two"], answers["none"])] == [[[2, "a2"], [1, "a1"]], []]  # type: ignore[arg-type]
