"""The words of passages in PostgreSQL: a tsvector each, of the words as they stand, in no language's form."""

from collections.abc import Iterator, Sequence

from polyadic.storage.connection import Connection
from polyadic.storage.sql.full_text import DIGITS, FullTextTerm, terms_of, words_of

# Of how many passages it is counted how often they hold a term, as a multiple of those that are wanted, and at least.
_LIKELY, _LEAST_LIKELY = 5, 200


class PostgresWordIndex:
    """Implements :class:`polyadic.storage.sql.full_text.WordIndex` within the open transaction of a connection.

    Where that shows some documents alone, passages of these are found.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def matching(self, text: str, limit: int | None = None) -> Iterator[tuple[int, float]]:
        """At most ``limit`` of them, where one is given."""
        terms = terms_of(text)
        queries, firsts = [_any_of([term]) for term in terms], [term.words[0] for term in terms]
        seconds, are_prefixes = [(*term.words, None)[1] for term in terms], [term.is_prefix for term in terms]
        likely = None if limit is None else max(_LEAST_LIKELY, _LIKELY * limit)
        yield from self._connection.execute(
            f"SELECT c.id, round(m.rank::numeric, {DIGITS})::double precision FROM matching(?, ?, ?, ?, ?) m"
            " JOIN chunk c ON c.id = m.chunk ORDER BY 2 DESC, c.digest LIMIT ?",
            (queries, firsts, seconds, are_prefixes, likely, limit),
        )

    def holding(self, word: str) -> Iterator[int]:
        sql = "SELECT c.id FROM holding(?, NULL) h JOIN chunk c ON c.id = h"
        for (chunk,) in self._connection.execute(sql, (_any_of([FullTextTerm((part,)) for part in words_of(word)]),)):
            yield chunk

    def each_holding(self, words: Sequence[str], limit: int) -> list[tuple[int, int]]:
        """The place of each word, and the chunks that hold it, at most ``limit`` each; in ascending order of both.

        In the whole workspace, whatever documents the connection shows: no more are looked up than are asked for.
        """
        return self._connection.execute(
            "SELECT o.place - 1, h.chunk FROM unnest(?::text[]) WITH ORDINALITY o (word, place), LATERAL"
            " holding(o.word, ?) h (chunk) ORDER BY 1, 2",
            ([_any_of([FullTextTerm((part,)) for part in words_of(word)]) for word in words], limit),
        ).fetchall()


def _any_of(terms: Sequence[FullTextTerm]) -> str:
    """A tsquery for any of the terms.

    >>> _any_of([FullTextTerm(("月", "球")), FullTextTerm(("serv",), is_prefix=True)])
    "'月' <-> '球' | 'serv':*"
    """
    return " | ".join(
        " <-> ".join(f"'{word}'" for word in term.words) + (":*" if term.is_prefix else "") for term in terms
    )
