"""What each verb prints and how it ends."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import ADA, Command

QUESTION = "Who wrote the first published program, and for which machine?"
SENTENCE = "Ada Lovelace wrote the first published program in 1843 for the Analytical Engine of Charles Babbage."


def test_a_question_is_answered_with_the_exact_place(polyadic: Command, indexed: Path) -> None:
    outcome = polyadic("query", QUESTION)
    assert outcome.code == 0
    assert f'"{SENTENCE}" [1]' in outcome.out
    start = ADA.index(SENTENCE)
    assert f" [1] notes/ada.md, characters {start}–{start + len(SENTENCE)}" in outcome.out
    assert "no language model is configured" in outcome.out
    assert "0 model tokens" in outcome.out


def test_a_citation_can_be_shown_where_it_stands(polyadic: Command, indexed: Path) -> None:
    start = ADA.index(SENTENCE)
    outcome = polyadic("show", "document", f"notes/ada.md:{start}-{start + len(SENTENCE)}")
    assert outcome.code == 0
    assert SENTENCE in outcome.out
    assert "was born in London" in outcome.out


def test_what_nobody_wrote_about_is_not_answered(polyadic: Command, indexed: Path) -> None:
    outcome = polyadic("query", "How long must bread rise?")
    assert outcome.code == 0
    assert outcome.out.startswith("Nothing in these documents answers that.")
    assert "[1]" not in outcome.out


def test_json_carries_the_whole_answer(polyadic: Command, indexed: Path) -> None:
    answer = json.loads(polyadic("query", QUESTION, "--json").out)
    assert answer["answered"] is True
    place = answer["citations"][0]["place"]
    text = Path(place["source"]).read_text()
    assert text[place["span"]["start"] : place["span"]["end"]] == place["quote"] == SENTENCE
    assert {"kind", "id", "text", "score", "why", "tokens", "places", "entities"} == set(
        answer["knowledge"]["items"][0]
    )
    assert answer["usage"]["calls"] == 0


@pytest.mark.parametrize("method", ["chunks", "hypergraph", "walk", "auto"])
def test_every_method_finds_the_passage_and_says_why(polyadic: Command, indexed: Path, method: str) -> None:
    outcome = polyadic("query", QUESTION, "--method", method, "--context-only", "--json")
    items = json.loads(outcome.out)["items"]
    assert any(place["source"].endswith("ada.md") for item in items for place in item["places"])
    assert all(item["why"] for item in items)


def test_method_none_brings_nothing(polyadic: Command, indexed: Path) -> None:
    assert json.loads(polyadic("query", QUESTION, "--method", "none", "--context-only", "--json").out)["items"] == []


def test_the_budget_is_kept(polyadic: Command, indexed: Path) -> None:
    knowledge = json.loads(polyadic("query", QUESTION, "--context-only", "--context-tokens", "40", "--json").out)
    assert 0 < sum(item["tokens"] for item in knowledge["items"]) == knowledge["tokens"] <= 40


def test_the_trace_gives_steps_and_reasons(polyadic: Command, indexed: Path) -> None:
    outcome = polyadic("query", QUESTION, "--trace")
    assert "steps" in outcome.out
    assert " ms  embed" in outcome.out
    assert "found" in outcome.out


def test_status_counts(polyadic: Command, indexed: Path) -> None:
    status = json.loads(polyadic("status", "--json").out)
    assert status["counts"]["documents"] == 2
    assert sum(status["arities"].values()) == status["counts"]["facts"]
    shown = polyadic("status").out
    assert "documents  2 in 2 chunks" in shown
    assert "hashing-384" in shown
    assert "notes/ada.md" in polyadic("status", "--documents").out


def test_entities_and_facts_can_be_shown(polyadic: Command, indexed: Path) -> None:
    outcome = polyadic("show", "entity", "the Analytical Engine", "--json")
    view = json.loads(outcome.out)
    assert view["entity"]["key"] == "analytical engine"
    fact = view["facts"][0]
    shown = polyadic("show", "fact", fact["id"][:12])
    assert fact["text"] in shown.out
    assert "notes/" in shown.out
    chunk = json.loads(polyadic("show", "fact", fact["id"], "--json").out)["places"][0]["chunk_id"]
    assert polyadic("show", "chunk", chunk[:10]).code == 0


def test_deleting_withdraws_what_only_that_document_said(polyadic: Command, indexed: Path) -> None:
    assert polyadic("delete", "notes/ada.md").code == 0
    assert "first published program" not in polyadic("query", QUESTION).out
    assert polyadic("show", "entity", "10 December 1815").code == 1
    assert polyadic("delete", "notes/ada.md").code == 1


def test_indexing_again_does_nothing_and_a_change_is_seen(polyadic: Command, indexed: Path) -> None:
    assert "0 added, 0 changed, 2 unchanged" in polyadic("index", "notes").out
    (indexed / "ada.md").write_text(ADA.replace("1843", "1842"))
    assert "0 added, 1 changed, 1 unchanged" in polyadic("index", "notes").out
    assert "in 1842 for" in polyadic("query", QUESTION).out


def test_init_writes_settings_once(polyadic: Command, tmp_path: Path) -> None:
    assert polyadic("init").code == 0
    file = tmp_path / "polyadic-workspace" / "polyadic.toml"
    file.write_text("[chunking]\ntokens = 500\n")
    assert polyadic("init").code == 0
    assert "500" in file.read_text()


def test_the_workspace_may_stand_before_or_after_the_verb(polyadic: Command, notes: Path, tmp_path: Path) -> None:
    assert polyadic("-w", "one", "index", "notes").code == 0
    assert polyadic("index", "notes", "-w", "two").code == 0
    assert (tmp_path / "one" / "store.sqlite").is_file()
    assert (tmp_path / "two" / "store.sqlite").is_file()


def test_help_names_every_verb(polyadic: Command) -> None:
    outcome = polyadic("--help")
    assert outcome.code == 0
    for verb in ("init", "index", "query", "status", "show", "delete", "models"):
        assert verb in outcome.out
        assert polyadic(verb, "--help").code == 0
