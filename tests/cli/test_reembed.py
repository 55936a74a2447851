"""polyadic reembed."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.model_server import ModelServer, Status
from tests.support.reembedding import serving

FILE = Path("polyadic-workspace/polyadic.toml")


@pytest.fixture
def server(polyadic: Command, notes: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A workspace filled by the hashing embedder, whose settings know of an endpoint as well."""
    monkeypatch.delenv("POLYADIC_EMBEDDING__MODEL")
    with serving() as running:
        FILE.parent.mkdir()
        FILE.write_text(
            "# Mine.\n[embedding]\n"
            'model = "hashing"  # for now\n'
            f'name = "hashing"\nbase_url = "{running.url}"\nkey_variable = ""\nretries = 0\nprompt_price = 1.0\n'
        )
        assert polyadic("index", "notes").code == 0
        yield running


def test_reembed_switches_vectors_then_settings(polyadic: Command, server: ModelServer) -> None:
    before = FILE.read_text()
    outcome = polyadic("reembed", "--model", "endpoint")
    assert outcome.code == 0
    first, second, third = outcome.out.splitlines()
    assert first.startswith("changed from hashing-384 to hashing: ")
    assert " embedded in " in second
    assert third.startswith("embedding: 1 call, ")
    assert outcome.err.endswith('set model = "endpoint" under [embedding] in polyadic-workspace/polyadic.toml\n')
    assert FILE.read_text() == before.replace('"hashing"  # for now', '"endpoint"  # for now')
    assert polyadic("query", "Who wrote the first published program?").code == 0
    assert polyadic("reembed", "--model", "hashing").code == 0
    assert FILE.read_text() == before


def test_settings_changed_first_are_refused_until_reembedding(polyadic: Command, server: ModelServer) -> None:
    FILE.write_text(FILE.read_text().replace('model = "hashing"', 'model = "endpoint"', 1))
    for verb in (("query", "Who?"), ("index", "notes")):
        refused = polyadic(*verb)
        assert refused.code == 1
        assert refused.err.count("\n") == 1
        assert "was filled with the embedding model hashing-384" in refused.err
        assert "polyadic reembed" in refused.err
    said = json.loads(polyadic("reembed", "--json").out)
    assert (said["before"], said["after"], said["switched"], said["resumed"]) == ("hashing-384", "hashing", True, 0)
    assert said["texts"] == said["texts_embedded"] > 0
    assert said["embedding_usage"]["prompt_tokens"] == server.embeddings.prompt_tokens
    spent = json.loads(polyadic("status", "--json").out)["spent"]
    assert spent["money"] == pytest.approx(said["embedding_usage"]["money"])
    assert polyadic("query", "Who wrote the first published program?").code == 0


def test_nothing_to_do_is_success(polyadic: Command, server: ModelServer) -> None:
    for flags in ((), ("--model", "hashing")):
        outcome = polyadic("reembed", *flags)
        assert (outcome.code, outcome.out, outcome.err) == (
            0,
            "nothing to do: the workspace already uses hashing-384\n",
            "",
        )
    assert polyadic("reembed", "--force").out.startswith("changed from hashing-384 to hashing-384: ")


def test_settings_are_written_after_an_interrupted_switch(polyadic: Command, server: ModelServer) -> None:
    """Killed between the switch and the settings, the same command ends what was begun."""
    before = FILE.read_text()
    polyadic("reembed", "--model", "endpoint")
    after = FILE.read_text()
    FILE.write_text(before)
    outcome = polyadic("reembed", "--model", "endpoint")
    assert (outcome.code, FILE.read_text()) == (0, after)
    assert outcome.out.startswith("nothing to do")


def test_failure_is_one_line_and_keeps_the_settings(polyadic: Command, server: ModelServer) -> None:
    before = FILE.read_text()
    server.misbehave(Status(500), times=None, route="embeddings")
    outcome = polyadic("reembed", "--model", "endpoint")
    assert (outcome.code, outcome.err.count("\n"), FILE.read_text()) == (1, 1, before)
    assert "run polyadic reembed again to resume" in outcome.err
    assert polyadic("query", "Who wrote the first published program?").code == 0


def test_nothing_is_embedded_if_settings_cannot_be_written(
    polyadic: Command, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = FILE.read_text().splitlines()
    FILE.write_text(f"embedding = {{ {', '.join(line.split('  #')[0] for line in lines[2:])} }}\n")
    refused = polyadic("reembed", "--model", "endpoint")
    assert refused.code == 1
    assert 'set model = "endpoint" under [embedding] in it yourself' in refused.err
    monkeypatch.setenv("POLYADIC_EMBEDDING__MODEL", "hashing")
    refused = polyadic("reembed", "--model", "endpoint")
    assert refused.code == 1
    assert "the environment variable POLYADIC_EMBEDDING__MODEL sets the embedding model" in refused.err
    assert not server.embeddings.asked


def test_missing_workspace_is_not_created(polyadic: Command) -> None:
    outcome = polyadic("-w", "elsewhere", "reembed")
    assert outcome.code == 1
    assert "there is no workspace in elsewhere yet" in outcome.err
    assert not Path("elsewhere").exists()
