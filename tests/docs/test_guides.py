"""The code of the guides runs."""

import asyncio
import re
from pathlib import Path
from typing import Any

from polyadic.config import EmbeddingSettings, ReadingSettings, Settings
from polyadic.model.types import Document
from polyadic.workspace import Workspace

DOCS = Path(__file__).parent.parent.parent / "docs"


def names_of(page: str) -> dict[str, Any]:
    """What the Python blocks of a page define."""
    names: dict[str, Any] = {"__name__": "guide"}
    for block in re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL):
        exec(block, names)  # noqa: S102
    return names


def test_retrieval_method_guide_works(tmp_path: Path) -> None:
    method = names_of("add-a-retrieval-method.md")["Titles"]()
    with Workspace(tmp_path / "kb", Settings(embedding=EmbeddingSettings(model="hashing"))) as kb:
        kb.add([Document(f"memory:{title}", title, f"All about {title}.") for title in ("Garden hoses", "Ulm")])
        with kb.store().read() as reader:
            knowledge = asyncio.run(method.retrieve("Which garden hoses are green?", reader, kb.embedder, 100))
            nothing = asyncio.run(method.retrieve("Who?", reader, kb.embedder, 100))
    assert [item.text for item in knowledge.items] == ["All about Garden hoses."]
    assert knowledge.items[0].why == "title shares 2 words with the question"
    assert nothing.items == ()


def test_document_format_guide_works(tmp_path: Path) -> None:
    file = tmp_path / "film.srt"
    file.write_text(
        "1\n00:00:01,000 --> 00:00:02,000\nAda lives\nin Ulm.\n\n2\n00:00:03,000 --> 00:00:04,000\nSince 1815.\n"
    )
    [document] = names_of("add-a-document-format.md")["read_srt"](file, ReadingSettings())
    assert document.text == "Ada lives in Ulm.\n\nSince 1815."
