"""Switch of the embedding model in PostgreSQL: rebuilds the table of searched vectors."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from polyadic.storage.connection import Connection
from polyadic.storage.postgres.hnsw import index_large, unmark
from polyadic.storage.sql.reembedding import ReembeddingWriter

_CREATE_PARTITION = (
    "SELECT create_vector_partition(dimension) FROM (SELECT vector_dims(data) AS dimension FROM vector LIMIT 1)"
)
_NEAR = "INSERT INTO search_vector (node_type, row, vector, dimension, data)"
_VECTOR = "v.id, vector_dims(v.data), v.data"


class PostgresReembeddingWriter(ReembeddingWriter):
    """Switch of the embedding model of a workspace.

    ``check_alone`` is called in the transaction that switches the store; it raises if others may be writing.
    """

    def __init__(
        self,
        connection: Connection,
        model: str,
        transaction: Callable[[], AbstractContextManager[None]],
        check_alone: Callable[[], None],
    ) -> None:
        super().__init__(connection, model, transaction)
        self._check_exclusive = check_alone

    def _begin_switch(self) -> None:
        self._check_exclusive()

    def _replace_vectors(self) -> None:
        super()._replace_vectors()
        self._connection.execute(_CREATE_PARTITION)
        self._connection.execute("DELETE FROM search_vector")
        unmark(self._connection)
        self._connection.execute(f"{_NEAR} SELECT 'fact', f.id, {_VECTOR} FROM fact f JOIN vector v ON v.id = f.vector")
        self._connection.execute(
            f"{_NEAR} SELECT 'entity', s.entity, {_VECTOR} FROM attribute_value s JOIN vector v ON v.id = s.vector"
        )

    def _insert_windows(self, windows: Mapping[str, Sequence[bytes]]) -> None:
        super()._insert_windows(windows)
        index_large(self._connection)
