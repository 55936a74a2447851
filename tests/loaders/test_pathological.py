"""No line, however odd, takes long to read: a guard against patterns of quadratic time."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest

from polyadic.config import ReadingSettings
from polyadic.extraction.sentence_extractor import SentenceExtractor
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Chunk, Document, Span
from polyadic.text.boilerplate_sentences import boilerplate
from polyadic.text.code_fences import code_blocks
from polyadic.text.headings import heading_path, headings
from polyadic.text.mail_quotes import unsaid_parts
from polyadic.text.markup import plain
from polyadic.text.named_entities import names
from polyadic.text.sentences import sentences
from polyadic.text.vocabulary import Vocabulary

pytestmark = pytest.mark.slow

CHARACTERS = 10_000
ENOUGH_SECONDS = 4.0
"""Of the processor: several times what all ways take. One pattern of quadratic time can need as much, one of cubic
time needs hours."""

REPEATED = [" ", "#", "# ", "@", "a@", "*", "**a ", "[", "[a](", "<a ", "_", "__a ", "~~a ", "`", '"', '"A ', "“A"]
REPEATED += [
    "1",
    "1,",
    "1.",
    "A. ",
    "St. ",
    "Ab of ",
    "a-",
    "'s",
    "| ",
    "- ",
    "-",
    "=",
    "。”",
    "《a",
    "巴·",
    "www.",
    "\n#",
    "\n```",
    "``` ",
    "\n~~~a\n",
    "\n\n1.1 A",
    "\n\n   Abc",
    "\nA\n---\n",
    "\n- a:\n  - b",
    "\n> a:",
    "\nFrom: a",
    "\n-- ",
    ". . ",
    "copyright a ",
]


def _extract(text: str) -> None:
    document = Document("memory:1", "", text)
    asyncio.run(SentenceExtractor().extract(document, Chunk(document.id, Span(0, len(text)), text, 1, 0)))


WAYS: list[Callable[[str], object]] = [
    lambda text: sentences(text, "en"),
    plain,
    lambda text: names(text, Vocabulary("en")),
    lambda text: heading_path(headings(text), len(text)),
    code_blocks,
    unsaid_parts,
    boilerplate,
    _extract,
]


@pytest.mark.parametrize("repeated", REPEATED)
def test_long_repetitive_lines_take_linear_time(repeated: str, tmp_path: Path) -> None:
    line = repeated * (CHARACTERS // len(repeated))
    texts = [f"# {line}x", f"| {line}x", f"# a{line}_b"]
    path = tmp_path / "odd.md"
    started = process_time()
    for text in texts:
        for way in WAYS:
            way(text)
        path.write_text(f"{text}\n\nThe end.")
        assert len(list(read_documents(path, ReadingSettings()))) == 1
    assert process_time() - started < ENOUGH_SECONDS
