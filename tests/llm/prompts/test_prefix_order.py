"""Requests of one run share their beginning, so that providers which cache prefixes charge less for it."""

from collections import defaultdict
from pathlib import Path

import pytest

from polyadic.config import ExtractionSettings, HierarchyBuildSettings
from polyadic.llm.prompts.library import SETS, PromptLibrary, PromptSet, original_text
from tests.hierarchy.towns import by_model, documents
from tests.hierarchy.towns import workspace as towns
from tests.model_server import ModelServer, ready
from tests.support.with_a_model import by_look_of, story, workspace, write_letters

OF_THE_SETTINGS = frozenset(("language", "types", "domain", "style"))


@pytest.mark.parametrize(("prompt_set", "name"), [(one, name) for one, names in SETS.items() for name in names])
def test_instructions_come_first_and_change_with_settings_only(
    tmp_path: Path, prompt_set: PromptSet, name: str
) -> None:
    file = tmp_path / "prompts" / f"{name}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(original_text(name, prompt_set))
    prompt = PromptLibrary(tmp_path).get(name)
    roles = [role for role, _ in prompt.parts]
    assert roles == sorted(roles), "the system message is first"
    used = {key for role, text in prompt.parts if role == "system" for key in text.get_identifiers()}
    assert used <= OF_THE_SETTINGS


def test_extraction_requests_share_all_instructions_and_end_with_the_passage(tmp_path: Path) -> None:
    folder = write_letters(tmp_path / "letters", 4, 6)
    with ModelServer(ready()) as server, workspace(tmp_path / "kb", server) as kb:
        kb.index([folder])
        asked = server.asked
        (instructions,) = {one.messages[0].text for one in asked}
        assert len(asked) == 4 and all(one.last_user_text.startswith("Document: ") for one in asked)
        assert len(instructions) > 4 * max(len(one.last_user_text) for one in asked)
        assert sorted(one.last_user_text.rpartition("] ")[2] for one in asked) == sorted(
            story(part, 6).splitlines()[-1].rpartition(". ")[2] for part in range(4)
        )


def test_gleaning_requests_continue_the_conversation(tmp_path: Path) -> None:
    extraction = ExtractionSettings(gleanings=1)
    with by_look_of(1) as server, workspace(tmp_path, server, extraction) as kb:
        kb.add(documents(0, 1))
        first, again = server.asked
        assert again.messages[: len(first.messages)] == first.messages


def test_requests_for_summaries_reports_and_answers_share_their_instructions(tmp_path: Path) -> None:
    with (
        ModelServer(ready()) as server,
        towns(tmp_path, by_model(server, HierarchyBuildSettings(cluster_members=6)), 12) as kb,
    ):
        kb.hierarchy.build()
        for question in ("Who built Bridge 3?", "Who built Bridge 7?"):
            kb.query(question)
            assert server.asked[-1].last_user_text.endswith(f"Question: {question}")
        by_instructions = defaultdict(list)
        for one in server.asked:
            by_instructions[one.messages[0].text].append(one)
        assert len(by_instructions) == 3 and all(len(asked) > 1 for asked in by_instructions.values())
        assert all(len(one.messages) == 2 for one in server.asked)
