"""Source texts ("words") from which a cluster or community was generated, and whether they are still current.

The words of an entity are its displayed name, type and description. They are current as long as evidence supports them
or they are displayed; an empty one is always current. The words of a summary are current as long as it has them. Only
digests are stored, so that no text of a deleted document remains.
"""

from collections.abc import Mapping, Sequence

from polyadic.model import identity
from polyadic.model.aggregation import Attribute
from polyadic.storage.connection import Connection
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.lists import select_in

Words = frozenset[bytes]
"""Digests of the name, type and description of an entity or summary; empty for a fact, whose identity is its text."""
_ATTRIBUTES = (Attribute.NAME, Attribute.TYPE, Attribute.DESCRIPTION)
_DIGEST_BYTES = 8


def words_of(name: str, type_: str, description: str) -> Words:
    """Return the digests of a name, a type and a description.

    >>> len(words_of("Ada", "", "a mathematician")), words_of("Ada", "", "") == words_of("", "Ada", "")
    (3, False)
    """
    return frozenset(_word(*pair) for pair in zip(_ATTRIBUTES, (name, type_, description), strict=True))


def pack_words(words: Words) -> bytes:
    """Concatenate digests of words in ascending order.

    >>> recorded_words = words_of("Ada", "person", "a mathematician")
    >>> unpack_words(pack_words(recorded_words)) == recorded_words
    True
    """
    return b"".join(sorted(words))


def unpack_words(data: bytes) -> Words:
    """The inverse of :func:`pack_words`."""
    return frozenset(data[at : at + _DIGEST_BYTES] for at in range(0, len(data), _DIGEST_BYTES))


def displayed(connection: Connection, table: str, digests: Sequence[bytes]) -> dict[bytes, Words]:
    """Return the displayed words of rows of ``table`` (entity or summary) by digest; missing rows are absent."""
    sql = f"SELECT digest, name, type, description FROM {table} WHERE digest {{any_of}}"
    return {digest: words_of(*shown) for digest, *shown in select_in(connection, sql, digests)}


def existing(connection: Connection, digests: Sequence[bytes]) -> dict[bytes, Words]:
    """Return the displayed words of entities, summaries and facts by digest; missing ones are absent."""
    facts = select_in(connection, "SELECT digest FROM fact WHERE digest {any_of}", digests)
    words: dict[bytes, Words] = {digest: frozenset() for (digest,) in facts}
    return words | displayed(connection, "entity", digests) | displayed(connection, "summary", digests)


def holding(connection: Connection, recorded_words: Mapping[bytes, Words]) -> dict[bytes, Words]:
    """Return the current words of the existing sources among ``recorded_words``, which maps digests to recorded words.

    Variants that are not displayed are read only if a recorded word is not displayed, as some entities have very many.
    """
    words = existing(connection, list(recorded_words))
    not_displayed = [
        digest for digest, recorded in recorded_words.items() if not recorded <= words.get(digest, recorded)
    ]
    variants = select_in(
        connection,
        "SELECT e.digest, s.attribute, s.value FROM entity e JOIN attribute_value s ON s.entity = e.id"
        " WHERE s.attribute IN ('name', 'type', 'description') AND e.digest {any_of}",
        not_displayed,
    )
    more: dict[bytes, set[bytes]] = {}
    for digest, attribute, value in variants:
        more.setdefault(digest, {*words_of("", "", "")}).add(_word(attribute, value))
    return words | {digest: words[digest] | those for digest, those in more.items()}


def _word(attribute: str, value: str) -> bytes:
    return digest_bytes(identity.digest("word", attribute, value))[:_DIGEST_BYTES]
