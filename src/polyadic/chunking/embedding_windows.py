"""Stretches of a chunk that fit the embedder, which would silently ignore what is beyond its window."""

from collections.abc import Sequence

from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Chunk, Document
from polyadic.text.sentences import sentences

# A title longer than this says little about what a passage is about, and would leave no room for it.
_TITLE_CHARACTERS = 200


def windows(document: Document, chunks: Sequence[Chunk], language: str, embedder: Embedder) -> dict[str, list[str]]:
    """The texts to embed for each chunk (by id): whole sentences under the document's title, at least one text a chunk.

    A sentence that is itself too long has a window of its own, and only its beginning counts.
    """
    title = document.title[:_TITLE_CHARACTERS]
    pieces = [
        [chunk.text[span.start : span.end] for span in sentences(chunk.text, language)] or [chunk.text]
        for chunk in chunks
    ]
    lengths = iter(embedder.lengths([piece for chunk in pieces for piece in chunk]))
    room = embedder.window - (embedder.lengths([title + "\n"])[0] if title else 0)
    texts = {}
    for chunk, mine in zip(chunks, pieces, strict=True):
        packed = _pack([(piece, next(lengths)) for piece in mine], room)
        texts[chunk.id] = [f"{title}\n{text}" if title else text for text in packed]
    return texts


def _pack(pieces: Sequence[tuple[str, int]], room: int) -> list[str]:
    packed: list[list[str]] = []
    left = 0
    for piece, tokens in pieces:
        if not packed or tokens > left:
            packed.append([])
            left = room
        packed[-1].append(piece)
        left -= tokens
    return [" ".join(texts) for texts in packed]
