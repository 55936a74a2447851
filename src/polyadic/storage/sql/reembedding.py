"""Change of the embedding model: collect vectors of the new model beside those in use, then switch the store to them.

The new vectors are collected in a table of their own, in short transactions that do not lock out other writers.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from polyadic.model.aggregation import form
from polyadic.storage.connection import Connection, keys_of, next_page, select_in
from polyadic.storage.records import LedgerCall, Vectors
from polyadic.storage.sql import change_log, ledger
from polyadic.storage.sql.encoding import text_digest
from polyadic.storage.sql.half_precision import HalfVector
from polyadic.storage.sql.hierarchy_records import unsettle
from polyadic.storage.sql.meta import EMBEDDER, GATHERED, drop_meta, meta, put_meta
from polyadic.storage.sql.revisions import PUBLISHED
from polyadic.storage.sql.tables import ATTRIBUTE_VALUE, FACT, NEW_VECTOR, PASSAGE_WINDOW, SUMMARY, VECTOR
from polyadic.storage.sql.vectors import delete_unused, texts_without
from polyadic.storage.table import Insert, Table

_REPLACE = "UPDATE vector SET data = n.data FROM new_vector n WHERE n.digest = vector.digest"
_INSERT_COLLECTED = (
    "INSERT INTO vector (digest, uses, data) SELECT digest, 0, data FROM new_vector WHERE TRUE ON CONFLICT DO NOTHING"
)
_CURRENT_CHUNKS = f"SELECT c.digest, c.id FROM {PUBLISHED} WHERE c.digest {{any_of}}"
_WITHOUT_WINDOW = (
    "SELECT count(*) FROM document d JOIN chunk c ON c.revision = d.current"
    " WHERE NOT EXISTS (SELECT 1 FROM passage_window w WHERE w.chunk = c.id)"
)


class ReembeddingWriter:
    """Vectors of a new embedding model, collected beside those in use until the store switches to them.

    Readers and writers continue to work meanwhile. Each step is one ``transaction`` of a connection of its own, which
    ``close`` closes. ``put`` and ``switch`` may run on other threads than the rest.
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
        """Return how many texts have a new vector."""
        count: int = self._connection.execute("SELECT count(*) FROM new_vector").fetchone()[0]
        return count

    def texts(self) -> Iterator[str]:
        """Yield the texts to embed other than passages: facts, best-supported entity forms and summaries."""
        for *_, text in self._rows(FACT, "text"):
            yield text
        for *_, text in self._rows(ATTRIBUTE_VALUE, "value", where="vector IS NOT NULL"):
            yield text
        for *_, name, description in self._rows(SUMMARY, "name", "description"):
            yield form(name, description)

    def digest(self, text: str) -> bytes:
        """Return the digest that identifies a text in :meth:`switch`, which needs no texts in memory."""
        return text_digest(text)

    def texts_without_vectors(self, texts: Sequence[str]) -> list[str]:
        """Return the distinct texts that have no new vector yet."""
        return texts_without(self._connection, NEW_VECTOR, texts)

    def put(self, texts: Sequence[str], vectors: Vectors, paid: LedgerCall) -> bool:
        """Commit the new vector of each text, shape (len(texts), d), with the cost of the call, if there was one.

        Returns
        -------
        bool
            Whether d differs from that of the vectors collected so far; these are then dropped.
        """
        with self._transaction():
            dropped = len(texts) > 0 and self._drop_other_lengths(vectors.shape[1])
            self._connection.change(
                Insert(NEW_VECTOR, replace=("data",)),
                list(zip(map(text_digest, texts), HalfVector.each(vectors), strict=True)),
            )
            if paid.usage.calls:
                ledger.enter(self._connection, [(paid, None)])
        return dropped

    def switch(self, windows: Mapping[str, Sequence[bytes]]) -> None:
        """Replace the old vectors by the new ones in one transaction; call it within ``exclusive_session``.

        The hierarchy is kept. Its clusters were computed from the old vectors, so the next build clusters all entities
        again.

        Parameters
        ----------
        windows
            For each chunk of a current revision, the digests of its texts to embed.

        Raises
        ------
        LookupError
            A text has no new vector. The store is left unchanged.
        """
        with self._transaction():
            self._begin_switch()
            self._connection.execute("DELETE FROM passage_window")
            delete_unused(self._connection)
            self._replace_vectors()
            self._insert_windows(windows)
            unsettle(self._connection)
            self._connection.execute("DELETE FROM new_vector")
            drop_meta(self._connection, GATHERED)
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
        if meta(self._connection, GATHERED) != self._model:
            self._connection.execute("DELETE FROM new_vector")
            put_meta(self._connection, GATHERED, self._model)

    def _rows(self, table: Table, *columns: str, where: str = "TRUE") -> Iterator[Any]:
        """Yield the rows of a table, key first; no transaction stays open while texts are embedded."""
        last = None
        while rows := next_page(self._connection, table, (*table.key, *columns), last, where=where):
            yield from rows
            last = rows[-1]

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
        # Facts, forms and summaries keep their rows: their texts are unchanged, only the data is replaced.
        (kept,) = self._connection.execute("SELECT count(*) FROM vector").fetchone()
        replaced = self._connection.execute(_REPLACE).rowcount
        if replaced != kept:
            raise LookupError(f"{kept - replaced} facts, names and summaries have no vector of {self._model}")

    def _insert_windows(self, windows: Mapping[str, Sequence[bytes]]) -> None:
        distinct = {digest for digests in windows.values() for digest in digests}
        self._connection.execute(_INSERT_COLLECTED)
        vectors = keys_of(self._connection, VECTOR, [*distinct])
        chunks = dict(select_in(self._connection, _CURRENT_CHUNKS, [*map(bytes.fromhex, windows)]))
        self._connection.change(
            Insert(PASSAGE_WINDOW),
            [
                (chunks[key], ordinal, vectors[digest])
                for chunk, digests in windows.items()
                if (key := bytes.fromhex(chunk)) in chunks
                for ordinal, digest in enumerate(digests)
                if digest in vectors
            ],
        )
        delete_unused(self._connection)
        (without,) = self._connection.execute(_WITHOUT_WINDOW).fetchone()
        if without:
            raise LookupError(f"{without} chunks have no vector of {self._model}")
