"""Where the workspace names a language model: it reads and answers, is paid for, and may be gone."""

from functools import partial
from pathlib import Path

import pytest

from tests.mcp.running_server import over_stdio, problem, result
from tests.model_server import ModelServer, ready

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kb").mkdir()
    return tmp_path / "kb"


def name_model(folder: Path, url: str) -> None:
    text = f'[model]\nname = "recorded"\nbase_url = "{url}"\nkey_variable = ""\nretries = 0\nprompt_price = 1000.0\n'
    (folder / "polyadic.toml").write_text(text)


def test_model_extracts_and_answers_and_usage_is_recorded(folder: Path) -> None:
    writer = partial(over_stdio, folder, "--write")
    with ModelServer(ready()) as server:
        url = server.url
        name_model(folder, url)
        result(writer, "add_document", name="ada", text="Ada Lovelace met Charles Babbage in London in 1833.")
        found = result(writer, "query", question="Whom did Ada Lovelace meet?")
    assert "recorded" in found["note"]
    assert found["tokens"] > 0
    assert found["money"] > 0
    (cited,) = found["citations"]
    assert cited["quote"] in "Ada Lovelace met Charles Babbage in London in 1833."
    assert cited["claim"] and cited["supported"]
    with ModelServer(ready()) as server:
        name_model(folder, server.url)
        again = result(writer, "query", question="Whom did Ada Lovelace meet?", effort="high")
        assert again["answer"] == found["answer"] and len(server.asked) == 2
        checked = result(writer, "query", question="Whom did Ada Lovelace meet?", check_claims=True)
        assert "its claims could not be checked" in checked["note"] and len(server.asked) == 4
        name_model(folder, url)
    # It has gone now.
    said = problem(writer, "query", question="Whom did Ada Lovelace meet?")
    assert "cannot be reached" in said and url not in said
    assert str(folder) not in said
    said = problem(writer, "add_document", name="eve", text="Eve Adams met Noah Webster in Ghent.")
    assert said.startswith("mcp:eve was not added (")
