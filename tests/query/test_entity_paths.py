"""Shortest paths between entities: as long as exhaustive search finds them, and through visible facts only."""

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from polyadic.model.identity import entity_id, entity_key
from polyadic.query import entity_paths
from polyadic.query.entity_paths import MOST_FACTS, EntityPath, shortest_path
from polyadic.storage.protocol import Reader
from polyadic.storage.sqlite.store import SqliteStore
from tests.support.store_driver import WrittenFact, publish


def row(reader: Reader, name: str) -> int:
    (found,) = reader.rows("entity", entity_id(entity_key(name)), 1).tolist()
    return int(found)


def names(reader: Reader, path: EntityPath | None) -> list[str]:
    return [] if path is None else [one.name for one in reader.entities(np.array(path.entities))]


def between(reader: Reader, start: str, goal: str) -> list[str]:
    return names(reader, shortest_path(reader, row(reader, start), row(reader, goal)))


def chain(length: int) -> list[WrittenFact]:
    return [(f"Thing {n} met thing {n + 1}.", [f"Thing {n}", f"Thing {n + 1}"]) for n in range(length)]


def distances(statements: list[WrittenFact], start: str) -> dict[str, int]:
    """By exhaustive search, the number of facts from an entity to each other one."""
    found, ring = {start: 0}, {start}
    while ring:
        ring = {name for _, joined in statements if ring & {*joined} for name in joined} - found.keys()
        found |= dict.fromkeys(ring, max(found.values()) + 1)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_paths_are_shortest(tmp_path: Path, seed: int) -> None:
    drawn = random.Random(seed)
    things = [f"Thing {number}" for number in range(40)]
    statements: list[WrittenFact] = [(f"Statement {n}.", drawn.sample(things, drawn.randint(2, 4))) for n in range(22)]
    store = SqliteStore(tmp_path, "drawn-16")
    publish(store, "all", statements)
    named = sorted({name for _, joined in statements for name in joined})
    lengths = set()
    with store.read() as reader:
        members = {one.text: {*one.entities} for one in reader.facts(reader.rows("fact"))}
        for start in named[:6]:
            for goal in named:
                path = shortest_path(reader, row(reader, start), row(reader, goal))
                expected = distances(statements, start).get(goal)
                if expected is None or expected > MOST_FACTS:
                    assert path is None
                    continue
                assert path is not None and len(path.facts) == expected
                lengths.add(expected)
                steps = zip(pairwise(names(reader, path)), reader.facts(np.array(path.facts, dtype=int)), strict=True)
                assert all({*pair} <= members[fact.text] for pair, fact in steps)
                assert (names(reader, path)[0], names(reader, path)[-1]) == (start, goal)
    store.close()
    assert {0, 1, 2, 3} <= lengths


def test_search_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(tmp_path, "drawn-16")
    publish(store, "all", [*chain(MOST_FACTS + 1), ("Nobody met London.", ["Nobody", "London"])])
    with store.read() as reader:
        assert len(between(reader, "Thing 0", f"Thing {MOST_FACTS}")) == MOST_FACTS + 1
        assert between(reader, "Thing 0", f"Thing {MOST_FACTS + 1}") == []
        assert between(reader, "Thing 0", "London") == []
        monkeypatch.setattr(entity_paths, "_MOST_ENTITIES", 3)
        assert between(reader, "Thing 0", f"Thing {MOST_FACTS}") == []
    store.close()


def test_filtered_reader_finds_no_path_through_hidden_facts(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path, "drawn-16")
    visible = publish(store, "visible", chain(3))
    publish(store, "hidden", [("Thing 0 met thing 3.", ["Thing 0", "Thing 3"])])
    with store.read() as reader:
        assert between(reader, "Thing 0", "Thing 3") == ["Thing 0", "Thing 3"]
    with store.read(lambda _: frozenset([visible.id])) as reader:
        assert between(reader, "Thing 0", "Thing 3") == [f"Thing {number}" for number in range(4)]
    store.close()
