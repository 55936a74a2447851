"""Writer for PostgreSQL: also maintains tsvectors, ``search_vector`` and the topic entities of passages."""

from collections.abc import Sequence

from polyadic.storage.postgres import topic_entities
from polyadic.storage.postgres.hnsw import index_large
from polyadic.storage.protocol import StoreChange, Vectors
from polyadic.storage.sql.writer import SqlWriter, Words

_WORDS_PER_STATEMENT = 1_000
"""Passages whose words are indexed by one statement."""
_INDEX_SQL = (
    "SELECT index_passage(chunk, title, text) FROM unnest(?::bigint[], ?::text[], ?::text[]) v (chunk, title, text)"
)
_SORT_KEY_SQL = (
    "UPDATE chunk SET"
    " sort_key = (SELECT d.digest FROM revision r JOIN document d ON d.id = r.document WHERE r.id = chunk.revision)"
    " || int8send(start) WHERE id = ANY(?)"
)


class PostgresWriter(SqlWriter):
    """Implements :class:`polyadic.storage.protocol.Writer`."""

    def put_vectors(self, texts: Sequence[str], vectors: Vectors) -> None:
        if len(texts):
            self._connection.execute("SELECT create_vector_partition(?)", (vectors.shape[1],))
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
        for start in range(0, len(words), _WORDS_PER_STATEMENT):
            chunks, titles, texts = map(list, zip(*words[start : start + _WORDS_PER_STATEMENT], strict=True))
            self._connection.execute(_INDEX_SQL, (chunks, titles, texts))
            self._connection.execute(_SORT_KEY_SQL, (chunks,))

    def _forget_words(self, words: Sequence[Words]) -> None:
        """Do nothing: deleting the chunks deletes their words."""
