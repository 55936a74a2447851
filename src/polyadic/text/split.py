"""Split a long text into pieces that can be tokenized separately."""

from collections.abc import Iterator


def split_text(text: str, size: int) -> Iterator[str]:
    """Yield pieces of at most ``size`` characters whose concatenated tokens are those of the text.

    The text is cut before a space that follows a non-space: no token of o200k or of WordPiece spans such a position.
    Only a stretch of ``size`` characters without one is cut at its end, which may split a token.

    >>> list(split_text("one two  three", 9))
    ['one two', '  three']
    """
    start = 0
    while len(text) - start > size:
        cut = text.rfind(" ", start + 1, start + size + 1)
        while cut > start and text[cut - 1].isspace():
            cut = text.rfind(" ", start + 1, cut)
        cut = cut if cut > start else start + size
        yield text[start:cut]
        start = cut
    yield text[start:]
