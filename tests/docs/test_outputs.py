"""The documentation shows what the program really prints."""

import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
OUTPUTS = runpy.run_path(str(ROOT / "docs" / "outputs.py"))


@pytest.mark.parametrize("name", OUTPUTS["HELP"])
def test_documented_help_equals_the_program_output(name: str) -> None:
    text = (ROOT / name).read_text()
    assert OUTPUTS["filled"](text) == text


@pytest.mark.slow
@pytest.mark.weights
@pytest.mark.parametrize("name", OUTPUTS["ANSWERS"])
def test_documented_answers_equal_the_program_output(name: str) -> None:
    if not (ROOT / "demo-workspace").is_dir():
        pytest.skip("make demo has not been run, so there is no demo-workspace to ask")
    text = (ROOT / name).read_text()
    assert OUTPUTS["filled"](text) == text
