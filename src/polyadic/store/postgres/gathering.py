"""What changing the embedding model has of its own in PostgreSQL: what is near to what is known by the new vectors."""

from polyadic.store.tables.reembedding import SqlGathering

_MAKE_ROOM = "SELECT make_near(dimension) FROM (SELECT vector_dims(data) AS dimension FROM vector LIMIT 1)"
_NEAR = "INSERT INTO near (side, row, vector, dimension, data)"
_VECTOR = "v.id, vector_dims(v.data), v.data"


class PostgresGathering(SqlGathering):
    """Implements :class:`polyadic.store.protocol.Gathering`."""

    def _replace_vectors(self) -> None:
        super()._replace_vectors()
        self._connection.execute(_MAKE_ROOM)
        self._connection.execute("DELETE FROM near")
        self._connection.execute(f"{_NEAR} SELECT 'fact', f.id, {_VECTOR} FROM fact f JOIN vector v ON v.id = f.vector")
        self._connection.execute(
            f"{_NEAR} SELECT 'entity', s.entity, {_VECTOR} FROM said s JOIN vector v ON v.id = s.vector"
        )
