"""Keeping the derived tables in step: facts and entities change by exact differences of tallies.

Nothing here depends on the order in which evidence came: counts and sums are integers, and of several versions of
a name the best supported is shown, of equals the first by its text.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from polyadic.model.aggregation import FactTally, Tallies
from polyadic.model.resolution import NO_OVERLAY, EntityResolution
from polyadic.storage.connection import Connection
from polyadic.storage.sql.change_log import TouchedRows
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.entity_tables import EntityTables, next_row
from polyadic.storage.sql.pending_vectors import PendingVectors
from polyadic.storage.sql.sql_in import select_in

_New = tuple[str, FactTally, Mapping[int, int]]
"""A fact that is not there yet: its identifier, its tally, and how often each entity takes part in it."""


def renew_names(connection: Connection) -> None:
    """Find entities by the names of today: those of an earlier version of the store were fewer."""
    keys = [key for (key,) in connection.execute("SELECT key FROM entity")]
    DerivedTables(connection, PendingVectors(), lambda: NO_OVERLAY, TouchedRows()).rename(keys)


class DerivedTables:
    """Applies tallies to facts, entities and participation within the transaction of a connection.

    ``overlay`` tells what decisions call an entity; the tallies heed it already. What is touched is noted in
    ``touched``.
    """

    def __init__(
        self,
        connection: Connection,
        needs: PendingVectors,
        overlay: Callable[[], EntityResolution],
        touched: TouchedRows,
    ) -> None:
        self._connection = connection
        self._needs = needs
        self._touched = touched
        self._released: Counter[int] = Counter()
        self._rows: dict[str, int] = {}
        self._entities = EntityTables(connection, needs, overlay, touched, self._released)

    def apply(self, tallies: Tallies, fact_tokens: Mapping[str, int]) -> None:
        """Add the tallies; what comes to zero goes."""
        self._rows.clear()
        taking_part = (key for fact in tallies.facts.values() for key in fact.participants)
        entity_rows = self._entities.rows([*tallies.entities, *taking_part])
        degrees = self._apply_facts(tallies, fact_tokens, entity_rows)
        self._entities.apply(tallies.entities, entity_rows, degrees)
        self.release(self._released)
        self._released.clear()

    def rename(self, keys: Iterable[str]) -> None:
        """Call entities anew, after decisions on their names."""
        self._entities.rename(keys)

    def release(self, vectors: Mapping[int, int]) -> None:
        """So many rows no longer use these vectors."""
        self._connection.executemany(
            "UPDATE vector SET uses = uses - ? WHERE id = ?", [(n, v) for v, n in vectors.items()]
        )

    def fact_rows(self, fact_ids: Iterable[str]) -> dict[str, int]:
        """The row of each fact that there is; those of the last change are known."""
        wanted = dict.fromkeys(fact_ids)
        digests = [digest_bytes(fact_id) for fact_id in wanted if fact_id not in self._rows]
        found = select_in(self._connection, "SELECT digest, id FROM fact WHERE digest IN ({})", digests)
        self._rows |= {digest.hex(): row for digest, row in found}
        return {fact_id: self._rows[fact_id] for fact_id in wanted if fact_id in self._rows}

    def _apply_facts(
        self, tallies: Tallies, fact_tokens: Mapping[str, int], entity_rows: Mapping[str, int]
    ) -> Counter[int]:
        """Returns by how many facts each entity has gained or lost."""
        rows = self.fact_rows(tallies.facts)
        degrees: Counter[int] = Counter()
        updates = []
        new: list[_New] = []
        for fact_id, fact in tallies.facts.items():
            row = rows.get(fact_id)
            taking_part = {entity_rows[key]: times for key, times in fact.participants.items() if times}
            if row is not None:
                updates.append((fact.evidence, fact.score, row))
                degrees.update(self._changed_participation(row, taking_part))
                continue
            new.append((fact_id, fact, taking_part))
            degrees.update(taking_part.keys())
        self._insert_facts(new, fact_tokens)
        self._connection.executemany("UPDATE fact SET evidence = evidence + ?, score = score + ? WHERE id = ?", updates)
        self._touched.facts.update(row for *_, row in updates)
        self._delete_facts([row for *_, row in updates])
        return degrees

    def _changed_participation(self, fact: int, changes: Mapping[int, int]) -> Counter[int]:
        """Returns by how many facts, one or none, each entity has gained or lost."""
        before = dict(self._connection.execute("SELECT entity, times FROM participation WHERE fact = ?", (fact,)))
        after = {entity: before.get(entity, 0) + change for entity, change in changes.items()}
        self._connection.executemany(
            "INSERT INTO participation (fact, entity, times) VALUES (?, ?, ?)"
            " ON CONFLICT (fact, entity) DO UPDATE SET times = excluded.times",
            [(fact, entity, times) for entity, times in after.items() if times],
        )
        gone = [(fact, entity) for entity, times in after.items() if not times]
        self._connection.executemany("DELETE FROM participation WHERE fact = ? AND entity = ?", gone)
        changed = Counter({entity: bool(times) - (entity in before) for entity, times in after.items()})
        if any(changed.values()):
            # What these passages are about may be another entity now.
            stating = self._connection.execute("SELECT DISTINCT chunk FROM statement WHERE fact = ?", (fact,))
            self._touched.chunks.update(chunk for (chunk,) in stating)
        return changed

    def _insert_facts(self, facts: Sequence[_New], tokens: Mapping[str, int]) -> None:
        rows = list(enumerate(facts, next_row(self._connection, "fact")))
        self._rows |= {fact_id: row for row, (fact_id, *_) in rows}
        self._connection.executemany(
            "INSERT INTO fact (id, digest, text, tokens, arity, evidence, score) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (row, digest_bytes(fact_id), fact.text, tokens[fact_id], fact.arity, fact.evidence, fact.score)
                for row, (fact_id, fact, _) in rows
            ],
        )
        self._connection.executemany(
            "INSERT INTO participation (fact, entity, times) VALUES (?, ?, ?)",
            [(row, entity, times) for row, (*_, taking_part) in rows for entity, times in taking_part.items()],
        )
        for row, (_, fact, _) in rows:
            self._needs.add("UPDATE fact SET vector = ? WHERE id = ?", (row,), fact.text)
        self._touched.facts.update(row for row, _ in rows)

    def _delete_facts(self, touched: Sequence[int]) -> None:
        """Delete those that no evidence states any more; nothing takes part in them either."""
        gone = list(
            select_in(self._connection, "SELECT id, vector FROM fact WHERE evidence = 0 AND id IN ({})", touched)
        )
        self._released.update(vector for _, vector in gone if vector is not None)
        self._connection.executemany("DELETE FROM fact WHERE id = ?", [(row,) for row, _ in gone])
