"""Rows that await the vectors of texts."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from polyadic.storage.connection import Connection
from polyadic.storage.sql.digests import vector_digest
from polyadic.storage.sql.sql_in import select_in


@dataclass
class PendingVectors:
    """Rows that await the vector of a text: by the SQL that sets it, its parameters and the digest of the text."""

    texts: dict[bytes, str] = field(default_factory=dict)
    rows: dict[str, list[tuple[tuple[Any, ...], bytes]]] = field(default_factory=dict)

    def add(self, sql: str, parameters: tuple[Any, ...], text: str) -> None:
        digest = vector_digest(text)
        self.texts[digest] = text
        self.rows.setdefault(sql, []).append((parameters, digest))

    def meet(self, connection: Connection) -> list[str]:
        """Give all rows their vectors, and let go of vectors without use; or return the texts that have none yet."""
        digests = list(self.texts)
        found: dict[bytes, int] = dict(
            select_in(connection, "SELECT digest, id FROM vector WHERE digest IN ({})", digests)
        )
        if len(found) < len(digests):
            return [text for digest, text in self.texts.items() if digest not in found]
        uses: Counter[int] = Counter()
        for sql, rows in self.rows.items():
            connection.executemany(sql, [(found[digest], *parameters) for parameters, digest in rows])
            uses.update(found[digest] for _, digest in rows)
        connection.executemany("UPDATE vector SET uses = uses + ? WHERE id = ?", [(n, v) for v, n in uses.items()])
        connection.execute("DELETE FROM vector WHERE uses = 0")
        self.rows.clear()
        self.texts.clear()
        return []
