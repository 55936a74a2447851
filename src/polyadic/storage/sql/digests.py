"""Digests in the tables: raw bytes of the hexadecimal public identifiers."""

from functools import lru_cache

from polyadic.model import identity


def digest_bytes(public_id: str) -> bytes:
    """Convert a public identifier to bytes.

    >>> digest_bytes("00ff")
    b'\\x00\\xff'
    """
    return bytes.fromhex(public_id)


# Cached, as each text of a batch is hashed several times: for lookup, insertion and reference.
@lru_cache(maxsize=16_384)
def vector_digest(text: str) -> bytes:
    """Return the key of a text in the table of vectors."""
    return digest_bytes(identity.digest("vector", text))
