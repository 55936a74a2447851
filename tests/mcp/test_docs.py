"""What docs/mcp.md says is so."""

import json
import re
from pathlib import Path

import pytest

from polyadic.cli.main import cli
from polyadic.mcp.tools import TOOLS
from tests.support.doc_examples import examples, output

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parent.parent.parent / "docs" / "mcp.md").read_text(encoding="utf-8")


def test_documented_stdio_example_runs(tmp_path: Path) -> None:
    printed = output(examples("mcp.md")[0], tmp_path)
    assert "Jack Kinzler devised the parasol of Skylab." in printed
    assert "[1] /notes/skylab.md, characters 0-43" in printed


def test_documented_http_example_is_a_complete_application(tmp_path: Path) -> None:
    program = examples("mcp.md")[1] + "\nprint([route.path for route in server.routes])"
    assert output(program, tmp_path) == "['/mcp']\n"


def test_documented_table_lists_every_tool_and_argument() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGE, re.MULTILINE)
    documented = {
        name: {argument.partition(":")[0] for argument in re.findall(r"`(.*?)`", takes)} for name, takes in rows
    }
    assert documented == {name: set(tool.takes.model_fields) for name, tool in TOOLS.items()}


def test_documented_client_configuration_is_the_command() -> None:
    (settings,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    documented = json.loads(settings)["mcpServers"]["polyadic"]
    assert cli.main([*documented["args"], "--help"], standalone_mode=False) == 0


@pytest.mark.parametrize("name", TOOLS)
def test_every_argument_is_described(name: str) -> None:
    arguments = TOOLS[name].described().input_schema["properties"]
    assert arguments
    assert all(documented.get("description") for documented in arguments.values())
