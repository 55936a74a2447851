"""Cutting a long text into pieces that can be tokenized one after the other."""

from collections.abc import Iterator


def split_text(text: str, size: int) -> Iterator[str]:
    """Pieces of at most ``size`` characters whose tokens, one after the other, are those of the text.

    A cut lies before a space that follows something else: neither o200k nor word pieces have a token that
    contains such a place. Only a stretch of ``size`` characters without one is cut where it ends, which may
    cut a token in two.

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
