"""The house in docs/architecture.md: a room imports only from its own and from floors below it, and in no circle."""

import ast
from collections.abc import Iterator, Sequence
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import polyadic

ROOT = Path(polyadic.__file__).parent
FLOORS = (
    {"errors", "optional_dependencies", "concurrency", "tracing", "config", "model", "text"},
    {"storage"},
    {"llm"},
    {"embeddings"},
    {"rerankers"},
    {"loaders"},
    {"chunking"},
    {"extraction"},
    {"retrieval"},
    {"generation"},
    {"indexing"},
    {"hierarchy"},
    {"query"},
    {"resolution", "batch", "doctor"},
    {"workspace"},
    {"__init__"},
    {"evaluation", "interchange", "mcp", "integrations"},
    {"server"},
    {"cli"},
    {"__main__"},
)
STORE_FLOORS = ("sql", "memory", "sqlite postgres", "url")
"""Those of the store; what lies beside them is below them all."""
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def room_of(file: Path) -> str:
    return file.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_rooms(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "polyadic":
            parts = node.module.split(".")[1:]
            yield from [parts[0]] if parts else [a.name if a.name in FLOOR else "__init__" for a in node.names]


@pytest.mark.parametrize("file", sorted(ROOT.rglob("*.py")), ids=lambda file: str(file.relative_to(ROOT)))
def test_no_import_climbs(file: Path) -> None:
    room = room_of(file)
    climbs = {other for other in imported_rooms(file) if other != room and FLOOR[other] >= FLOOR[room] > 0}
    assert not climbs


def store_floor(parts: Sequence[str]) -> int:
    """Of a module of the store, by its name without ``polyadic.storage``."""
    return next((floor for floor, rooms in enumerate(STORE_FLOORS, 1) if parts and parts[0] in rooms.split()), 0)


@pytest.mark.parametrize("file", sorted((ROOT / "storage").rglob("*.py")), ids=lambda file: str(file.relative_to(ROOT)))
def test_no_import_climbs_within_the_store(file: Path) -> None:
    below = file.relative_to(ROOT / "storage").with_suffix("").parts
    nodes = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)]
    modules = [node.module or "" for node in nodes]
    named = [module.split(".")[2:] for module in modules if module.startswith("polyadic.storage.")]
    assert not [parts for parts in named if store_floor(parts) > store_floor(below)]
    engines = {parts[0] for parts in [below, *named] if store_floor(parts) == store_floor(["sqlite"])}
    assert len(engines) <= 1 or below[0] == "url"


def imported_files(file: Path) -> Iterator[Path]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "polyadic":
            place = ROOT.joinpath(*node.module.split(".")[1:])
            for name in [place, *(place / alias.name for alias in node.names)]:
                yield from (one for one in (name.with_suffix(".py"), name / "__init__.py") if one.exists())


def test_no_file_imports_itself_by_way_of_others() -> None:
    # What a package has of its own files belongs to it; who imports from it needs what it names, not the package.
    files = [file for file in ROOT.rglob("*.py") if file.name != "__init__.py"]
    TopologicalSorter({file: {one for one in imported_files(file) if one in files} for file in files}).prepare()
