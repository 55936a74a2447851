"""Windows: what fits the embedder is whole sentences under the title, and nothing is left out."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyadic.chunking.chunker import chunk_document
from polyadic.chunking.embedding_windows import windows
from polyadic.config import ChunkingSettings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.model.types import Chunk, Document, Span
from polyadic.text.sentences import sentences
from tests.support.huge_blocks import WORDS

SENTENCES = [
    "Ada met Babbage in 1833.",
    "我们去北京。",
    "# A heading\n\n",
    "| a | b |\n",
    "No stop\n\n",
    "One. ",
    "engine " * 90,
]

titles = st.sampled_from(["", "Ada Lovelace", "分析机", "A very long title " * 30])
texts = st.lists(st.sampled_from(SENTENCES), max_size=60).map(" ".join)


class Narrow(HashingEmbedder):
    """A window that a few sentences fill."""

    window: int = 40


def whole(document: Document) -> Chunk:
    return Chunk(document.id, Span(0, len(document.text)), document.text, 0, 0)


def text_of(window: str, title: str) -> str:
    """A window without the title above it."""
    if not title:
        return window
    assert window.startswith(title + "\n")
    return window.removeprefix(title + "\n")


@settings(deadline=None)
@given(titles, texts, st.sampled_from([HashingEmbedder(), Narrow()]))
def test_windows_cover_all_sentences_and_fit_unless_one_is_too_long(
    title: str, text: str, embedder: HashingEmbedder
) -> None:
    document = Document("memory:a", title, text)
    found = windows(document, [whole(document)], "en", embedder)[whole(document).id]
    held = [text_of(window, title[:200]) for window in found]
    parts = [text[span.start : span.end] for span in sentences(text, "en")]
    assert " ".join(held) == (" ".join(parts) or text)
    for window, content in zip(found, held, strict=True):
        assert embedder.token_counts([window])[0] <= embedder.window or content in [*parts, text]


@pytest.mark.parametrize("title", ["", "Ada Lovelace"])
def test_windows_of_ordinary_chunks_are_well_filled(title: str) -> None:
    rng, embedder = random.Random(1), HashingEmbedder()
    said = (" ".join(rng.choices(WORDS, k=rng.randint(4, 25))).capitalize() + "." for _ in range(600))
    document = Document("memory:a", title, " ".join(said))
    chunks = chunk_document(document, ChunkingSettings())
    found = windows(document, chunks, "en", embedder)
    assert set(found) == {chunk.id for chunk in chunks}
    for mine in found.values():
        lengths = embedder.token_counts(mine)
        assert max(lengths) <= embedder.window
        assert min(lengths[:-1], default=embedder.window) > embedder.window - 30


@pytest.mark.parametrize("text", ["", "   ", "\u2028"])
def test_a_chunk_without_a_sentence_has_one_window(text: str) -> None:
    document = Document("memory:a", "Ada", text)
    assert windows(document, [whole(document)], "en", HashingEmbedder()) == {whole(document).id: [f"Ada\n{text}"]}


def test_a_document_without_chunks_has_no_windows() -> None:
    assert windows(Document("memory:a", "Ada", ""), [], "en", HashingEmbedder()) == {}


def test_overlong_title_gives_one_window_per_sentence() -> None:
    title = "word " * 39 + "word"
    document = Document("memory:a", title, "One two. Three four. Five six.")
    found = windows(document, [whole(document)], "en", Narrow())[whole(document).id]
    assert [text_of(window, title) for window in found] == ["One two.", "Three four.", "Five six."]
