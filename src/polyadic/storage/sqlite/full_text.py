"""Full-text index of chunks in SQLite, a contentless FTS5 table, and the writers that maintain it."""

import secrets
import sqlite3
from collections.abc import Iterator, Sequence

from polyadic.storage.sql.full_text import DIGITS, FullTextTerm, fts5_query, terms_of, words_of
from polyadic.storage.sql.meta import put_meta
from polyadic.storage.sql.writer import SqlWriter, Words
from polyadic.storage.table import Table
from polyadic.storage.transfer import CopyTarget, Row


class SqliteWordIndex:
    """FTS5 search in an open transaction; implements :class:`polyadic.storage.sql.full_text.WordIndex`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def matching(self, text: str) -> Iterator[tuple[int, float]]:
        if not (query := fts5_query(terms_of(text))):
            return iter(())
        # Fetched at once: FTS5 scores all matches before it returns the first.
        sql = (
            f"SELECT rowid, round(-bm25(passage_fts), {DIGITS}) FROM passage_fts WHERE passage_fts MATCH ?"
            f" ORDER BY 2 DESC, rowid"
        )
        return iter(self._connection.execute(sql, (query,)).fetchall())

    def chunks_with(self, word: str) -> Iterator[int]:
        if query := fts5_query([FullTextTerm((part,)) for part in words_of(word)]):
            for (chunk,) in self._connection.execute(
                "SELECT rowid FROM passage_fts WHERE passage_fts MATCH ?", (query,)
            ):
                yield chunk


class SqliteWriter(SqlWriter):
    """Write transaction of the SQLite store; implements :class:`polyadic.storage.protocol.Writer`."""

    def _index_words(self, words: Sequence[Words]) -> None:
        for row in words:
            self._connection.execute("INSERT INTO passage_fts (rowid, title, text) VALUES (?, ?, ?)", row)

    def _forget_words(self, words: Sequence[Words]) -> None:
        # A contentless table needs the original text to delete a row.
        sql = "INSERT INTO passage_fts (passage_fts, rowid, title, text) VALUES ('delete', ?, ?, ?)"
        for row in words:
            self._connection.execute(sql, row)


class SqliteCopyTarget(CopyTarget):
    """SQLite store that receives a copy."""

    def settle(self) -> None:
        super().settle()
        with self._transaction():
            put_meta(self._connection, "store", secrets.token_hex(8))

    def _clear(self) -> None:
        self._connection.execute("INSERT INTO passage_fts (passage_fts) VALUES ('delete-all')")

    def _complete(self, table: Table, rows: Sequence[Row]) -> None:
        if table.name == "chunk":
            self._index_words(rows, SqliteWriter(self._connection).index_words)
