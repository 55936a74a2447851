"""Maintain the derived tables: apply exact differences of tallies to facts and entities.

The result does not depend on the order in which evidence arrived: counts and sums are integers, and the displayed
variant of a name is the best supported one, ties broken by text.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from polyadic.model.aggregation import FactTally, Tallies
from polyadic.model.resolution import EntityResolution
from polyadic.storage.connection import Connection
from polyadic.storage.row_changes import Delete, Insert, Update
from polyadic.storage.sql.change_log import TouchedRows
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.entity_tables import EntityTables, next_row
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.pending_vectors import PendingVectors, count_uses
from polyadic.storage.sql.tables import FACT, PARTICIPATION

_SET_VECTOR = Update(FACT, where=("id",), set=("vector",))
_NewFact = tuple[str, FactTally, Mapping[int, int]]
"""A new fact: identifier, tally, and number of participations by entity row."""


class DerivedTables:
    """Applies tallies to facts, entities and participation within the transaction of a connection.

    Parameters
    ----------
    needs
        Collects the rows that need vectors.
    resolution
        Returns the entity resolution, for names set by decisions; the tallies already reflect it.
    touched
        Collects the touched rows.
    """

    def __init__(
        self,
        connection: Connection,
        needs: PendingVectors,
        resolution: Callable[[], EntityResolution],
        touched: TouchedRows,
    ) -> None:
        self._connection = connection
        self._needs = needs
        self._touched = touched
        self._released: Counter[int] = Counter()
        self._rows: dict[str, int] = {}
        self._entities = EntityTables(connection, needs, resolution, touched, self._released)

    def apply(self, tallies: Tallies, fact_tokens: Mapping[str, int]) -> None:
        """Add tallies; facts and entities left without evidence are deleted."""
        self._rows.clear()
        participants = (key for fact in tallies.facts.values() for key in fact.participants)
        entity_rows = self._entities.rows([*tallies.entities, *participants])
        degrees = self._apply_facts(tallies, fact_tokens, entity_rows)
        self._entities.apply(tallies.entities, entity_rows, degrees)
        self.release(self._released)
        self._released.clear()

    def rename(self, keys: Iterable[str]) -> None:
        """Update the displayed and loose names of entities, after decisions on them."""
        self._entities.rename(keys)

    def release(self, vectors: Mapping[int, int]) -> None:
        """Reduce the use counts of vectors, given by key."""
        count_uses(self._connection, {vector: -uses for vector, uses in vectors.items()})

    def fact_rows(self, fact_ids: Iterable[str]) -> dict[str, int]:
        """Return the row of each existing fact; rows of the last change are cached."""
        wanted = dict.fromkeys(fact_ids)
        digests = [digest_bytes(fact_id) for fact_id in wanted if fact_id not in self._rows]
        rows = select_in(self._connection, "SELECT digest, id FROM fact WHERE digest {any_of}", digests)
        self._rows |= {digest.hex(): row for digest, row in rows}
        return {fact_id: self._rows[fact_id] for fact_id in wanted if fact_id in self._rows}

    def _apply_facts(
        self, tallies: Tallies, fact_tokens: Mapping[str, int], entity_rows: Mapping[str, int]
    ) -> Counter[int]:
        """Apply the tallies of facts; return the change in each entity's number of facts."""
        rows = self.fact_rows(tallies.facts)
        degrees: Counter[int] = Counter()
        updates = []
        new: list[_NewFact] = []
        for fact_id, fact in tallies.facts.items():
            row = rows.get(fact_id)
            participations = {entity_rows[key]: times for key, times in fact.participants.items() if times}
            if row is not None:
                updates.append((fact.evidence, fact.score, row))
                degrees.update(self._update_participation(row, participations))
                continue
            new.append((fact_id, fact, participations))
            degrees.update(participations.keys())
        self._insert_facts(new, fact_tokens)
        self._connection.change(Update(FACT, where=("id",), add=("evidence", "score")), updates)
        self._touched.facts.update(row for *_, row in updates)
        self._delete_facts([row for *_, row in updates])
        return degrees

    def _update_participation(self, fact: int, changes: Mapping[int, int]) -> Counter[int]:
        """Update the participants of a fact; return the change in each entity's number of facts (-1, 0 or 1)."""
        before = dict(self._connection.execute("SELECT entity, occurrences FROM participation WHERE fact = ?", (fact,)))
        after = {entity: before.get(entity, 0) + change for entity, change in changes.items()}
        self._connection.change(
            Insert(PARTICIPATION, PARTICIPATION.names, replace=("occurrences",)),
            [(fact, entity, times) for entity, times in after.items() if times],
        )
        gone = [(fact, entity) for entity, times in after.items() if not times]
        self._connection.change(Delete(PARTICIPATION, ("fact", "entity")), gone)
        changed = Counter({entity: bool(times) - (entity in before) for entity, times in after.items()})
        if any(changed.values()):
            # The topic entities of these passages may change.
            stating = self._connection.execute("SELECT DISTINCT chunk FROM statement WHERE fact = ?", (fact,))
            self._touched.chunks.update(chunk for (chunk,) in stating)
        return changed

    def _insert_facts(self, facts: Sequence[_NewFact], tokens: Mapping[str, int]) -> None:
        rows = list(enumerate(facts, next_row(self._connection, "fact")))
        self._rows |= {fact_id: row for row, (fact_id, *_) in rows}
        self._connection.change(
            Insert(FACT, ("id", "digest", "text", "tokens", "arity", "evidence", "score")),
            [
                (row, digest_bytes(fact_id), fact.text, tokens[fact_id], fact.arity, fact.evidence, fact.score)
                for row, (fact_id, fact, _) in rows
            ],
        )
        self._connection.change(
            Insert(PARTICIPATION, PARTICIPATION.names),
            [(row, entity, times) for row, (*_, participations) in rows for entity, times in participations.items()],
        )
        for row, (_, fact, _) in rows:
            self._needs.add(_SET_VECTOR, (row,), fact.text)
        self._touched.facts.update(row for row, _ in rows)

    def _delete_facts(self, touched: Sequence[int]) -> None:
        """Delete those of the touched facts that have no evidence; their participations are deleted already."""
        unsupported = list(
            select_in(self._connection, "SELECT id, vector FROM fact WHERE evidence = 0 AND id {any_of}", touched)
        )
        self._released.update(vector for _, vector in unsupported if vector is not None)
        self._connection.change(Delete(FACT, ("id",)), [(row,) for row, _ in unsupported])
