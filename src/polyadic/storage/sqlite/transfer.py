"""Copy target of the SQLite store."""

import secrets
from collections.abc import Sequence

from polyadic.storage.sql.meta import put_meta
from polyadic.storage.sql.transfer import SqlCopyTarget
from polyadic.storage.sqlite.full_text import SqliteWriter
from polyadic.storage.table import Table
from polyadic.storage.transfer import Row


class SqliteCopyTarget(SqlCopyTarget):
    """SQLite store that receives a copy; implements :class:`polyadic.storage.transfer.CopyTarget`."""

    def settle(self) -> None:
        super().settle()
        with self._transaction():
            put_meta(self._connection, "store", secrets.token_hex(8))

    def _clear(self) -> None:
        self._connection.execute("INSERT INTO passage_fts (passage_fts) VALUES ('delete-all')")

    def _complete(self, table: Table, rows: Sequence[Row]) -> None:
        if table.name == "chunk":
            self._index_words(SqliteWriter(self._connection), rows)
