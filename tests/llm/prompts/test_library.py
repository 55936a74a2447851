"""Our prompts, and those that a workspace has of its own."""

from pathlib import Path

import pytest

from polyadic.errors import SettingsError
from polyadic.llm.language_model import ChatMessage
from polyadic.llm.prompts.library import NAMES, PAPER, PromptLibrary, original_text
from polyadic.model.types import Document
from tests.model_server import ModelServer, ready
from tests.support.with_a_model import TEXT, workspace

OWN = "mine-7\n=== system\nBe brief, and answer in JSON.\n=== user\n$title\n$sentences\n$types $language $domain\n"


def own(folder: Path, text: str | bytes, name: str = "extract") -> PromptLibrary:
    file = folder / "prompts" / f"{name}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return PromptLibrary(folder)


@pytest.mark.parametrize("name", NAMES)
def test_built_in_prompts_are_complete_and_versioned(name: str) -> None:
    prompt = PromptLibrary().get(name)
    assert prompt.version and "\n" not in prompt.version
    assert prompt.parts[-1][0] == "user"
    values = {key: f"<{key}>" for _, template in prompt.parts for key in template.get_identifiers()}
    said = "\n".join(message.text for message in prompt.messages(**values))
    assert all(value in said for value in values.values())
    assert "$" not in said


def test_prompt_versions_differ() -> None:
    prompts = [PromptLibrary().get(name) for name in NAMES]
    assert len({prompt.version for prompt in prompts}) == len({prompt.fingerprint for prompt in prompts}) == len(NAMES)


def test_workspace_prompt_is_used(tmp_path: Path) -> None:
    prompt = own(tmp_path, OWN).get("extract")
    assert (prompt.version, [role for role, _ in prompt.parts]) == ("mine-7", ["system", "user"])
    with ModelServer(ready()) as server, workspace(tmp_path, server, json_mode="text") as kb:
        report = kb.add([Document("memory:a", "Ada", TEXT)])
        system, user = server.asked[0].messages
    assert system.text == "Be brief, and answer in JSON."
    assert user.text.startswith("Ada\n[1] Ada Lovelace met")
    assert report.extractor.startswith("recorded mine-7 ")


def test_unchanged_copy_has_the_built_in_version(tmp_path: Path) -> None:
    for name in NAMES:
        prompts = own(tmp_path, original_text(name), name)
    assert all(prompts.get(name).fingerprint == PromptLibrary().get(name).fingerprint for name in NAMES)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (OWN.replace("$sentences", ""), "lacks $sentences"),
        (OWN.replace("$title", "$titel"), "uses $titel, which is no placeholder: known: $before, $domain"),
        (OWN.replace("Be brief", "Pay 5 $ or be brief"), "write $$ for a literal dollar sign"),
        ("mine-7\nGive me $sentences", "no line === user"),
        ("", "no line === user"),
        (b"mine-7\n=== user\n\xff\xfe $sentences", "cannot be read"),
    ],
)
def test_invalid_prompt_is_refused_in_one_line(tmp_path: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        own(tmp_path, text).get("extract")
    assert said in str(refused.value) and "\n" not in str(refused.value)
    with (
        ModelServer(ready()) as server,
        workspace(tmp_path, server) as kb,
        pytest.raises(SettingsError, match=r"extract\.txt"),
    ):
        kb.add([Document("memory:a", "Ada", TEXT)])
    assert server.asked == []


def test_dollar_signs_in_inserted_text_are_kept(tmp_path: Path) -> None:
    text = "Mira Falk paid $sentences and $5 to Jonas Brandt in Osk."
    with ModelServer(ready()) as server, workspace(tmp_path, server) as kb:
        kb.add([Document("memory:a", "$domain", text)])
        assert f"[1] {text}" in server.asked[0].last_user_text
        assert "Document: $domain" in server.asked[0].last_user_text


def test_empty_placeholders_leave_no_gap(tmp_path: Path) -> None:
    prompt = own(tmp_path, "v\n=== user\nOne.\n\n$domain\n\n$sentences\n\n$types\n").get("extract")
    values = {"domain": "", "sentences": "Two.", "types": "", "title": "", "before": "", "language": ""}
    assert prompt.messages(**values) == (ChatMessage("user", "One.\n\nTwo."),)


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_windows_line_ends_are_accepted(tmp_path: Path, ending: str) -> None:
    prompt = own(tmp_path, OWN.replace("\n", ending)).get("extract")
    assert (prompt.version, prompt.fingerprint) == ("mine-7", own(tmp_path, OWN).get("extract").fingerprint)


@pytest.mark.parametrize("head", ["", "one\ntwo\n", "x" * 41 + "\n"])
def test_prompt_without_its_version_is_refused(tmp_path: Path, head: str) -> None:
    prompts = own(tmp_path, f"{head}=== user\n$knowledge $question", "answer")
    with pytest.raises(SettingsError, match="does not begin with its version"):
        prompts.get("answer")


def test_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    assert own(tmp_path, "\ufeffmine-1\n=== user\n$knowledge $question", "answer").get("answer").version == "mine-1"


@pytest.mark.parametrize("name", PAPER)
def test_prompts_of_the_papers_take_the_same_input(tmp_path: Path, name: str) -> None:
    prompt = own(tmp_path, original_text(name, "paper"), name).get(name)
    assert [role for role, _ in prompt.parts] == ["user"]
    assert prompt.asks_for_json == (name not in {"extract", "summarize_cluster"})


def test_passage_can_be_shown_without_sentence_numbers(tmp_path: Path) -> None:
    own(tmp_path, "mine-8\nreply: text\n=== user\nFacts, please.\n$text\n")
    with ModelServer(ready()) as server, workspace(tmp_path, server, json_mode="schema") as kb:
        kb.add([Document("memory:a", "Ada", TEXT)])
        (asked, *_) = server.asked
    assert asked.last_user_text.startswith("Facts, please.\nAda Lovelace met") and "[1]" not in asked.last_user_text
    assert asked.json_mode is None
