"""Which names are joined while a question is answered, and which are kept apart."""

from pathlib import Path

import numpy as np
import pytest

from polyadic.model.identity import entity_key
from polyadic.retrieval.alias_expansion import expand_aliases
from polyadic.storage.sqlite.store import SqliteStore
from tests.support.lookups import keyed
from tests.support.store_driver import publish

TITLES = ("Gundobad", "Lothair II", "Mercury (planet)", "John Ince (actor)")


@pytest.mark.parametrize(
    ("name", "joined"),
    [
        ("king Gundobad", ["Gundobad"]),
        ("Lothair II of Lotharingia", ["Lothair II"]),
        ("Mercury (element)", []),
        ("Burgundy", []),
        ("kingdom of Burgundy", []),
    ],
)
def test_longer_name_is_an_alias_of_the_title_only(tmp_path: Path, name: str, joined: list[str]) -> None:
    store = SqliteStore(tmp_path, "test vectors")
    for title in TITLES:
        publish(store, title, [(f"{title} was there.", [title, "there"])], title)
    publish(store, "other", [(f"{name} met Clovis in Burgundy.", [name, "Clovis", "Burgundy"])])
    with store.read() as reader:
        row = np.array([keyed(reader, [name.lower()])[name.lower()]])
        assert [entity.name for entity in reader.entities(expand_aliases(row, reader).targets)] == joined
    store.close()


def test_qualified_title_refers_to_the_unqualified_name(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path, "test vectors")
    publish(store, "ince", [("John Ince acted.", ["John Ince", "film"])], "John Ince (actor)")
    with store.read() as reader:
        ince = np.array([keyed(reader, ["john ince"])["john ince"]])
        assert [p.title for p in reader.chunk_places(reader.links("topic_chunks", ince, 3).targets)] == [
            "John Ince (actor)"
        ]
    store.close()


@pytest.mark.parametrize(
    ("name", "joined"),
    [
        ("King Dikkha", ["Min Dikkha"]),
        ("Dikkha", ["Min Dikkha"]),
        ("R. A. Stemmle", ["Robert Adolf Stemmle"]),
        ("Robert Stemmle", ["Robert Adolf Stemmle"]),
        ("Mira Falk", []),
        ("King Falk", []),
    ],
)
def test_topic_is_found_by_a_shorter_or_rare_name(tmp_path: Path, name: str, joined: list[str]) -> None:
    store = SqliteStore(tmp_path, "test vectors")
    for subject in ("Min Dikkha", "Robert Adolf Stemmle", "Ada Falk"):
        publish(store, subject, [(f"{subject} was there.", [subject, "there"]), (f"{subject} left.", [subject, "it"])])
    for n in range(4):
        publish(store, f"family-{n}", [(f"Falk number {n} met nobody in Lund.", ["Lund", str(n)])])
    publish(store, "other", [(f"{name} met Clovis in Burgundy.", [name, "Clovis", "Burgundy"])])
    with store.read() as reader:
        row = np.array([keyed(reader, [entity_key(name)])[entity_key(name)]])
        assert [entity.name for entity in reader.entities(expand_aliases(row, reader).targets)] == joined
    store.close()
