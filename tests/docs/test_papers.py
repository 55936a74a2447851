"""The table of what the papers define: its files, tests, switches and commands exist."""

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from polyadic.cli.eval_make_questions import command as make_questions
from polyadic.cli.main import cli
from polyadic.config import METHODS, Settings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.evaluation.measures.registry import MeasureResources, measure_named
from polyadic.evaluation.systems import systems_of
from polyadic.llm.prompts.library import PromptLibrary

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| in the paper")
]
COMMANDS = sorted({command for row in ROWS for command in re.findall(r"`([^`]+)`", row[-1])})
WITH_EVERYTHING = MeasureResources(HashingEmbedder, PromptLibrary())


def test_every_row_names_what_is_here_or_that_it_is_missing() -> None:
    assert len(ROWS) > 80
    for row in ROWS:
        assert len(row) == 5, row
        _, _, file, test, command = row
        assert (file == "–") == (test == "–") == (command == "–"), row
        if file == "–":
            assert re.search(r"Not implemented|illustrations", row[0]), row


@pytest.mark.parametrize(("column", "folder"), [(2, "src/polyadic"), (3, "tests")])
def test_files_exist(column: int, folder: str) -> None:
    paths = {path for row in ROWS for path in re.findall(r"`([^`]+)`", row[column])}
    assert not [path for path in sorted(paths) if not (ROOT / folder / path).is_file()]


def test_switches_exist() -> None:
    for switch in (switch for row in ROWS for switch in re.findall(r"`([^`]+)`", row[1])):
        if setting := re.fullmatch(r"\[([\w.]+)\] (\w+)", switch):
            section, *role = setting[1].split(".")
            settings = getattr(Settings(), section)
            for name in role:
                settings = getattr(settings, name)
            fields = type(settings).model_fields if settings is not None else type(Settings().model).model_fields
            assert setting[2] in fields, switch
        else:
            assert switch in METHODS, switch


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_exist(command: str) -> None:
    program, *arguments = shlex.split(command)
    if program == "python":
        assert arguments[0] == "-m" and find_spec(arguments[1]), command
        return
    assert program == "polyadic"
    verb, arguments = named(arguments)
    options, _, _ = verb.make_parser(click.Context(verb)).parse_args(list(arguments))
    assert not [one.name for one in verb.params if one.required and not options.get(str(one.name))], command
    for parameter in verb.params:
        if isinstance(parameter.type, click.Choice) and (value := options.get(str(parameter.name))):
            assert value in parameter.type.choices, command
    methods = str(options.get("methods") or options.get("method") or "chunks")
    assert methods == "all" or systems_of(tuple(methods.split(",")), tuple(options.get("variant") or ()))
    for measure in str(options.get("measures") or "f1").split(","):
        assert measure == "win-rate" or measure_named(measure, WITH_EVERYTHING)


def named(arguments: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the first arguments name, and the arguments after them."""
    if arguments[:2] == ["eval", "make-questions"]:
        return make_questions, arguments[2:]
    verb: click.Command = cli
    while isinstance(verb, click.Group) and (below := verb.get_command(click.Context(verb), arguments[0])):
        verb, arguments = below, arguments[1:]
    return verb, arguments
