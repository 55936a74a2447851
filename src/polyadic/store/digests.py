"""Digests as the tables hold them: bytes, of what the outside world writes in hexadecimal digits."""

from polyadic import identity


def digest_bytes(public_id: str) -> bytes:
    """
    >>> digest_bytes("00ff")
    b'\\x00\\xff'
    """
    return bytes.fromhex(public_id)


def vector_digest(text: str) -> bytes:
    """What stands for a text among vectors."""
    return digest_bytes(identity.digest("vector", text))
