"""Digests in the tables: raw bytes of the hexadecimal public identifiers, and entities by their digests."""

from collections.abc import Iterable
from functools import lru_cache

from polyadic.model import identity
from polyadic.storage.connection import Connection
from polyadic.storage.sql.lists import select_in


def digest_bytes(public_id: str) -> bytes:
    """Convert a public identifier to bytes.

    >>> digest_bytes("00ff")
    b'\\x00\\xff'
    """
    return bytes.fromhex(public_id)


# Cached, as each text and key of a batch is hashed several times: for lookup, insertion and reference.
@lru_cache(maxsize=16_384)
def text_digest(text: str) -> bytes:
    """Return the digest by which a text of any length is looked up."""
    return digest_bytes(identity.digest("text", text))


@lru_cache(maxsize=16_384)
def entity_digest(key: str) -> bytes:
    """Return the digest of the entity with this key."""
    return digest_bytes(identity.entity_id(key))


def entity_rows(connection: Connection, keys: Iterable[str]) -> dict[str, int]:
    """Return the table keys of entities by entity key; entities that do not exist are absent."""
    by_digest = {entity_digest(key): key for key in keys}
    rows = select_in(connection, "SELECT digest, id FROM entity WHERE digest {any_of}", list(by_digest))
    return {by_digest[digest]: row for digest, row in rows}
