"""Find the rows of entities by their keys."""

from collections.abc import Iterable

from polyadic.storage.connection import Connection
from polyadic.storage.sql.digests import entity_digest
from polyadic.storage.sql.lists import select_in


def entity_rows(connection: Connection, keys: Iterable[str]) -> dict[str, int]:
    """Return the table keys of entities by entity key; entities that do not exist are absent."""
    by_digest = {entity_digest(key): key for key in keys}
    rows = select_in(connection, "SELECT digest, id FROM entity WHERE digest {any_of}", list(by_digest))
    return {by_digest[digest]: row for digest, row in rows}
