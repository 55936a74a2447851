"""A question costs few round trips to the server, and no more where there is more to read."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from polyadic.knowledge import Document
from polyadic.settings import EmbeddingSettings, Settings
from polyadic.store.postgres.patience import PatientConnection
from polyadic.workspace import Workspace
from tests.support import postgres

SETTINGS = Settings(embedding=EmbeddingSettings(model="hashing"))
PEOPLE = ("Mira Falk", "Jonas Orth", "Ilse Brandt", "Karl Wegener", "Lena Torv")
PLACES = ("Turin", "Basel", "Lund")
MOST = {"walk": 26, "hypergraph": 22, "passages": 19, "chunks": 9}
"""Statements, those that begin and end a transaction among them."""


@contextmanager
def counted() -> Iterator[list[str]]:
    """What is run meanwhile."""
    run, statements = PatientConnection.execute, []

    def execute(connection: PatientConnection, query: bytes, *more: Any, **named: Any) -> Any:
        statements.append(str(query))
        return run(connection, query, *more, **named)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PatientConnection, "execute", execute)
        yield statements


def letters(count: int) -> list[Document]:
    """Every one of these people wrote to every other, in several places: all are hubs where there are many letters."""
    told = []
    for number in range(count):
        writer, reader = PEOPLE[number % 5], PEOPLE[(number + 1 + number // 5 % 4) % 5]
        text = f"{writer} wrote letter {number} to {reader} in {PLACES[number % 3]}. {reader} answered from Graz."
        told.append(Document(f"memory:{number}", f"Letter {number}", text))
    return told


@pytest.mark.parametrize("count", [3, 60])
def test_a_question_takes_few_statements_however_much_there_is(count: int) -> None:
    with Workspace(f"{postgres.server()}#{postgres.fresh()}", SETTINGS) as kb:
        kb.add(letters(count))
        for method, most in MOST.items():
            kb.retrieve("Who wrote to Mira Falk?", method)
            with counted() as statements:
                found = kb.retrieve("Where did Jonas Orth write to Lena Torv?", method)
            assert found.items
            assert len(statements) <= most, (method, statements)
