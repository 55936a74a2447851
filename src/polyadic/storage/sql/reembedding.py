"""Change of the embedding model: collect vectors of the new model beside those in use, then switch the store to them.

The new vectors are collected in a table of their own, in short transactions that do not lock out other writers.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from polyadic.model.aggregation import form
from polyadic.storage.connection import Connection
from polyadic.storage.protocol import LedgerCall, Vectors
from polyadic.storage.row_changes import Insert
from polyadic.storage.sql import change_log, ledger
from polyadic.storage.sql.digests import digest_bytes, text_digest
from polyadic.storage.sql.embedding_model import EMBEDDER
from polyadic.storage.sql.half_precision import HalfVector
from polyadic.storage.sql.hierarchy_records import unsettle
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.meta import drop_meta, meta, put_meta
from polyadic.storage.sql.spans import PUBLISHED
from polyadic.storage.sql.tables import NEW_VECTOR, PASSAGE_WINDOW

_PAGE = 1024
_GATHERED = "gathered"  # key in the table meta: the model whose vectors are being collected
_BEFORE_ALL = -1

# Keyset pagination: no transaction stays open while texts are embedded.
_FACTS = "SELECT id, text FROM fact WHERE id > ? ORDER BY id LIMIT ?"
_FORMS = (
    "SELECT entity, value_digest, value FROM attribute_value"
    " WHERE vector IS NOT NULL AND (entity, value_digest) > (?, ?) ORDER BY entity, value_digest LIMIT ?"
)
_SUMMARIES = "SELECT id, name, description FROM summary WHERE id > ? ORDER BY id LIMIT ?"

_DELETE_UNUSED = "DELETE FROM vector WHERE uses = 0"
# Facts, forms and summaries keep their rows of ``vector``: their texts are unchanged, only the data is replaced.
_DELETE_OLD_WINDOWS = (
    "UPDATE vector SET uses = uses - w.occurrences"
    " FROM (SELECT vector, count(*) AS occurrences FROM passage_window GROUP BY vector) w WHERE w.vector = vector.id",
    "DELETE FROM passage_window",
    _DELETE_UNUSED,
)
_REPLACE = "UPDATE vector SET data = n.data FROM new_vector n WHERE n.digest = vector.digest"
_INSERT_COLLECTED = (
    "INSERT INTO vector (digest, uses, data) SELECT digest, 0, data FROM new_vector WHERE TRUE ON CONFLICT DO NOTHING"
)
_CURRENT_CHUNKS = f"SELECT c.digest, c.id FROM {PUBLISHED} WHERE c.digest {{any_of}}"
_COUNT_WINDOWS = (
    "UPDATE vector SET uses = uses + w.occurrences"
    " FROM (SELECT vector, count(*) AS occurrences FROM passage_window GROUP BY vector) w WHERE w.vector = vector.id"
)
_WITHOUT_WINDOW = (
    "SELECT count(*) FROM document d JOIN chunk c ON c.revision = d.current"
    " WHERE NOT EXISTS (SELECT 1 FROM passage_window w WHERE w.chunk = c.id)"
)


class SqlReembeddingWriter:
    """Implements :class:`polyadic.storage.protocol.ReembeddingWriter` over a connection of its own, which it closes.

    Each step is one ``transaction`` of the connection. ``put`` and ``switch`` may run on other threads than the rest.
    """

    def __init__(
        self, connection: Connection, model: str, transaction: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._connection = connection
        self._model = model
        self._begin_transaction = transaction
        # A cancelled task leaves its thread running: close() waits for that thread's commit.
        self._committing = threading.Lock()
        with self._transaction():
            self._discard_other_model()

    def count(self) -> int:
        count: int = self._connection.execute("SELECT count(*) FROM new_vector").fetchone()[0]
        return count

    def texts(self) -> Iterator[str]:
        for *_, text in self._pages(_FACTS, (_BEFORE_ALL,)):
            yield text
        for *_, text in self._pages(_FORMS, (_BEFORE_ALL, b"")):
            yield text
        for _, name, description in self._pages(_SUMMARIES, (_BEFORE_ALL,)):
            yield form(name, description)

    def digest(self, text: str) -> bytes:
        return text_digest(text)

    def texts_without_vectors(self, texts: Sequence[str]) -> list[str]:
        wanted = {text_digest(text): text for text in texts}
        sql = "SELECT digest FROM new_vector WHERE digest {any_of}"
        for (digest,) in select_in(self._connection, sql, list(wanted)):
            del wanted[digest]
        return list(wanted.values())

    def put(self, texts: Sequence[str], vectors: Vectors, paid: LedgerCall) -> bool:
        with self._transaction():
            dropped = len(texts) > 0 and self._drop_other_lengths(vectors.shape[1])
            self._connection.change(
                Insert(NEW_VECTOR, NEW_VECTOR.names, replace=("data",)),
                list(zip(map(text_digest, texts), HalfVector.each(vectors), strict=True)),
            )
            if paid.usage.calls:
                ledger.enter(self._connection, paid, None)
        return dropped

    def switch(self, windows: Mapping[str, Sequence[bytes]]) -> None:
        with self._transaction():
            self._begin_switch()
            for sql in _DELETE_OLD_WINDOWS:
                self._connection.execute(sql)
            self._replace_vectors()
            self._insert_windows(windows)
            unsettle(self._connection)
            self._connection.execute("DELETE FROM new_vector")
            drop_meta(self._connection, _GATHERED)
            put_meta(self._connection, EMBEDDER, self._model)
            change_log.begin_anew(self._connection)

    def close(self) -> None:
        with self._committing:
            self._connection.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._committing, self._begin_transaction():
            yield

    def _discard_other_model(self) -> None:
        """Discard vectors that were collected for another model."""
        if meta(self._connection, _GATHERED) != self._model:
            self._connection.execute("DELETE FROM new_vector")
            put_meta(self._connection, _GATHERED, self._model)

    def _pages(self, sql: str, start: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """Read the rows of a query page by page; each row begins with its sort key."""
        after = start
        while rows := self._connection.execute(sql, (*after, _PAGE)).fetchall():
            yield from rows
            after = rows[-1][: len(start)]

    def _drop_other_lengths(self, dimension: int) -> bool:
        """Discard collected vectors of another dimension; return whether there were any.

        An endpoint may have started to serve another model under the same name.
        """
        row = self._connection.execute("SELECT data FROM new_vector LIMIT 1").fetchone()
        other = row is not None and HalfVector(row[0]).width != dimension
        if other:
            self._connection.execute("DELETE FROM new_vector")
        return other

    def _begin_switch(self) -> None:
        """Lock out other writers until the switch is committed, if the transaction itself does not."""

    def _replace_vectors(self) -> None:
        (kept,) = self._connection.execute("SELECT count(*) FROM vector").fetchone()
        replaced = self._connection.execute(_REPLACE).rowcount
        if replaced != kept:
            raise LookupError(f"{kept - replaced} facts, names and summaries have no vector of {self._model}")

    def _insert_windows(self, windows: Mapping[str, Sequence[bytes]]) -> None:
        distinct = {digest for digests in windows.values() for digest in digests}
        self._connection.execute(_INSERT_COLLECTED)
        vectors = dict(select_in(self._connection, "SELECT digest, id FROM vector WHERE digest {any_of}", [*distinct]))
        chunks = dict(select_in(self._connection, _CURRENT_CHUNKS, [*map(digest_bytes, windows)]))
        self._connection.change(
            Insert(PASSAGE_WINDOW, PASSAGE_WINDOW.names),
            [
                (chunks[key], ordinal, vectors[digest])
                for chunk, digests in windows.items()
                if (key := digest_bytes(chunk)) in chunks
                for ordinal, digest in enumerate(digests)
                if digest in vectors
            ],
        )
        self._connection.execute(_COUNT_WINDOWS)
        self._connection.execute(_DELETE_UNUSED)
        (without,) = self._connection.execute(_WITHOUT_WINDOW).fetchone()
        if without:
            raise LookupError(f"{without} chunks have no vector of {self._model}")
