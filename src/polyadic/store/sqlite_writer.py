"""What writing to SQLite has of its own: the words of passages, in an FTS5 table that keeps no text."""

from collections.abc import Sequence

from polyadic.store.writer import SqlWriter, Words


class SqliteWriter(SqlWriter):
    def _index_words(self, words: Sequence[Words]) -> None:
        self._connection.executemany("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", words)

    def _forget_words(self, words: Sequence[Words]) -> None:
        # As the table keeps no text, it has to be told which words go.
        self._connection.executemany("INSERT INTO words (words, rowid, title, text) VALUES ('delete', ?, ?, ?)", words)
