"""Long texts that are seldom read, in a fifth of their room."""

import zlib

_LEVEL = 3  # from here on more work saves next to nothing


def compress(text: str) -> bytes:
    """
    >>> decompress(compress("Ada met Babbage."))
    'Ada met Babbage.'
    """
    return zlib.compress(text.encode(), _LEVEL)


def decompress(data: bytes) -> str:
    """Raises ValueError where this is no text that was packed."""
    try:
        return zlib.decompress(data).decode()
    except (zlib.error, TypeError) as error:
        raise ValueError(f"no packed text: {error}") from error
