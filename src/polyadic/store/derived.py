"""Keeping the derived tables in step: facts and entities change by exact differences of tallies.

Nothing here depends on the order in which evidence came: counts and sums are integers, and of several versions of
a name the best supported is found by an index, ties by the text itself.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from polyadic import identity
from polyadic.derivation import FORMS_EMBEDDED, Attribute, EntityTally, FactTally, Tallies
from polyadic.overlay import NO_OVERLAY, Overlay
from polyadic.store.changes import Touched
from polyadic.store.selecting import select_in


def digest_bytes(public_id: str) -> bytes:
    return bytes.fromhex(public_id)


def vector_digest(text: str) -> bytes:
    return digest_bytes(identity.digest("vector", text))


def renew_names(connection: sqlite3.Connection) -> None:
    """Find entities by the names of today: those of an earlier version of the store were fewer."""
    keys = [key for (key,) in connection.execute("SELECT key FROM entity")]
    DerivedTables(connection, VectorNeeds(), lambda: NO_OVERLAY, Touched()).rename(keys)


@dataclass
class VectorNeeds:
    """Rows that await the vector of a text: SQL that sets it, its parameters, and the digest of the text."""

    texts: dict[bytes, str] = field(default_factory=dict)
    rows: list[tuple[str, tuple[Any, ...], bytes]] = field(default_factory=list)

    def add(self, sql: str, parameters: tuple[Any, ...], text: str) -> None:
        digest = vector_digest(text)
        self.texts[digest] = text
        self.rows.append((sql, parameters, digest))

    def meet(self, connection: sqlite3.Connection) -> list[str]:
        """Give all rows their vectors, and let go of vectors without use; or return the texts that have none yet."""
        digests = list(self.texts)
        found: dict[bytes, int] = dict(
            select_in(connection, "SELECT digest, id FROM vector WHERE digest IN ({})", digests)
        )
        if len(found) < len(digests):
            return [text for digest, text in self.texts.items() if digest not in found]
        uses: Counter[int] = Counter()
        for sql, parameters, digest in self.rows:
            connection.execute(sql, (found[digest], *parameters))
            uses[found[digest]] += 1
        connection.executemany("UPDATE vector SET uses = uses + ? WHERE id = ?", [(n, v) for v, n in uses.items()])
        connection.execute("DELETE FROM vector WHERE uses = 0")
        self.rows.clear()
        self.texts.clear()
        return []


class DerivedTables:
    """Applies tallies to facts, entities and participation within the transaction of a connection.

    ``overlay`` tells what decisions call an entity; the tallies heed it already. What is touched is noted in
    ``touched``.
    """

    def __init__(
        self, connection: sqlite3.Connection, needs: VectorNeeds, overlay: Callable[[], Overlay], touched: Touched
    ) -> None:
        self._connection = connection
        self._needs = needs
        self._overlay = overlay
        self._touched = touched
        self._released: Counter[int] = Counter()

    def apply(self, tallies: Tallies, fact_tokens: Mapping[str, int]) -> None:
        """Add the tallies; what comes to zero goes."""
        entity_rows = self._entity_rows(tallies)
        degrees = self._apply_facts(tallies, fact_tokens, entity_rows)
        for key, tally in tallies.entities.items():
            self._apply_entity(key, entity_rows[key], tally, degrees.pop(entity_rows[key], 0))
        self._connection.executemany(
            "UPDATE entity SET facts = facts + ? WHERE id = ?", [(change, row) for row, change in degrees.items()]
        )
        self.release(self._released)
        self._released.clear()

    def release(self, vectors: Mapping[int, int]) -> None:
        """So many rows no longer use these vectors."""
        self._connection.executemany(
            "UPDATE vector SET uses = uses - ? WHERE id = ?", [(n, v) for v, n in vectors.items()]
        )

    def fact_rows(self, fact_ids: Iterable[str]) -> dict[str, int]:
        digests = [digest_bytes(fact_id) for fact_id in dict.fromkeys(fact_ids)]
        found = select_in(self._connection, "SELECT digest, id FROM fact WHERE digest IN ({})", digests)
        return {digest.hex(): row for digest, row in found}

    def _entity_rows(self, tallies: Tallies) -> dict[str, int]:
        taking_part = (key for fact in tallies.facts.values() for key in fact.participants)
        keys = list(dict.fromkeys([*tallies.entities, *taking_part]))
        rows: dict[str, int] = dict(select_in(self._connection, "SELECT key, id FROM entity WHERE key IN ({})", keys))
        for key in keys:
            if key not in rows:
                cursor = self._connection.execute(
                    "INSERT INTO entity (digest, key, name, type, description, evidence, score, facts, chunks)"
                    " VALUES (?, ?, '', '', '', 0, 0, 0, 0)",
                    (digest_bytes(identity.entity_id(key)), key),
                )
                rows[key] = cursor.lastrowid or 0
                self._touched.names.add(key)
        self._touched.entities.update(rows.values())
        return rows

    def _apply_facts(
        self, tallies: Tallies, fact_tokens: Mapping[str, int], entity_rows: Mapping[str, int]
    ) -> Counter[int]:
        """Returns by how many facts each entity has gained or lost."""
        rows = self.fact_rows(tallies.facts)
        degrees: Counter[int] = Counter()
        updates = []
        for fact_id, fact in tallies.facts.items():
            row = rows.get(fact_id)
            taking_part = {entity_rows[key]: times for key, times in fact.participants.items() if times}
            if row is not None:
                updates.append((fact.evidence, fact.score, row))
                degrees.update(self._changed_participation(row, taking_part))
                continue
            row = self._insert_fact(fact_id, fact, fact_tokens[fact_id])
            self._connection.executemany(
                "INSERT INTO participation VALUES (?, ?, ?)", [(row, e, times) for e, times in taking_part.items()]
            )
            degrees.update(taking_part.keys())
        self._connection.executemany("UPDATE fact SET evidence = evidence + ?, score = score + ? WHERE id = ?", updates)
        self._touched.facts.update(row for *_, row in updates)
        self._delete_facts([row for *_, row in updates])
        return degrees

    def _changed_participation(self, fact: int, changes: Mapping[int, int]) -> Counter[int]:
        """Returns by how many facts, one or none, each entity has gained or lost."""
        before = dict(self._connection.execute("SELECT entity, times FROM participation WHERE fact = ?", (fact,)))
        after = {entity: before.get(entity, 0) + change for entity, change in changes.items()}
        self._connection.executemany(
            "INSERT INTO participation VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET times = excluded.times",
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

    def _insert_fact(self, fact_id: str, fact: FactTally, tokens: int) -> int:
        cursor = self._connection.execute(
            "INSERT INTO fact (digest, text, tokens, arity, evidence, score) VALUES (?, ?, ?, ?, ?, ?)",
            (digest_bytes(fact_id), fact.text, tokens, fact.arity, fact.evidence, fact.score),
        )
        row = cursor.lastrowid or 0
        self._touched.facts.add(row)
        self._needs.add("UPDATE fact SET vector = ? WHERE id = ?", (row,), fact.text)
        return row

    def _delete_facts(self, touched: Sequence[int]) -> None:
        """Delete those that no evidence states any more; nothing takes part in them either."""
        gone = list(
            select_in(self._connection, "SELECT id, vector FROM fact WHERE evidence = 0 AND id IN ({})", touched)
        )
        self._released.update(vector for _, vector in gone if vector is not None)
        self._connection.executemany("DELETE FROM fact WHERE id = ?", [(row,) for row, _ in gone])

    def rename(self, keys: Iterable[str]) -> None:
        """Call entities anew, after decisions on their names."""
        for key, row in select_in(self._connection, "SELECT key, id FROM entity WHERE key IN ({})", list(keys)):
            self._call(key, row)

    def _apply_entity(self, key: str, row: int, tally: EntityTally, facts: int) -> None:
        changed = {attribute for (attribute, _), times in tally.said.items() if times}
        self._connection.executemany(
            "INSERT INTO said (entity, attribute, value, times) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET times = times + excluded.times",
            [(row, attribute, value, times) for (attribute, value), times in tally.said.items() if times],
        )
        self._forget_unsaid(row, [said for said, times in tally.said.items() if times < 0])
        self._connection.execute(
            "UPDATE entity SET evidence = evidence + ?, score = score + ?, chunks = chunks + ?, facts = facts + ?"
            " WHERE id = ?",
            (tally.evidence, tally.score, tally.chunks, facts, row),
        )
        for attribute in (Attribute.TYPE, Attribute.DESCRIPTION):
            if attribute in changed:
                self._connection.execute(
                    f"UPDATE entity SET {attribute.value} = ? WHERE id = ?", (self._foremost(row, attribute), row)
                )
        if Attribute.NAME in changed:
            self._call(key, row)
        if Attribute.FORM in changed:
            self._choose_forms(row)
        if self._connection.execute("DELETE FROM entity WHERE id = ? AND evidence = 0", (row,)).rowcount:
            self._touched.names.add(key)

    def _best(self, row: int, attribute: Attribute, count: int) -> list[tuple[str, int | None]]:
        return self._connection.execute(
            "SELECT value, vector FROM said WHERE entity = ? AND attribute = ? ORDER BY times DESC, value LIMIT ?",
            (row, attribute, count),
        ).fetchall()

    def _forget_unsaid(self, row: int, withdrawn: Sequence[tuple[Attribute, str]]) -> None:
        for attribute, value in withdrawn:
            unsaid = self._connection.execute(
                "DELETE FROM said WHERE entity = ? AND attribute = ? AND value = ? AND times = 0 RETURNING vector",
                (row, attribute, value),
            ).fetchall()
            self._released.update(vector for (vector,) in unsaid if vector is not None)

    def _foremost(self, row: int, attribute: Attribute) -> str:
        return next((value for value, _ in self._best(row, attribute, 1)), "")

    def _call(self, key: str, row: int) -> None:
        """What the entity is called, and the loose names under which it can be found.

        A decision comes before the name that evidence gives it most often; it is found under all of them.
        """
        decided = self._overlay().name(key)
        name = decided or self._foremost(row, Attribute.NAME)
        self._connection.execute("UPDATE entity SET name = ? WHERE id = ?", (name, row))
        names = self._connection.execute("SELECT value FROM said WHERE entity = ? AND attribute = 'name'", (row,))
        loose = {form for (said,) in names for form in identity.called(said)}
        loose |= identity.called(decided) if decided and loose else set()
        before = self._called(row)
        self._connection.executemany(
            "DELETE FROM called WHERE loose = ? AND entity = ?", [(gone, row) for gone in before - loose]
        )
        self._connection.executemany("INSERT INTO called VALUES (?, ?)", [(new, row) for new in loose - before])

    def _called(self, row: int) -> set[str]:
        return {name for (name,) in self._connection.execute("SELECT loose FROM called WHERE entity = ?", (row,))}

    def _choose_forms(self, row: int) -> None:
        """The best supported forms carry vectors, all others none."""
        best = self._best(row, Attribute.FORM, FORMS_EMBEDDED)
        kept = {vector for _, vector in best}
        carrying = self._connection.execute(
            "SELECT value, vector FROM said WHERE entity = ? AND attribute = 'form' AND vector IS NOT NULL", (row,)
        ).fetchall()
        for value, vector in carrying:
            if vector not in kept:
                self._released[vector] += 1
                self._connection.execute(
                    "UPDATE said SET vector = NULL WHERE entity = ? AND attribute = 'form' AND value = ?", (row, value)
                )
        for value, vector in best:
            if vector is None:
                self._needs.add(
                    "UPDATE said SET vector = ? WHERE entity = ? AND attribute = 'form' AND value = ?",
                    (row, value),
                    value,
                )
