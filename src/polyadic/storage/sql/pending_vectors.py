"""Rows that need vectors of texts which may not be embedded yet."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from polyadic.storage.connection import Connection
from polyadic.storage.row_changes import RowChange, Update
from polyadic.storage.sql.digests import text_digest
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.tables import VECTOR


@dataclass
class PendingVectors:
    """Collects rows that need the vector of a text.

    ``texts`` maps digests to texts. ``rows`` maps the change that sets a vector to its values and the text's digest.
    """

    texts: dict[bytes, str] = field(default_factory=dict)
    rows: dict[RowChange, list[tuple[tuple[Any, ...], bytes]]] = field(default_factory=dict)

    def add(self, change: RowChange, values: tuple[Any, ...], text: str) -> None:
        """Add a row: the change sets its vector, and takes the key of the vector before the other values."""
        digest = text_digest(text)
        self.texts[digest] = text
        self.rows.setdefault(change, []).append((values, digest))

    def meet(self, connection: Connection) -> list[str]:
        """Set the vectors of all rows and delete unused vectors; if texts lack a vector, only return these texts."""
        digests = list(self.texts)
        keys: dict[bytes, int] = dict(
            select_in(connection, "SELECT digest, id FROM vector WHERE digest {any_of}", digests)
        )
        if len(keys) < len(digests):
            return [text for digest, text in self.texts.items() if digest not in keys]
        uses: Counter[int] = Counter()
        for change, rows in self.rows.items():
            connection.change(change, [(keys[digest], *values) for values, digest in rows])
            uses.update(keys[digest] for _, digest in rows)
        count_uses(connection, uses)
        connection.execute("DELETE FROM vector WHERE uses = 0")
        self.rows.clear()
        self.texts.clear()
        return []


def count_uses(connection: Connection, uses: Mapping[int, int]) -> None:
    """Add to the use counts of vectors, given by table key."""
    connection.change(Update(VECTOR, where=("id",), add=("uses",)), [(n, vector) for vector, n in uses.items()])
