"""What a context shows of the pieces that a question needs, and workspaces that are kept between runs."""

import re
from pathlib import Path

from benchmarks.kept_workspaces import kept_for
from benchmarks.recorded_questions import RequiredPieces
from polyadic.config import EmbeddingSettings, Settings
from polyadic.model.types import Knowledge
from polyadic.workspace import Workspace
from tests.generation.test_context import ADA, fact, passage

HASHING = Settings(embedding=EmbeddingSettings(model="hashing"))
NEEDED = RequiredPieces(
    "list", "Whom did Ada meet?", (re.compile("met .*Babbage"), re.compile("Ada Lovelace.*letters"))
)


def write(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "ada.md").write_text("Ada Lovelace met Charles Babbage at a party in London.", encoding="utf-8")
    return folder


def indexed(folder: Path, documents: Path) -> list[str]:
    with Workspace(folder, HASHING) as workspace:
        workspace.index([documents])
        with workspace.store().read() as reader:
            return [record.source for record in reader.records.documents()]


def test_workspace_with_the_documents_of_another_checkout_is_built_afresh(tmp_path: Path) -> None:
    first, second, kept = write(tmp_path / "first/docs"), write(tmp_path / "second/docs"), tmp_path / "kept"
    assert kept_for(first, kept, HASHING) == kept
    indexed(kept, first)
    assert kept_for(first, kept, HASHING).is_dir()
    assert indexed(kept_for(second, kept, HASHING), second) == [str(second / "ada.md")]


def test_only_what_a_context_shows_is_counted() -> None:
    """A title is no part of a sentence, and a fact that does not fit is not seen."""
    items = (passage(ADA), fact(ADA, "Ada Lovelace wrote many letters to her friends.", quote="They wrote"))
    knowledge = Knowledge(NEEDED.question, "by hand", items, 0, 0, ())
    assert NEEDED.retrieved(knowledge) == 1
    assert [NEEDED.shown(knowledge, tokens) for tokens in (500, 58, 10)] == [1, 0.5, 0]
    assert NEEDED.in_context(["From “Ada Lovelace”: They wrote many letters."]) == 0
