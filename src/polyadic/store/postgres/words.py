"""The words of passages in PostgreSQL: a tsvector each, of the words as they stand, in no language's form."""

from collections.abc import Iterator, Sequence

from polyadic.store.connection import Connection
from polyadic.store.tables.full_text import words_of


class PostgresWords:
    """Implements :class:`polyadic.store.tables.full_text.WordIndex` within the open transaction of a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def matching(self, words: str, limit: int | None = None) -> Iterator[tuple[int, float]]:
        """At most ``limit`` of them, where one is given."""
        yield from self._connection.execute(
            "SELECT id, ts_rank_cd(words, q) FROM chunk, to_tsquery('simple', ?) q WHERE words @@ q"
            " ORDER BY 2 DESC, place LIMIT ?",
            (_any_of(words), limit),
        )

    def holding(self, word: str, limit: int | None = None) -> Iterator[int]:
        """At most ``limit`` of them, where one is given."""
        sql = "SELECT id FROM chunk WHERE words @@ to_tsquery('simple', ?) LIMIT ?"
        for (chunk,) in self._connection.execute(sql, (_any_of(word), limit)):
            yield chunk

    def each_holding(self, words: Sequence[str], limit: int) -> list[tuple[int, int]]:
        """The place of each word, and the chunks that hold it, at most ``limit`` each; in ascending order of both."""
        return self._connection.execute(
            "SELECT o.place - 1, c.id FROM unnest(?::text[]) WITH ORDINALITY o (word, place), LATERAL"
            " (SELECT id FROM chunk WHERE words @@ to_tsquery('simple', o.word) LIMIT ?) c ORDER BY 1, 2",
            ([_any_of(word) for word in words], limit),
        ).fetchall()


def _any_of(text: str) -> str:
    """
    >>> _any_of('who "wrote" it?')
    "'who' | 'wrote' | 'it'"
    """
    return " | ".join(f"'{word}'" for word in words_of(text))
