"""Copy target in PostgreSQL: also fills ``search_vector``, words and topic entities, and advances the key sequences."""

from collections.abc import Sequence

from polyadic.storage.postgres import topic_entities
from polyadic.storage.postgres.hnsw import index_marked, mark_large
from polyadic.storage.postgres.writer import PostgresWriter
from polyadic.storage.sql.half_precision import HalfVector
from polyadic.storage.sql.revisions import resolution_of
from polyadic.storage.sql.tables import COPIED
from polyadic.storage.table import Table
from polyadic.storage.transfer import CopyTarget, Row

_INSERT_NEAR = (
    "INSERT INTO search_vector (node_type, row, vector, dimension, data, indexed) SELECT h.node_type, o.{owner}, v.id,"
    " vector_dims(v.data), v.data, h.indexed FROM row_count h CROSS JOIN {table} o JOIN vector v ON v.id = o.vector"
    " WHERE h.node_type = ? AND o.{owner} = ANY(?) ON CONFLICT DO NOTHING"
)
_NODE_TYPES = {"fact": ("fact", "id"), "attribute_value": ("entity", "entity")}
"""Tables with a vector column: node_type and row key in ``search_vector``. A trigger handles windows."""
_CURRENT_CHUNKS = (
    "SELECT c.id FROM chunk c JOIN revision r ON r.id = c.revision JOIN document d ON d.id = r.document"
    " AND d.current = r.id WHERE c.id > ? ORDER BY c.id LIMIT ?"
)
_AT_ONCE = 1_000


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
        last = 0
        while True:
            with self._transaction():
                rows = self._connection.execute(_CURRENT_CHUNKS, (last, _AT_ONCE)).fetchall()
                chunks = [chunk for (chunk,) in rows]
                topic_entities.renew(self._connection, resolution_of(self._connection), (), chunks)
            if not chunks:
                return
            last = chunks[-1]

    def _clear(self) -> None:
        self._connection.execute("DELETE FROM topic_candidate")

    def _prepare(self, table: Table, rows: Sequence[Row]) -> None:
        if table.name == "vector":
            width = HalfVector(rows[0][table.place("data")]).width
            self._connection.execute("SELECT create_vector_partition(?)", (width,))

    def _complete(self, table: Table, rows: Sequence[Row]) -> None:
        if table.name == "chunk":
            self._index_words(rows, PostgresWriter(self._connection).index_words)
        elif table.name in _NODE_TYPES:
            mark_large(self._connection)
            node_type, owner = _NODE_TYPES[table.name]
            owners = sorted({row[table.place(owner)] for row in rows})
            self._connection.execute(_INSERT_NEAR.format(owner=owner, table=table.name), (node_type, owners))
