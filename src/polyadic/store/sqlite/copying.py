"""What being filled with the rows of another store has of its own in SQLite: the words of passages."""

import secrets
from collections.abc import Sequence

from polyadic.store.copying import Row
from polyadic.store.sqlite.words import SqliteWriter
from polyadic.store.tables.copying import SqlDuplicate, Table
from polyadic.store.tables.meta import put_meta


class SqliteDuplicate(SqlDuplicate):
    """Implements :class:`polyadic.store.copying.Duplicate`."""

    def settle(self) -> None:
        super().settle()
        with self._transaction():
            put_meta(self._connection, "store", secrets.token_hex(8))

    def _clear(self) -> None:
        self._connection.execute("INSERT INTO words (words) VALUES ('delete-all')")

    def _prepare(self, table: Table, rows: Sequence[Row]) -> None:
        """Nothing has to be."""

    def _complete(self, table: Table, rows: Sequence[Row]) -> None:
        if table.name == "chunk":
            self._index_words(SqliteWriter(self._connection), rows)
