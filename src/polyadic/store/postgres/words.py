"""The words of passages in PostgreSQL: a tsvector each, of the words as they stand, in no language's form."""

from collections.abc import Iterator, Sequence

from polyadic.store.connection import Connection
from polyadic.store.tables.full_text import Term, terms_of, words_of


class PostgresWords:
    """Implements :class:`polyadic.store.tables.full_text.WordIndex` within the open transaction of a connection.

    Where that shows some documents alone, passages of these are found.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def matching(self, text: str, limit: int | None = None) -> Iterator[tuple[int, float]]:
        """At most ``limit`` of them, where one is given."""
        yield from self._connection.execute(
            "SELECT c.id, m.rank FROM matching(?) m JOIN chunk c ON c.id = m.chunk ORDER BY 2 DESC, c.place LIMIT ?",
            (_any_of(terms_of(text)), limit),
        )

    def holding(self, word: str) -> Iterator[int]:
        sql = "SELECT c.id FROM holding(?, NULL) h JOIN chunk c ON c.id = h"
        for (chunk,) in self._connection.execute(sql, (_any_of([Term((part,)) for part in words_of(word)]),)):
            yield chunk

    def each_holding(self, words: Sequence[str], limit: int) -> list[tuple[int, int]]:
        """The place of each word, and the chunks that hold it, at most ``limit`` each; in ascending order of both.

        In the whole workspace, whatever documents the connection shows: no more are looked up than are asked for.
        """
        return self._connection.execute(
            "SELECT o.place - 1, h.chunk FROM unnest(?::text[]) WITH ORDINALITY o (word, place), LATERAL"
            " holding(o.word, ?) h (chunk) ORDER BY 1, 2",
            ([_any_of([Term((part,)) for part in words_of(word)]) for word in words], limit),
        ).fetchall()


def _any_of(terms: Sequence[Term]) -> str:
    """A tsquery for any of the terms.

    >>> _any_of([Term(("月", "球")), Term(("serv",), is_prefix=True)])
    "'月' <-> '球' | 'serv':*"
    """
    return " | ".join(
        " <-> ".join(f"'{word}'" for word in term.words) + (":*" if term.is_prefix else "") for term in terms
    )
