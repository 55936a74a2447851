"""What a cluster or a community was told of its sources, and whether that still holds.

Of an entity it was told a name, a type and a description, as they were displayed. They hold as long as any evidence
says them of it, or they are displayed; that there was none holds anyway. Of a summary they hold as long as it has them.
What is kept are digests, so that none of these words stands there itself.
"""

from collections.abc import Mapping, Sequence

from polyadic.model import identity
from polyadic.model.aggregation import Attribute
from polyadic.storage.connection import Connection
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.sql_in import select_in

Words = frozenset[bytes]
"""Digests of what is said of an entity or a summary; of a fact, which says itself, none."""
_TOLD = (Attribute.NAME, Attribute.TYPE, Attribute.DESCRIPTION)
_DIGEST_BYTES = 8


def words_of(name: str, type_: str, description: str) -> Words:
    """
    >>> len(words_of("Ada", "", "a mathematician")), words_of("Ada", "", "") == words_of("", "Ada", "")
    (3, False)
    """
    return frozenset(_word(*told) for told in zip(_TOLD, (name, type_, description), strict=True))


def pack_words(words: Words) -> bytes:
    """
    >>> told = words_of("Ada", "person", "a mathematician")
    >>> unpack_words(pack_words(told)) == told
    True
    """
    return b"".join(sorted(words))


def unpack_words(data: bytes) -> Words:
    """The inverse of :func:`pack_words`."""
    return frozenset(data[at : at + _DIGEST_BYTES] for at in range(0, len(data), _DIGEST_BYTES))


def displayed(connection: Connection, table: str, digests: Sequence[bytes]) -> dict[bytes, Words]:
    """What is displayed of those that are in the table, entity or summary."""
    sql = f"SELECT digest, name, type, description FROM {table} WHERE digest IN ({{}})"
    return {digest: words_of(*shown) for digest, *shown in select_in(connection, sql, digests)}


def existing(connection: Connection, digests: Sequence[bytes]) -> dict[bytes, Words]:
    """Entities, summaries and facts that are there, each with what is displayed of it."""
    facts = select_in(connection, "SELECT digest FROM fact WHERE digest IN ({})", digests)
    words: dict[bytes, Words] = {digest: frozenset() for (digest,) in facts}
    return words | displayed(connection, "entity", digests) | displayed(connection, "summary", digests)


def holding(connection: Connection, told: Mapping[bytes, Words]) -> dict[bytes, Words]:
    """What holds now of those that are there.

    Where all that was told is displayed, nothing else is looked for: of some entities a great deal is said.
    """
    words = existing(connection, list(told))
    beyond = [digest for digest, those in told.items() if not those <= words.get(digest, those)]
    said = select_in(
        connection,
        "SELECT e.digest, s.attribute, s.value FROM entity e JOIN said s ON s.entity = e.id"
        " WHERE s.attribute IN ('name', 'type', 'description') AND e.digest IN ({})",
        beyond,
    )
    more: dict[bytes, set[bytes]] = {}
    for digest, attribute, value in said:
        more.setdefault(digest, {*words_of("", "", "")}).add(_word(attribute, value))
    return words | {digest: words[digest] | those for digest, those in more.items()}


def _word(attribute: str, value: str) -> bytes:
    return digest_bytes(identity.digest("word", attribute, value))[:_DIGEST_BYTES]
