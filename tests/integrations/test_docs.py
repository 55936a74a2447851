"""The examples in docs/frameworks.md run as they stand."""

from pathlib import Path

import pytest

from tests.support.doc_examples import examples, output

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("number", [0, 1], ids=["langchain", "llamaindex"])
def test_documented_examples_run(tmp_path: Path, number: int) -> None:
    printed = output(examples("frameworks.md")[number], tmp_path)
    assert "/notes/skylab.md" in printed
    assert "Jack Kinzler devised the parasol of Skylab." in printed
