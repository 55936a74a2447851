"""Small documents about people and towns, and workspaces in which a test server's model writes their hierarchy.

Facts are read without a model, so every call of the server is about the hierarchy.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from polyadic.config import ExtractionSettings, HierarchyBuildSettings, Settings
from polyadic.model.hierarchy import Hierarchy
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.model_server import ModelServer
from tests.support.with_a_model import HASHING, settings

_FIRST = ("Mira", "Jonas", "Ilse", "Pavel", "Clara", "Emil", "Ruth", "Otto", "Vera", "Anton", "Lena", "Marek")
_LAST = ("Falk", "Brandt", "Orth", "Novak", "Weiss", "Kessler", "Lindt", "Sorel", "Varga", "Holm", "Tesar", "Quist")
_TOWNS = tuple(f"{a}{b}" for a in ("Osk", "Lun", "Brn", "Grau", "Tur") for b in ("dorf", "burg", "hafen", "feld"))


def document(number: int) -> Document:
    """One of any number: a person of their own, a bridge of their own, a town that many have."""
    town, other = _TOWNS[number % 20], _TOWNS[(number * 7 + 1) % 20]
    person = f"{_FIRST[number % 12]} {_LAST[number // 12 % 12]} {number}"
    bridge = f"Bridge {number}"
    text = (
        f"{person} was born in {town} and joined the {town} Works. "
        f"{person} built the {bridge} from {town} to {other} for the {town} Works."
    )
    return Document(source_of(number), "", text)


def source_of(number: int) -> str:
    return f"memory:{number}"


def documents(first: int, after: int) -> list[Document]:
    return [document(number) for number in range(first, after)]


def by_model(server: ModelServer, hierarchy_build: HierarchyBuildSettings | None = None, **model: Any) -> Settings:
    """Settings under which sentences are facts, and the server's model writes summaries and reports."""
    given = settings(server, ExtractionSettings(extractor="sentences"), **model)
    return given.model_copy(update={"hierarchy_build": hierarchy_build or HierarchyBuildSettings()})


def without_a_model(hierarchy_build: HierarchyBuildSettings | None = None) -> Settings:
    return Settings(embedding=HASHING, hierarchy_build=hierarchy_build or HierarchyBuildSettings())


@contextmanager
def workspace(folder: Path, given: Settings, number: int = 0) -> Iterator[Workspace]:
    """A workspace with so many of the documents."""
    with Workspace(folder, given) as kb:
        if number:
            kb.add(documents(0, number))
        yield kb


def hierarchy_of(kb: Workspace) -> Hierarchy:
    with kb.store().read() as reader:
        return reader.records.hierarchy()


def words_of(hierarchy: Hierarchy) -> str:
    """All that it says."""
    said = [f"{one.name} {one.type} {one.description}" for one in hierarchy.summaries]
    return "\n".join([*said, *(one.report.text for one in hierarchy.communities if one.report)])
