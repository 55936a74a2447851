"""Mutation-test formulas, for docs/mutation-testing.md: ``python -m benchmarks.mutation [MODULE ...]``.

mutmut changes one expression at a time and runs the tests that call the changed function. ``[tool.mutmut]`` of
pyproject.toml names the modules and the tests. A MODULE is one of these, such as ``retrieval/fusion``; without any, all
are tested and the tables of the page are written. Exits with 1 if a mutant survives that
benchmarks/equivalent_mutants.tsv does not explain.
"""

import argparse
import ast
import csv
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutmut.__main__ import cli
from mutmut.configuration import config
from mutmut.mutation import mutators
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.format_utils import orig_function_and_class_names_from_key

ROOT = Path(__file__).parent.parent
EXPLAINED = Path(__file__).parent / "equivalent_mutants.tsv"
PAGE = ROOT / "docs" / "mutation-testing.md"
_PACKAGE = Path("src/polyadic")
_SECTION = re.compile(r"(<!-- mutants: python -m benchmarks.mutation -->\n).*?(<!-- end of mutants -->)", re.DOTALL)
_TOKEN = re.compile(r"\w+|\s+|.")
_CONTEXT = 8
_KILLED = ("killed", "timeout", "segfault")
_OPERATORS = (
    mutators.operator_number,
    mutators.operator_augmented_assignment,
    mutators.operator_remove_unary_ops,
    mutators.operator_keywords,
    mutators.operator_swap_op,
    mutators.operator_if_exp,
)
_CHECKS = {"dtype", "strict"}
"""Arguments that change no value in a formula."""


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that no test kills; ``change`` is the changed expression before and after."""

    path: Path
    line: int
    function: str
    change: str

    @property
    def key(self) -> tuple[str, str]:
        return f"{_name(self.path)}:{self.function}", self.change


@dataclass(frozen=True, slots=True)
class ModuleResult:
    """The mutants of a module."""

    path: Path
    mutants: int
    survivors: Sequence[Survivor]


def restrict_operators() -> None:
    """Leave only mutations of formulas.

    Strings and assigned values are left alone, and no value is replaced by None: almost every such mutant fails with an
    exception, which says nothing about a formula.
    """
    operators: Any = mutators.mutation_operators
    kept = [pair for pair in operators if pair[1] in _OPERATORS]
    call = next(kind for kind, operator in operators if operator is mutators.operator_arg_removal)
    operators[:] = [*kept, (call, _without_an_argument)]


def _without_an_argument(call: Any) -> Iterator[Any]:
    for removed, shorter in zip(call.args, _shorter(call), strict=False):
        if removed.keyword is None or removed.keyword.value not in _CHECKS:
            yield shorter


def _shorter(call: Any) -> list[Any]:
    return [mutant for mutant in mutators.operator_arg_removal(call) if len(mutant.args) < len(call.args)]


def forget_survivors(paths: Iterable[Path]) -> None:
    """Have mutants tested again that were not killed; mutmut keeps results until the function changes."""
    for path in paths:
        results = SourceFileMutationData(path=path)
        results.load()
        if results.exit_code_by_key:
            codes: dict[str, int | None] = results.exit_code_by_key
            results.exit_code_by_key = {name: code if _is_killed(code) else None for name, code in codes.items()}
            results.save()


def _is_killed(code: int | None) -> bool:
    return status_by_exit_code[code] in _KILLED


def result_of(path: Path) -> ModuleResult:
    """Read the results of a module."""
    results = SourceFileMutationData(path=path)
    results.load()
    codes: Mapping[str, int | None] = results.exit_code_by_key
    survived = [name for name, code in codes.items() if not _is_killed(code)]
    return ModuleResult(path, len(codes), [_survivor(path, name) for name in survived])


def _survivor(path: Path, mutant: str) -> Survivor:
    function, owner = orig_function_and_class_names_from_key(mutant)
    name = f"{owner}.{function}" if owner else function
    hunk = re.split(r"^@@ -(\d+).*\n", get_diff_for_mutant(mutant, path=path), maxsplit=1, flags=re.MULTILINE)
    lines = hunk[2].splitlines()
    before = [line[1:].strip() for line in lines if line.startswith("-")]
    after = [line[1:].strip() for line in lines if line.startswith("+")]
    offset = next(place for place, line in enumerate(lines) if line.startswith(("-", "+")))
    return Survivor(path, _first_line(path, name) + int(hunk[1]) - 1 + offset, name, change(*before[:1], *after[:1]))


def _first_line(path: Path, name: str) -> int:
    nodes: Iterable[Any] = ast.parse(path.read_text(encoding="utf-8")).body
    for part in name.split("."):
        node = next(node for node in nodes if getattr(node, "name", None) == part)
        nodes = node.body
    return int(node.lineno)


def change(before: str, after: str) -> str:
    """Return what differs between two lines, with a few tokens around it.

    >>> change("if members < 2 and n:", "if members <= 2 and n:")
    'if members < 2 and n: → if members <= 2 and n:'
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    same = _shared(old, new)
    last = _shared(old[same:][::-1], new[same:][::-1])
    parts = (line[max(same - _CONTEXT, 0) : len(line) - last + _CONTEXT] for line in (old, new))
    return " → ".join("".join(part).strip() for part in parts)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many first tokens are the same."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def explanations() -> dict[tuple[str, str], str]:
    """Read why mutants are equivalent, by function and change."""
    with EXPLAINED.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {(row["function"], row["change"]): row["reason"] for row in rows}


def tables(results: Sequence[ModuleResult], reasons: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """Yield the lines of both tables: the mutants by module, and the survivors with their reasons."""
    yield "| module | mutants | killed | survived |"
    yield "|---|---:|---:|---:|"
    for one in results:
        yield _row(f"`{_name(one.path)}`", one.mutants, len(one.survivors))
    yield _row("all", sum(one.mutants for one in results), sum(len(one.survivors) for one in results))
    yield ""
    for survivor in (survivor for one in results for survivor in one.survivors):
        function, changed = survivor.key
        yield f"- `{function}`: `{changed.replace(' → ', '` → `')}`: {reasons.get(survivor.key, 'not explained')}"


def _row(name: str, mutants: int, survived: int) -> str:
    return f"| {name} | {mutants} | {mutants - survived} | {survived} |"


def _name(path: Path) -> str:
    return str(path.relative_to(_PACKAGE).with_suffix(""))


def main() -> int:
    """Run the mutants of the modules that the command line names."""
    parser = argparse.ArgumentParser("python -m benchmarks.mutation", description=(__doc__ or "").partition("\n\n")[2])
    os.chdir(ROOT)
    paths = [Path(path) for path in config().only_mutate]
    names = [_name(path) for path in paths]
    parser.add_argument("module", nargs="*", choices=[*names, []], metavar="MODULE", help=", ".join(names))
    parser.add_argument("--processes", type=int, default=1, help="mutants tested at once (default: 1)")
    options = parser.parse_args()
    chosen = [path for path, name in zip(paths, names, strict=True) if not options.module or name in options.module]
    restrict_operators()
    patterns = [f"polyadic.{_name(path).replace('/', '.')}.x*" for path in chosen] if options.module else []
    forget_survivors(chosen)
    cli(["run", "--max-children", str(options.processes), *patterns], standalone_mode=False)
    results, reasons = [result_of(path) for path in chosen], explanations()
    if not options.module:
        written = "\n".join(tables(results, reasons))
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(_SECTION.sub(lambda found: f"{found[1]}{written}\n{found[2]}", page), encoding="utf-8")
    for one in results:
        print(f"{_name(one.path)}: {one.mutants} mutants, {len(one.survivors)} survived")
    unexplained = [one for result in results for one in result.survivors if one.key not in reasons]
    for survivor in unexplained:
        print(f"{survivor.path}:{survivor.line}: {survivor.change}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
