"""What is shown and embedded of an entity is what is said of it most often, and a hub is not read as a whole for it."""

import random
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.storage.sqlite.store import SqliteStore
from tests.support.store_driver import publish_documents, withdraw

FEW, MANY = 100, 3_000


def describing(name: str, descriptions: Sequence[str]) -> tuple[Document, list[Chunk], list[Evidence]]:
    """A document of one chunk, in which Ada is described like this, in one fact each."""
    text = f"Ada met {name}."
    evidence = [
        Evidence(
            f"{text} {number}",
            8.0,
            (Participation("Ada", "person", description, 60.0), Participation(name, "thing", "", 60.0)),
            (Span(0, len(text)),),
            "by hand",
        )
        for number, description in enumerate(descriptions)
    ]
    source = Document(f"/docs/{name}.txt", "", text)
    return source, [Chunk(source.id, Span(0, len(text)), text, 4, 0)], evidence


def shown(store: SqliteStore) -> str:
    with store.read() as reader:
        (ada,) = reader.entities(np.array(reader.named(["ada"])["ada"]))
    return ada.description


@pytest.mark.parametrize("seed", range(6))
def test_embedded_forms_are_correct_after_any_history(tmp_path: Path, seed: int) -> None:
    """More descriptions than have vectors come and go, each said a few times."""
    draw = random.Random(seed)
    known: list[Document] = []
    with closing(SqliteStore(tmp_path, "test vectors")) as store:
        for step in range(30):
            if known and draw.random() < 0.4:
                withdraw(store, known.pop(draw.randrange(len(known))))
            else:
                said = draw.choices([f"description {n}" for n in range(20)], k=draw.randint(1, 6))
                known += publish_documents(store, [describing(f"Bolt{step}", said)])
            assert store.problems() == []


def test_next_form_is_displayed_when_the_most_frequent_decreases(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path, "test vectors")) as store:
        (most,) = publish_documents(store, [describing("Bolt", ["Z", "Z", "Z"])])
        publish_documents(store, [describing("Weiss", ["B", "B"]), describing("Mill", ["C", "C"])])
        assert shown(store) == "Z"
        withdraw(store, most)
        assert shown(store) == "B"
        publish_documents(store, [describing("Turin", ["C"])])
        assert shown(store) == "C"
        assert store.problems() == []


def test_update_cost_does_not_grow_with_the_number_of_forms(tmp_path: Path) -> None:
    steps = []
    for descriptions in (FEW, MANY):
        with closing(SqliteStore(tmp_path / str(descriptions), "test vectors")) as store:
            publish_documents(store, [describing("Bolt", [f"description {n:05d}" for n in range(descriptions)])])
            counted = [0]

            def count(counted: list[int] = counted) -> int:
                counted[0] += 1
                return 0

            store._writer.set_progress_handler(count, 100)
            publish_documents(store, [describing("Weiss", ["description 00007", "another"])])
            store._writer.set_progress_handler(None, 0)
            steps.append(counted[0])
            assert store.problems() == []
    few, many = steps
    assert many < 1.2 * few, steps
