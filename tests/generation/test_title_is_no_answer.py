"""The title of a document is not quoted, although it may be the best match of the question."""

from pathlib import Path

from polyadic.config import EmbeddingSettings, Settings
from polyadic.workspace import Workspace

NOTES = """notes on the mine of Hallstatt

The mine of Hallstatt was opened in the Bronze Age, as Anna Kern says. It is deep.

Tools

The miners of Hallstatt dug with antler picks.
"""


def test_title_that_is_no_heading_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(NOTES)
    with Workspace(tmp_path / "kb", Settings(embedding=EmbeddingSettings(model="hashing"))) as workspace:
        workspace.index([tmp_path / "a.txt"])
        answer = workspace.query("What do the notes on the mine of Hallstatt say?")
    quotes = [citation.place.quote for citation in answer.citations]
    assert quotes and not any(quote.startswith("notes on") for quote in quotes)
