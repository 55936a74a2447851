"""Rows that need vectors of texts which may not be embedded yet."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from polyadic.storage.connection import Connection
from polyadic.storage.sql.digests import vector_digest
from polyadic.storage.sql.sql_in import select_in


@dataclass
class PendingVectors:
    """Collects rows that need the vector of a text.

    ``texts`` maps digests to texts. ``rows`` maps the SQL that sets a vector to its parameters and the text's digest.
    """

    texts: dict[bytes, str] = field(default_factory=dict)
    rows: dict[str, list[tuple[tuple[Any, ...], bytes]]] = field(default_factory=dict)

    def add(self, sql: str, parameters: tuple[Any, ...], text: str) -> None:
        """Add a row: ``sql`` sets its vector, and takes the key of the vector before the other parameters."""
        digest = vector_digest(text)
        self.texts[digest] = text
        self.rows.setdefault(sql, []).append((parameters, digest))

    def meet(self, connection: Connection) -> list[str]:
        """Set the vectors of all rows and delete unused vectors; if texts lack a vector, only return these texts."""
        digests = list(self.texts)
        keys: dict[bytes, int] = dict(
            select_in(connection, "SELECT digest, id FROM vector WHERE digest IN ({})", digests)
        )
        if len(keys) < len(digests):
            return [text for digest, text in self.texts.items() if digest not in keys]
        uses: Counter[int] = Counter()
        for sql, rows in self.rows.items():
            connection.executemany(sql, [(keys[digest], *parameters) for parameters, digest in rows])
            uses.update(keys[digest] for _, digest in rows)
        connection.executemany("UPDATE vector SET uses = uses + ? WHERE id = ?", [(n, v) for v, n in uses.items()])
        connection.execute("DELETE FROM vector WHERE uses = 0")
        self.rows.clear()
        self.texts.clear()
        return []
