"""What the evidence of facts says besides their text reaches users and models."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from polyadic.cli.main import cli
from polyadic.interchange.import_file import import_file
from polyadic.model.types import FactDetails, Filter, Item, ParticipantDetails
from polyadic.workspace import Workspace

MET = "Ada Lovelace met Charles Babbage in London."
DETAILS = FactDetails(
    (ParticipantDetails("Ada Lovelace", "guest", ""), ParticipantDetails("London", "", "GB-LND")),
    "1833-06-05",
    "",
    {"source": "letter"},
)
SHOWN = "guest: Ada Lovelace; London: GB-LND; valid from 1833-06-05; source: letter"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("details")
    guest = {"name": "Ada Lovelace", "role": "guest"}
    entities = [guest, "Charles Babbage", {"name": "London", "value": "GB-LND"}]
    detailed = {"entities": entities, "valid_from": "1833-06-05", "qualifiers": {"source": "letter"}}
    names = ["Ada Lovelace", "Charles Babbage", "London"]
    facts = [
        {"source": "first.txt", "text": MET, **detailed},
        {"source": "again.txt", "text": MET, **detailed},
        {"source": "plain.txt", "text": MET, "entities": names},
        {"source": "engine.txt", "text": "Babbage designed an engine.", "entities": ["Babbage", "engine"]},
    ]
    (place / "facts.jsonl").write_text("".join(f"{json.dumps(fact)}\n" for fact in facts))
    (place / "kb").mkdir()
    (place / "kb" / "polyadic.toml").write_text('[embedding]\nmodel = "hashing"\n')
    with Workspace(place / "kb") as kb:
        import_file(kb, place / "facts.jsonl", [])
    return place / "kb"


@pytest.fixture
def kb(folder: Path) -> Iterator[Workspace]:
    with Workspace(folder) as opened:
        yield opened


def found(kb: Workspace, text: str, only: Filter | None = None) -> list[Item]:
    knowledge = kb.retrieve(text, only=only)
    return [fact for fact in knowledge.facts if fact.text == text]


def test_each_kind_of_detail_is_shown_once(kb: Workspace) -> None:
    (fact,) = found(kb, MET)
    assert fact.details == (DETAILS,)
    assert str(DETAILS) == SHOWN
    assert kb.show_fact(fact.id).details == (DETAILS,)


def test_facts_without_details_have_none(kb: Workspace) -> None:
    assert [fact.details for fact in found(kb, "Babbage designed an engine.")] == [()]


def test_details_of_excluded_documents_are_not_shown(kb: Workspace) -> None:
    (plain,) = [one.id for one in kb.documents() if one.source.endswith("plain.txt")]
    assert [fact.details for fact in found(kb, MET, Filter(documents=(plain,)))] == [()]


def test_command_shows_details(kb: Workspace, folder: Path) -> None:
    (fact,) = found(kb, MET)
    printed = CliRunner().invoke(cli, ["-w", str(folder), "show", "fact", fact.id])
    assert f"  {SHOWN}\n" in printed.output
    as_json = CliRunner().invoke(cli, ["-w", str(folder), "show", "fact", fact.id, "--json"])
    assert json.loads(as_json.output)["details"] == [
        {
            "participants": [
                {"name": "Ada Lovelace", "role": "guest", "value": ""},
                {"name": "London", "role": "", "value": "GB-LND"},
            ],
            "valid_from": "1833-06-05",
            "valid_to": "",
            "qualifiers": {"source": "letter"},
        }
    ]
