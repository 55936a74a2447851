"""Vectors of another embedding model, gathered beside those in use, and the switch of a SQLite store to them.

What is gathered stands in a table that nobody else reads or writes, so it is committed without keeping other writers
out: SQLite lets one short transaction after the other in.
"""

import contextlib
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polyadic.derivation import form
from polyadic.store import changes, ledger
from polyadic.store.database import rolled_back
from polyadic.store.digests import digest_bytes, vector_digest
from polyadic.store.half_precision import HALF, rounded
from polyadic.store.protocol import Call, Vectors
from polyadic.store.selecting import select_in
from polyadic.store.theme_records import unsettle

_PAGE = 1024
_GATHERED = "gathered"  # key in the table meta: for which model new vectors are gathered
_BEFORE_ALL = -1

# Page by page, by where the last one ended: no transaction stays open while texts are embedded.
_FACTS = "SELECT id, text FROM fact WHERE id > ? ORDER BY id LIMIT ?"
_FORMS = (
    "SELECT entity, value FROM said WHERE vector IS NOT NULL AND (entity, value) > (?, ?)"
    " ORDER BY entity, value LIMIT ?"
)
_SUMMARIES = "SELECT id, name, description FROM summary WHERE id > ? ORDER BY id LIMIT ?"

# Facts, forms and summaries keep their rows: their texts are as they were, only the numbers are others.
_OLD_WINDOWS_GO = (
    "UPDATE vector SET uses = uses - w.times"
    " FROM (SELECT vector, count(*) AS times FROM passage_window GROUP BY vector) w WHERE w.vector = vector.id",
    "DELETE FROM passage_window",
    "DELETE FROM vector WHERE uses = 0",
)
_REPLACE = "UPDATE vector SET data = n.data FROM new_vector n WHERE n.digest = vector.digest"
_INSERT_VECTOR = (
    "INSERT OR IGNORE INTO vector (digest, uses, data) SELECT digest, 0, data FROM new_vector WHERE digest = ?"
)
_INSERT_WINDOW = (
    "INSERT INTO passage_window (chunk, ordinal, vector) SELECT c.id, ?, v.id FROM chunk c"
    " JOIN revision r ON r.id = c.revision JOIN document d ON d.id = r.document AND d.current = r.id"
    " JOIN vector v ON v.digest = ? WHERE c.digest = ?"
)
_COUNT_WINDOWS = (
    "UPDATE vector SET uses = uses + w.times"
    " FROM (SELECT vector, count(*) AS times FROM passage_window GROUP BY vector) w WHERE w.vector = vector.id"
)
_WITHOUT_WINDOW = (
    "SELECT count(*) FROM document d JOIN chunk c ON c.revision = d.current"
    " WHERE NOT EXISTS (SELECT 1 FROM passage_window w WHERE w.chunk = c.id)"
)


class SqliteGathering:
    """Implements :class:`polyadic.store.protocol.Gathering` over a connection of its own, which it closes.

    ``put`` and ``switch`` may run on other threads than the rest.
    """

    def __init__(self, connection: sqlite3.Connection, model: str) -> None:
        self._connection = connection
        self._model = model
        # A task that is cancelled leaves its thread behind: closing waits for what that is committing.
        self._committing = threading.Lock()
        with self._transaction():
            self._begin()

    def count(self) -> int:
        found: int = self._connection.execute("SELECT count(*) FROM new_vector").fetchone()[0]
        return found

    def texts(self) -> Iterator[str]:
        for *_, text in self._pages(_FACTS, (_BEFORE_ALL,)):
            yield text
        for *_, text in self._pages(_FORMS, (_BEFORE_ALL, "")):
            yield text
        for _, name, description in self._pages(_SUMMARIES, (_BEFORE_ALL,)):
            yield form(name, description)

    def digest(self, text: str) -> bytes:
        return vector_digest(text)

    def lacking(self, texts: Sequence[str]) -> list[str]:
        wanted = {vector_digest(text): text for text in texts}
        sql = "SELECT digest FROM new_vector WHERE digest IN ({})"
        for (digest,) in select_in(self._connection, sql, list(wanted)):
            del wanted[digest]
        return list(wanted.values())

    def put(self, texts: Sequence[str], vectors: Vectors, paid: Call) -> bool:
        rows = rounded(vectors)
        with self._transaction():
            dropped = len(texts) > 0 and self._drop_other_lengths(rows.shape[1])
            self._connection.executemany(
                "INSERT OR REPLACE INTO new_vector (digest, data) VALUES (?, ?)",
                [(vector_digest(text), row.tobytes()) for text, row in zip(texts, rows, strict=True)],
            )
            if paid.usage.calls:
                ledger.enter(self._connection, paid, None)
        return dropped

    def switch(self, windows: Mapping[str, Sequence[bytes]]) -> None:
        with self._transaction():
            for sql in _OLD_WINDOWS_GO:
                self._connection.execute(sql)
            self._replace_vectors()
            self._insert_windows(windows)
            unsettle(self._connection)
            self._connection.execute("DELETE FROM new_vector")
            self._connection.execute("DELETE FROM meta WHERE key = ?", (_GATHERED,))
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES ('embedder', ?)", (self._model,))
            changes.begin_anew(self._connection)

    def close(self) -> None:
        with self._committing:
            self._connection.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._committing:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                rolled_back(self._connection)
                raise

    def _begin(self) -> None:
        """What was gathered for another model goes."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (_GATHERED,)).fetchone()
        if row != (self._model,):
            self._connection.execute("DELETE FROM new_vector")
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_GATHERED, self._model))

    def _pages(self, sql: str, start: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, read page by page; each row begins with what it is ordered by."""
        after = start
        while rows := self._connection.execute(sql, (*after, _PAGE)).fetchall():
            yield from rows
            after = rows[-1][: len(start)]

    def _drop_other_lengths(self, dimension: int) -> bool:
        """An endpoint may have come to serve another model under the same name; then all begins anew."""
        row = self._connection.execute("SELECT length(data) FROM new_vector LIMIT 1").fetchone()
        other = row is not None and row[0] != dimension * HALF.itemsize
        if other:
            self._connection.execute("DELETE FROM new_vector")
        return other

    def _replace_vectors(self) -> None:
        (kept,) = self._connection.execute("SELECT count(*) FROM vector").fetchone()
        replaced = self._connection.execute(_REPLACE).rowcount
        if replaced != kept:
            raise LookupError(f"{kept - replaced} facts, names and summaries have no vector of {self._model}")

    def _insert_windows(self, windows: Mapping[str, Sequence[bytes]]) -> None:
        digests = {digest for mine in windows.values() for digest in mine}
        self._connection.executemany(_INSERT_VECTOR, [(digest,) for digest in digests])
        self._connection.executemany(
            _INSERT_WINDOW,
            (
                (ordinal, digest, digest_bytes(chunk))
                for chunk, mine in windows.items()
                for ordinal, digest in enumerate(mine)
            ),
        )
        self._connection.execute(_COUNT_WINDOWS)
        (without,) = self._connection.execute(_WITHOUT_WINDOW).fetchone()
        if without:
            raise LookupError(f"{without} chunks have no vector of {self._model}")
