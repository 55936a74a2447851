"""Maintain the tables of facts: apply exact differences of tallies.

The result does not depend on the order in which evidence arrived: counts and sums are integers.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from polyadic.model.aggregation import FactTally
from polyadic.storage.connection import Connection, keys_of, select_in
from polyadic.storage.sql.change_log import TouchedRows
from polyadic.storage.sql.tables import FACT, PARTICIPATION
from polyadic.storage.sql.vectors import PendingVectors
from polyadic.storage.table import Delete, Insert, Update

_INSERT = Insert(FACT, ("id", "digest", "text", "tokens", "arity", "evidence", "score"))
_SET_VECTOR = Update(FACT, where=("id",), set=("vector",))


class FactTables:
    """Applies tallies to facts and participation within the transaction of a connection."""

    def __init__(self, connection: Connection, vectors: PendingVectors, touched: TouchedRows) -> None:
        self._connection = connection
        self._vectors = vectors
        self._touched = touched
        self._rows: dict[str, int] = {}

    def rows(self, fact_ids: Iterable[str]) -> dict[str, int]:
        """Return the row of each existing fact; rows of the last change are cached."""
        wanted = dict.fromkeys(fact_ids)
        digests = [bytes.fromhex(fact_id) for fact_id in wanted if fact_id not in self._rows]
        self._rows |= {digest.hex(): row for digest, row in keys_of(self._connection, FACT, digests).items()}
        return {fact_id: self._rows[fact_id] for fact_id in wanted if fact_id in self._rows}

    def apply(
        self, facts: Mapping[str, FactTally], tokens: Mapping[str, int], entities: Mapping[str, int]
    ) -> Counter[int]:
        """Add tallies; facts left without evidence are deleted.

        Parameters
        ----------
        facts
            Differences by identifier.
        tokens
            Number of tokens of each new fact.
        entities
            Rows of the participants.

        Returns
        -------
        Counter
            The change in each entity's number of facts, by row.
        """
        self._rows.clear()
        known = self.rows(facts)
        self._rows |= self._insert({key: fact for key, fact in facts.items() if key not in known}, tokens)
        self._connection.change(
            Update(FACT, where=("id",), add=("evidence", "score")),
            [(facts[key].evidence, facts[key].score, row) for key, row in known.items()],
        )
        self._touched.facts.update(self._rows.values())
        changes = {
            (self._rows[key], entities[entity]): times
            for key, fact in facts.items()
            for entity, times in fact.participants.items()
            if times
        }
        return self._participate(changes, known.values())

    def _insert(self, facts: Mapping[str, FactTally], tokens: Mapping[str, int]) -> dict[str, int]:
        rows = {key: row for row, key in enumerate(facts, next_row(self._connection, "fact"))}
        self._connection.change(
            _INSERT,
            [
                (rows[key], bytes.fromhex(key), fact.text, tokens[key], fact.arity, fact.evidence, fact.score)
                for key, fact in facts.items()
            ],
        )
        for key, fact in facts.items():
            self._vectors.add(_SET_VECTOR, (rows[key],), fact.text)
        return rows

    def _participate(self, changes: Mapping[tuple[int, int], int], known: Collection[int]) -> Counter[int]:
        """Add to the occurrences of pairs of a fact and an entity; ``known`` are facts that existed before.

        Facts left without evidence are deleted. Returns the change in each entity's number of facts.
        """
        sql = "SELECT fact, entity, occurrences FROM participation WHERE fact {any_of}"
        before = {(fact, entity): times for fact, entity, times in select_in(self._connection, sql, [*known])}
        after = {pair: before.get(pair, 0) + times for pair, times in changes.items()}
        self._connection.change(
            Insert(PARTICIPATION, replace=("occurrences",)), [(*pair, times) for pair, times in after.items() if times]
        )
        deleted = self._delete_unsupported(known)
        gone = [pair for pair, times in after.items() if not times and pair[0] not in deleted]
        self._connection.change(Delete(PARTICIPATION, PARTICIPATION.key), gone)
        degrees, relinked = Counter[int](), set[int]()
        for (fact, entity), times in after.items():
            if difference := bool(times) - ((fact, entity) in before):
                degrees[entity] += difference
                relinked.add(fact)
        # The topic entities of these passages may change.
        sql = "SELECT DISTINCT chunk FROM statement WHERE fact {any_of}"
        stating = select_in(self._connection, sql, [*relinked.intersection(known)])
        self._touched.chunks.update(chunk for (chunk,) in stating)
        return degrees

    def _delete_unsupported(self, touched: Collection[int]) -> Collection[int]:
        """Delete the touched facts without evidence, with their participations; return their rows."""
        sql = "SELECT id, vector FROM fact WHERE evidence = 0 AND id {any_of}"
        unsupported = dict(select_in(self._connection, sql, [*touched]))
        self._vectors.release(unsupported.values())
        for change in (Delete(PARTICIPATION, ("fact",)), Delete(FACT, ("id",))):
            self._connection.change(change, [(row,) for row in unsupported])
        return unsupported


def next_row(connection: Connection, table: str) -> int:
    """Return the key of the next row of a table."""
    (last,) = connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
    return int(last) + 1
