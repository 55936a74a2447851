"""A question costs few round trips to the server, and no more where there is more to read."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.model.types import Document
from polyadic.storage.postgres import row_cache
from polyadic.storage.postgres.keepalive import KeepaliveConnection
from polyadic.storage.postgres.row_reader import PostgresRowReader
from polyadic.workspace import Workspace
from tests.support import postgres

SETTINGS = Settings(embedding=EmbeddingSettings(model="hashing"))
PEOPLE = ("Mira Falk", "Jonas Orth", "Ilse Brandt", "Karl Wegener", "Lena Torv")
PLACES = ("Turin", "Basel", "Lund")
MOST = {"walk": 19, "hypergraph": 19, "local": 22, "hipporag2": 16, "chunks": 9}
"""Statements: among them those that begin and end a transaction, two that read how an unknown word is spelled, one that
reads the passages of which others are as long, and one that reads the details of facts."""


@contextmanager
def counted() -> Iterator[list[str]]:
    """List the statements that are run meanwhile."""
    run = KeepaliveConnection.execute
    statements: list[str] = []

    def execute(connection: KeepaliveConnection, query: bytes, *more: Any, **named: Any) -> Any:
        statements.append(str(query))
        return run(connection, query, *more, **named)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(KeepaliveConnection, "execute", execute)
        yield statements


def letters(count: int) -> list[Document]:
    """Every one of these people wrote to every other, in several places: all are hubs where there are many letters."""
    documents = []
    for number in range(count):
        writer, reader = PEOPLE[number % 5], PEOPLE[(number + 1 + number // 5 % 4) % 5]
        text = f"{writer} wrote letter {number} to {reader} in {PLACES[number % 3]}. {reader} answered from Graz."
        documents.append(Document(f"memory:{number}", f"Letter {number}", text))
    return documents


@pytest.mark.parametrize("count", [3, 60])
def test_query_takes_a_bounded_number_of_statements(count: int) -> None:
    with Workspace(f"{postgres.server()}#{postgres.fresh()}", SETTINGS) as kb:
        kb.add(letters(count))
        for method, most in MOST.items():
            kb.retrieve("Who wrote to Mira Falk?", method)
            with counted() as statements:
                found = kb.retrieve("Where did Jonas Orth write to Lena Torv?", method)
            assert found.items
            assert len(statements) <= most, (method, statements)


def test_deletion_takes_as_many_statements_for_many_facts_as_for_few() -> None:
    with Workspace(f"{postgres.server()}#{postgres.fresh()}", SETTINGS) as kb:
        counts = []
        for number, sentences in enumerate((2, 20)):
            towns = [f"Town{number}{one}" for one in range(2 * sentences)]
            text = " ".join(
                f"Letter {one} went from {towns[2 * one]} to {towns[2 * one + 1]}." for one in range(sentences)
            )
            kb.add([Document(f"memory:{number}", f"Letters {number}", text)])
            with counted() as statements:
                kb.delete(f"memory:{number}")
            counts.append(len(statements))
        assert counts[0] == counts[1], counts


def test_full_scan_uses_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    with Workspace(f"{postgres.server()}#{postgres.fresh()}", SETTINGS) as kb:
        kb.add(letters(60))
        with kb.store().read() as reader:
            facts, entities = reader.rows("fact"), reader.rows("entity")
            expected = [
                reader.facts(facts),
                reader.entities(entities),
                reader.links("fact_entities", facts).targets.tolist(),
            ]
        monkeypatch.setattr(row_cache, "MOST_BYTES", 500)
        monkeypatch.setattr(row_cache, "MOST_OBJECTS", 3)
        with kb.store().read() as reader:
            by_page = [
                [one for page in np.array_split(rows, 9) for one in fetch(page)]
                for rows, fetch in (
                    (facts, reader.facts),
                    (entities, reader.entities),
                    (facts, lambda page: reader.links("fact_entities", page).targets.tolist()),
                )
            ]
            assert isinstance(reader, PostgresRowReader)
            assert len(reader._entities._records) <= 3 + len(entities) // 9 + 1
            assert len(reader._facts._records) <= 3 + len(facts) // 9 + 1
            assert reader._links["fact_entities", None]._records.nbytes < 3_000
            assert reader._numbers["entity"]._records.nbytes < 1_000
            again = reader.links("fact_entities", np.concatenate([facts, facts[:1]])).targets
        assert by_page == expected and again[: len(expected[2])].tolist() == expected[2]
