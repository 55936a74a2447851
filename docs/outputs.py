"""Fills the documentation with what the program really prints: ``python docs/outputs.py`` (after ``make demo``).

A block is filled where a line ``<!-- output of: COMMAND -->`` stands before a fence.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from polyadic.cli.main import cli

ROOT = Path(__file__).parent.parent
HELP = tuple(f"docs/cli{page}.md" for page in ("", "-index", "-query", "-manage", "-entities", "-eval"))
ANSWERS = ("README.md", "docs/json.md", "docs/json-query.md", "docs/json-manage.md")
FILES = (*HELP, *ANSWERS)
_BLOCK = re.compile(r"(<!-- output of: (?P<command>.+?) -->\n```\w*\n).*?(```)", re.DOTALL)
# Times, sizes, the last digits of a score, and what is derived from where the folder lies differ from run to run.
_VARYING = (
    (re.compile(r"\b\d+\.\d+ s\b"), "0.5 s"),
    (re.compile(r'("seconds": )[\d.e-]+'), r"\g<1>0.001"),
    (re.compile(r'("bytes": )\d+'), r"\g<1>6000000"),
    (re.compile(r'("score": \d+\.\d{2})\d+'), r"\g<1>"),
    (re.compile(r'("(?:document|chunk)_id": ")[0-9a-f]{32}'), r"\g<1>5f0c…"),
)


def output(command: str) -> str:
    """What a command prints, with what differs from run to run made alike."""
    arguments = shlex.split(command)
    printed = _help(arguments[1:]) if arguments[-1] == "--help" else _answer(arguments)
    text = printed.replace(f"{ROOT}/", "/home/you/polyadic/")
    for pattern, replacement in _VARYING:
        text = pattern.sub(replacement, text)
    return text


def _help(arguments: list[str]) -> str:
    """What a command says of itself; this depends on nothing, so no process is started."""
    # A terminal of 100 columns, less the margin that click keeps.
    asked = CliRunner().invoke(cli, arguments, prog_name="polyadic", terminal_width=98, catch_exceptions=False)
    if asked.exit_code:
        raise RuntimeError(asked.output)
    return asked.stdout


def _answer(arguments: list[str]) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "100"},
    )
    return ran.stdout


def filled(text: str) -> str:
    """A document with every block filled afresh."""
    return _BLOCK.sub(lambda block: block[1] + output(block["command"]).rstrip("\n") + "\n" + block[3], text)


def main() -> None:
    for name in FILES:
        file = ROOT / name
        file.write_text(filled(file.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"filled {name}")


if __name__ == "__main__":
    main()
