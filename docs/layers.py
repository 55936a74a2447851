"""Write the table of layers in docs/architecture.md from the contract in pyproject.toml: ``python docs/layers.py``."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
_TABLE = re.compile(r"(<!-- layers: python docs/layers.py -->\n).*?(<!-- end of layers -->)", re.DOTALL)
_SEPARATOR = re.compile(r"\s*[|:]\s*")


def table() -> str:
    """Return the layers, highest first: each package or module with the first line of its docstring."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    rows = [
        f"| {len(layers) - number} | `{name}` | {_summary(name)} |"
        for number, layer in enumerate(layers, 1)
        for name in _SEPARATOR.split(layer)
    ]
    return "\n".join(["| layer | package or module | purpose |", "|---|---|---|", *rows]) + "\n"


def with_table(page: str) -> str:
    """Return a page with its table of layers written anew."""
    return _TABLE.sub(lambda found: found[1] + table() + found[2], page)


def _summary(name: str) -> str:
    folder = ROOT / "src" / "polyadic" / name
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n\n")[0].replace("\n", " ").replace("``", "`")


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
