"""docs/architecture.md has the layers that `make lint` checks imports by, and no import is circular."""

import ast
import importlib.util
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from types import ModuleType

import polyadic

PROJECT = Path(__file__).parent.parent
ROOT = Path(polyadic.__file__).parent


def test_documented_layers_equal_the_import_contract() -> None:
    layers = script("docs/layers.py")
    page = layers.PAGE.read_text(encoding="utf-8")
    assert "| 0 | `text` |" in page
    assert page == layers.with_table(page), "run: python docs/layers.py"


def script(name: str) -> ModuleType:
    """A script of the project as a module."""
    spec = importlib.util.spec_from_file_location(Path(name).stem, PROJECT / name)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def imported_files(file: Path) -> Iterator[Path]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "polyadic":
            place = ROOT.joinpath(*node.module.split(".")[1:])
            for name in [place, *(place / alias.name for alias in node.names)]:
                yield from (one for one in (name.with_suffix(".py"), name / "__init__.py") if one.exists())


def test_there_are_no_import_cycles() -> None:
    # A package's own modules belong to it; importing one of them does not need the others.
    files = {file for file in ROOT.rglob("*.py") if file.name != "__init__.py"}
    TopologicalSorter({file: files.intersection(imported_files(file)) for file in files}).prepare()
