"""Vectors by the digest of the embedded text, counted by use: no text is embedded twice, no unused vector stays."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from polyadic.storage.connection import Connection, keys_of, select_in
from polyadic.storage.sql.encoding import text_digest
from polyadic.storage.sql.tables import TABLES, VECTOR
from polyadic.storage.table import RowChange, Table, Update

_USERS = " UNION ALL ".join(
    f"SELECT {column.name} AS vector FROM {table.name}"
    for table in TABLES
    for column in table.columns
    if column.references == VECTOR.name
)
MISCOUNTED = (
    "SELECT v.id, coalesce(u.occurrences, 0) AS occurrences FROM vector v"
    f" LEFT JOIN (SELECT vector, count(*) AS occurrences FROM ({_USERS}) o WHERE vector IS NOT NULL GROUP BY vector) u"
    " ON u.vector = v.id WHERE v.uses <> coalesce(u.occurrences, 0)"
)
"""Vectors whose use count is wrong, with the true one."""


@dataclass
class PendingVectors:
    """Collects rows that need the vector of a text which may not be embedded yet, and the uses that have ended.

    ``texts`` maps digests to texts. ``rows`` maps the change that sets a vector to its values and the text's digest.
    ``released`` counts, by key, uses of vectors that end.
    """

    texts: dict[bytes, str] = field(default_factory=dict)
    rows: dict[RowChange, list[tuple[tuple[Any, ...], bytes]]] = field(default_factory=dict)
    released: Counter[int] = field(default_factory=Counter)

    def add(self, change: RowChange, values: tuple[Any, ...], text: str) -> None:
        """Add a row: the change sets its vector, and takes the key of the vector before the other values."""
        digest = text_digest(text)
        self.texts[digest] = text
        self.rows.setdefault(change, []).append((values, digest))

    def release(self, vectors: Iterable[int | None]) -> None:
        """Note that rows no longer use vectors, given by key; None for a row without one."""
        self.released.update(vector for vector in vectors if vector is not None)

    def meet(self, connection: Connection) -> list[str]:
        """Set the vectors of all rows and delete unused vectors; if texts lack a vector, only return these texts."""
        digests = list(self.texts)
        keys = keys_of(connection, VECTOR, digests)
        if len(keys) < len(digests):
            return [text for digest, text in self.texts.items() if digest not in keys]
        uses: Counter[int] = Counter()
        for change, rows in self.rows.items():
            connection.change(change, [(keys[digest], *values) for values, digest in rows])
            uses.update(keys[digest] for _, digest in rows)
        uses.subtract(self.released)
        connection.change(Update(VECTOR, where=("id",), add=("uses",)), [(n, key) for key, n in uses.items() if n])
        connection.execute("DELETE FROM vector WHERE uses = 0")
        self.rows.clear()
        self.texts.clear()
        self.released.clear()
        return []


def texts_without(connection: Connection, table: Table, texts: Sequence[str]) -> list[str]:
    """Return the distinct texts that have no vector in a table."""
    wanted = {text_digest(text): text for text in texts}
    sql = f"SELECT digest FROM {table.name} WHERE digest {{any_of}}"
    for (digest,) in select_in(connection, sql, list(wanted)):
        del wanted[digest]
    return list(wanted.values())


def delete_unused(connection: Connection) -> None:
    """Count all uses of all vectors again, and delete the unused ones."""
    connection.execute(f"UPDATE vector SET uses = m.occurrences FROM ({MISCOUNTED}) m WHERE m.id = vector.id")
    connection.execute("DELETE FROM vector WHERE uses = 0")
