"""Full-text search in PostgreSQL: one unstemmed tsvector per passage."""

from collections.abc import Iterator, Sequence

from polyadic.storage.connection import Connection
from polyadic.storage.sql.full_text import DIGITS, FullTextTerm, terms_of, words_of

# Number of passages whose term frequencies are counted: a multiple of the limit, and a minimum.
_CANDIDATES_PER_HIT, _MIN_CANDIDATES = 5, 200


class PostgresWordIndex:
    """Implements :class:`polyadic.storage.sql.full_text.WordIndex` within the open transaction of a connection.

    On a filtered connection, ``matching`` and ``holding`` return passages of its documents only.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def matching(self, text: str, limit: int | None = None) -> Iterator[tuple[int, float]]:
        """Yield chunks that contain any term of a text, best first, with BM25 scores; at most ``limit`` if given."""
        terms = terms_of(text)
        queries, firsts = [_tsquery([term]) for term in terms], [term.words[0] for term in terms]
        seconds, are_prefixes = [(*term.words, None)[1] for term in terms], [term.is_prefix for term in terms]
        candidates = None if limit is None else max(_MIN_CANDIDATES, _CANDIDATES_PER_HIT * limit)
        yield from self._connection.execute(
            f"SELECT c.id, round(m.rank::numeric, {DIGITS})::double precision FROM rank_passages(?, ?, ?, ?, ?) m"
            " JOIN chunk c ON c.id = m.chunk ORDER BY 2 DESC, c.digest LIMIT ?",
            (queries, firsts, seconds, are_prefixes, candidates, limit),
        )

    def chunks_with(self, word: str) -> Iterator[int]:
        sql = "SELECT c.id FROM passages_with(?, NULL) h JOIN chunk c ON c.id = h"
        for (chunk,) in self._connection.execute(sql, (_tsquery([FullTextTerm((part,)) for part in words_of(word)]),)):
            yield chunk

    def each_holding(self, words: Sequence[str], limit: int) -> list[tuple[int, int]]:
        """Find at most ``limit`` chunks for each word, as pairs of the word's position and a chunk, in ascending order.

        Searches the whole workspace, also on a filtered connection.
        """
        return self._connection.execute(
            "SELECT o.place - 1, h.chunk FROM unnest(?::text[]) WITH ORDINALITY o (word, place), LATERAL"
            " passages_with(o.word, ?) h (chunk) ORDER BY 1, 2",
            ([_tsquery([FullTextTerm((part,)) for part in words_of(word)]) for word in words], limit),
        ).fetchall()


def _tsquery(terms: Sequence[FullTextTerm]) -> str:
    """Make a tsquery that matches any of the terms.

    >>> _tsquery([FullTextTerm(("月", "球")), FullTextTerm(("serv",), is_prefix=True)])
    "'月' <-> '球' | 'serv':*"
    """
    return " | ".join(
        " <-> ".join(f"'{word}'" for word in term.words) + (":*" if term.is_prefix else "") for term in terms
    )
