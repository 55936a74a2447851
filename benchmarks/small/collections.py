"""Read the small collections: a few short documents each, with questions that they answer and questions that not.

All of them were written by a large language model for this purpose, before anything was measured on them. Collections
whose ``split`` is "test" are held out: nothing is learned from them.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ordinary.questions import OrdinaryQuestion, Split
from polyadic.workspace import Workspace

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class SmallCollection:
    """Documents, file name to text, and questions about them."""

    name: str
    split: Split
    documents: dict[str, str]
    questions: tuple[OrdinaryQuestion, ...]

    def workspace(self, folder: Path) -> Workspace:
        """Index the documents in a workspace of their own; both are below a folder."""
        files = folder / "documents" / self.name
        files.mkdir(parents=True, exist_ok=True)
        for name, text in self.documents.items():
            (files / name).write_text(text, encoding="utf-8")
        workspace = Workspace(folder / "workspaces" / self.name)
        workspace.index([files])
        return workspace


def small_collections(split: Split) -> Iterator[SmallCollection]:
    """Yield the collections of a split by name."""
    for file in sorted((FOLDER / split.value).glob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        questions = tuple(
            OrdinaryQuestion(
                f"{file.stem}-{number}", f"unanswerable-{one['form']}" if not one["gold"] else one["form"],
                content["kind"], split, one["text"], one["gold"],
            )
            for number, one in enumerate(content["questions"], 1)
        )  # fmt: skip
        documents = {one["name"]: one["text"] for one in content["documents"]}
        yield SmallCollection(file.stem, split, documents, questions)
