"""Split chunks into windows that fit the embedder, which silently ignores text beyond its context window."""

from collections.abc import Sequence

from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Chunk, Document
from polyadic.text.sentences import sentences

# A longer title says little about the passage and would leave no room for it.
_MAX_TITLE_CHARACTERS = 200


def windows(document: Document, chunks: Sequence[Chunk], language: str, embedder: Embedder) -> dict[str, list[str]]:
    """Return the texts to embed for each chunk (by id): at least one text per chunk, with the document title on top.

    Each text consists of whole sentences. A sentence that is too long gets its own window, and only its beginning is
    embedded.
    """
    title = document.title[:_MAX_TITLE_CHARACTERS]
    title_line = f"{title}\n" if title else ""
    pieces = [
        [chunk.text[span.start : span.end] for span in sentences(chunk.text, language)] or [chunk.text]
        for chunk in chunks
    ]
    title_tokens, *tokens = embedder.token_counts([title_line, *(piece for chunk in pieces for piece in chunk)])
    token_counts = iter(tokens)
    texts = {}
    for chunk, sentence_texts in zip(chunks, pieces, strict=True):
        packed = _pack([(piece, next(token_counts)) for piece in sentence_texts], embedder.window - title_tokens)
        texts[chunk.id] = [f"{title_line}{text}" for text in packed]
    return texts


def _pack(pieces: Sequence[tuple[str, int]], room: int) -> list[str]:
    packed: list[list[str]] = []
    remaining = 0
    for piece, tokens in pieces:
        if not packed or tokens > remaining:
            packed.append([])
            remaining = room
        packed[-1].append(piece)
        remaining -= tokens
    return [" ".join(texts) for texts in packed]
