"""The file that a document was read from."""

import hashlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from polyadic.model.identity import DIGEST_BYTES

_BLOCK = 1 << 18
_hash = partial(hashlib.blake2b, digest_size=DIGEST_BYTES)


@dataclass(frozen=True, slots=True)
class OriginalFile:
    """The file that a document was read from.

    Parameters
    ----------
    path
        Path of the file while documents are indexed.
    digest
        Digest of its bytes (:func:`file_digest`).
    is_kept
        Whether the store keeps a copy.
    """

    path: Path
    digest: str
    is_kept: bool = False


def file_digest(content: bytes) -> str:
    """Compute a 32-digit hexadecimal digest of the bytes of a file.

    >>> file_digest(b"a") == file_digest(b"b")
    False
    """
    return _hash(content).hexdigest()


def stream_digest(file: BinaryIO) -> str:
    """Compute the digest (:func:`file_digest`) of an open file, read in blocks."""
    hashed = _hash()
    while block := file.read(_BLOCK):
        hashed.update(block)
    return hashed.hexdigest()
