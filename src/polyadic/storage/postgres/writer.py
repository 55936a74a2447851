"""Writers of PostgreSQL: they also maintain words, searched vectors, sort keys and topic entities of passages."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from polyadic.storage.connection import Connection
from polyadic.storage.postgres import topic_entities
from polyadic.storage.postgres.hnsw import index_large, index_marked, mark_large, unmark
from polyadic.storage.protocol import StoreChange, Vectors
from polyadic.storage.sql.half_precision import HalfVector
from polyadic.storage.sql.meta import dimension_of
from polyadic.storage.sql.reembedding import ReembeddingWriter
from polyadic.storage.sql.revisions import resolution_of
from polyadic.storage.sql.tables import COPIED
from polyadic.storage.sql.writer import SqlWriter, Words
from polyadic.storage.table import Table
from polyadic.storage.transfer import CopyTarget, Row

_AT_ONCE = 1_000
"""Passages whose words are indexed, or whose topic entities are chosen, at once."""
_INDEX_SQL = (
    "SELECT index_passage(chunk, title, text) FROM unnest(?::bigint[], ?::text[], ?::text[]) v (chunk, title, text)"
)
_SORT_KEY_SQL = (
    "UPDATE chunk SET"
    " sort_key = (SELECT d.digest FROM revision r JOIN document d ON d.id = r.document WHERE r.id = chunk.revision)"
    " || int8send(start) WHERE id = ANY(?)"
)
_INSERT_VECTORS = (
    "INSERT INTO search_vector (node_type, row, vector, dimension, data, indexed) SELECT h.node_type, o.{owner}, v.id,"
    " vector_dims(v.data), v.data, h.indexed FROM row_count h CROSS JOIN {table} o JOIN vector v ON v.id = o.vector"
    " WHERE h.node_type = ? {which} ON CONFLICT DO NOTHING"
)
_VECTOR_OWNERS = {"fact": ("fact", "id"), "attribute_value": ("entity", "entity")}
"""Tables with a vector column: node_type and row key in ``search_vector``. A trigger handles windows."""
_CURRENT_CHUNKS = (
    "SELECT c.id FROM chunk c JOIN revision r ON r.id = c.revision JOIN document d ON d.id = r.document"
    " AND d.current = r.id WHERE c.id > ? ORDER BY c.id LIMIT ?"
)


class PostgresWriter(SqlWriter):
    """Implements :class:`polyadic.storage.protocol.Writer`."""

    def put_vectors(self, texts: Sequence[str], vectors: Vectors) -> None:
        if len(texts):
            _create_partition(self._connection, vectors.shape[1])
        super().put_vectors(texts, vectors)

    def apply(self, change: StoreChange) -> None:
        super().apply(change)
        topic_entities.renew(self._connection, self.resolution(), self._touched.entities, self._touched.chunks)

    def attach(self) -> list[str]:
        lacking = super().attach()
        if not lacking:
            index_large(self._connection)
        return lacking

    def _index_words(self, words: Sequence[Words]) -> None:
        for start in range(0, len(words), _AT_ONCE):
            chunks, titles, texts = map(list, zip(*words[start : start + _AT_ONCE], strict=True))
            self._connection.execute(_INDEX_SQL, (chunks, titles, texts))
            self._connection.execute(_SORT_KEY_SQL, (chunks,))

    def _forget_words(self, words: Sequence[Words]) -> None:
        """Do nothing: deleting the chunks deletes their words."""


class PostgresCopyTarget(CopyTarget):
    """PostgreSQL workspace that receives a copy."""

    def settle(self) -> None:
        with self._transaction():
            for table in (one.name for one in COPIED if one.is_numbered):
                self._connection.execute(f"SELECT advance(?, coalesce(max(id), 0)) FROM {table}", (table,))
        self._set_topics()
        with self._transaction():
            mark_large(self._connection)
        with self._transaction():
            index_marked(self._connection)
        with self._transaction():
            self._connection.execute("SELECT analyze_tables()")
        super().settle()

    def _set_topics(self) -> None:
        chunks = [0]
        while chunks:
            with self._transaction():
                rows = self._connection.execute(_CURRENT_CHUNKS, (chunks[-1], _AT_ONCE)).fetchall()
                chunks = [chunk for (chunk,) in rows]
                topic_entities.renew(self._connection, resolution_of(self._connection), (), chunks)

    def _clear(self) -> None:
        self._connection.execute("DELETE FROM topic_candidate")

    def _prepare(self, table: Table, rows: Sequence[Row]) -> None:
        if table.name == "vector":
            _create_partition(self._connection, HalfVector(rows[0][table.place("data")]).width)

    def _complete(self, table: Table, rows: Sequence[Row]) -> None:
        if table.name == "chunk":
            self._index_words(rows, PostgresWriter(self._connection).index_words)
        elif table.name in _VECTOR_OWNERS:
            mark_large(self._connection)
            node_type, owner = _VECTOR_OWNERS[table.name]
            owners = sorted({row[table.place(owner)] for row in rows})
            sql = _INSERT_VECTORS.format(owner=owner, table=table.name, which=f"AND o.{owner} = ANY(?)")
            self._connection.execute(sql, (node_type, owners))


class PostgresReembeddingWriter(ReembeddingWriter):
    """Switch of the embedding model of a workspace.

    ``check_exclusive`` is called in the transaction that switches the store; it raises if others may be writing.
    """

    def __init__(
        self,
        connection: Connection,
        model: str,
        transaction: Callable[[], AbstractContextManager[None]],
        check_exclusive: Callable[[], None],
    ) -> None:
        super().__init__(connection, model, transaction)
        self._check_exclusive = check_exclusive

    def _begin_switch(self) -> None:
        self._check_exclusive()

    def _replace_vectors(self) -> None:
        super()._replace_vectors()
        if dimension := dimension_of(self._connection):
            _create_partition(self._connection, dimension)
        self._connection.execute("DELETE FROM search_vector")
        unmark(self._connection)
        for table, (node_type, owner) in _VECTOR_OWNERS.items():
            self._connection.execute(_INSERT_VECTORS.format(owner=owner, table=table, which=""), (node_type,))

    def _insert_windows(self, windows: Mapping[str, Sequence[bytes]]) -> None:
        super()._insert_windows(windows)
        index_large(self._connection)


def _create_partition(connection: Connection, dimension: int) -> None:
    connection.execute("SELECT create_vector_partition(?)", (dimension,))
