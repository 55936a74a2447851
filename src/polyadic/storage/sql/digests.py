"""Digests as the tables hold them: bytes, of what the outside world writes in hexadecimal digits."""

from functools import lru_cache

from polyadic.model import identity


def digest_bytes(public_id: str) -> bytes:
    """
    >>> digest_bytes("00ff")
    b'\\x00\\xff'
    """
    return bytes.fromhex(public_id)


# The texts of a batch are looked up, given their vectors and pointed at one after the other.
@lru_cache(maxsize=16_384)
def vector_digest(text: str) -> bytes:
    """What stands for a text among vectors."""
    return digest_bytes(identity.digest("vector", text))
