"""Maintain entities from evidence: counts, names, types, descriptions, and embedded forms.

Most statements cover all entities of a change at once. Long lists of variants (a hub has thousands of descriptions) are
not read in full: normally the best variant stays the best or is replaced by one whose count has increased. Only if the
count of a best variant has decreased are all variants compared again.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from polyadic.model import identity
from polyadic.model.aggregation import FORMS_EMBEDDED, Attribute, EntityTally
from polyadic.model.resolution import EntityResolution
from polyadic.storage.connection import Connection
from polyadic.storage.sql.change_log import TouchedRows
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.pending_vectors import PendingVectors
from polyadic.storage.sql.sql_in import select_in

_TOP_VALUE = (
    "{0} = coalesce((SELECT value FROM attribute_value WHERE attribute_value.entity = entity.id AND"
    " attribute = '{0}'{1}"
    " ORDER BY occurrences DESC, value LIMIT 1), '')"
)
# An entity has few names and types, so all are compared.
_SHOW_NAME_AND_TYPE = f"UPDATE entity SET {_TOP_VALUE.format('name', '')}, {_TOP_VALUE.format('type', '')} WHERE id = ?"
_SHOW_CURRENT_OR_OTHER = (
    f"UPDATE entity SET {_TOP_VALUE.format('description', ' AND value IN (entity.description, ?)')} WHERE id = ?"
)
_SHOW_ANY = f"UPDATE entity SET {_TOP_VALUE.format('description', '')} WHERE id = ?"
_FORMS = "SELECT entity, value, occurrences, vector FROM attribute_value WHERE attribute = 'form' AND entity IN ({})"
_SOME_FORMS = (
    "SELECT value, occurrences, vector FROM attribute_value WHERE entity = ? AND attribute = 'form' AND value IN ({})"
)
_EMBEDDED = (
    "SELECT entity, value, occurrences, vector FROM attribute_value INDEXED BY attribute_value_embedded"
    " WHERE vector IS NOT NULL AND entity IN ({})"
)
_Form = tuple[str, int, int | None]
"""A form of an entity: text, number of occurrences, and the key of its vector if it is embedded."""
_ValueChange = tuple[int, Attribute, str, int]
"""A change of an attribute value: entity row, attribute, value, and the difference in its number of occurrences."""


class EntityTables:
    """Applies tallies of entities within the transaction of a connection.

    Parameters
    ----------
    needs
        Collects the rows that need vectors.
    overlay
        Returns the entity resolution, for names set by decisions; the tallies already reflect it.
    touched
        Collects the touched rows.
    released
        Counts the uses of vectors that end.
    """

    def __init__(
        self,
        connection: Connection,
        needs: PendingVectors,
        overlay: Callable[[], EntityResolution],
        touched: TouchedRows,
        released: Counter[int],
    ) -> None:
        self._connection = connection
        self._needs = needs
        self._overlay = overlay
        self._touched = touched
        self._released = released

    def rows(self, keys: Iterable[str]) -> dict[str, int]:
        """Return the row of each entity; missing ones are inserted."""
        wanted = list(dict.fromkeys(keys))
        rows: dict[str, int] = dict(select_in(self._connection, "SELECT key, id FROM entity WHERE key IN ({})", wanted))
        new = [key for key in wanted if key not in rows]
        rows |= {key: row for row, key in enumerate(new, next_row(self._connection, "entity"))}
        self._connection.executemany(
            "INSERT INTO entity (id, digest, key, name, type, description, evidence, score, facts, chunks)"
            " VALUES (?, ?, ?, '', '', '', 0, 0, 0, 0)",
            [(rows[key], digest_bytes(identity.entity_id(key)), key) for key in new],
        )
        self._touched.names.update(new)
        self._touched.entities.update(rows.values())
        return rows

    def apply(self, tallies: Mapping[str, EntityTally], rows: Mapping[str, int], degrees: Mapping[int, int]) -> None:
        """Add tallies, and changes in the number of facts; delete entities left without evidence.

        Parameters
        ----------
        tallies
            Differences by entity key.
        rows
            Rows of these entities.
        degrees
            Difference in the number of facts by row, also of other entities.
        """
        changes = self._count_values(tallies, rows)
        self._count(tallies, rows, degrees)
        # Before the displayed values are updated, which deleted entities do not need.
        self._delete([rows[key] for key in tallies])
        changed = {key: rows[key] for key, tally in tallies.items() if any(tally.value_counts.values())}
        self._set_names(changed)
        self._describe([one for one in changes if one[1] is Attribute.DESCRIPTION])
        self._choose_forms(list(changed.values()), changes)

    def rename(self, keys: Iterable[str]) -> None:
        """Update the displayed names and aliases of entities, after decisions on them."""
        self._set_names(dict(select_in(self._connection, "SELECT key, id FROM entity WHERE key IN ({})", list(keys))))

    def _count_values(self, tallies: Mapping[str, EntityTally], rows: Mapping[str, int]) -> list[_ValueChange]:
        """Update the counts of attribute values; delete those without evidence, and release their vectors."""
        changes: list[_ValueChange] = [
            (rows[key], attribute, value, times)
            for key, tally in tallies.items()
            for (attribute, value), times in tally.value_counts.items()
            if times
        ]
        self._connection.executemany(
            "INSERT INTO attribute_value (entity, attribute, value, occurrences) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (entity, attribute, value) DO UPDATE SET occurrences = attribute_value.occurrences"
            " + excluded.occurrences",
            changes,
        )
        for key in (key for *key, times in changes if times < 0):
            deleted = self._connection.execute(
                "DELETE FROM attribute_value WHERE entity = ? AND attribute = ? AND value = ? AND"
                " occurrences = 0 RETURNING vector",
                key,
            ).fetchall()
            self._released.update(vector for (vector,) in deleted if vector is not None)
        return changes

    def _count(self, tallies: Mapping[str, EntityTally], rows: Mapping[str, int], degrees: Mapping[int, int]) -> None:
        counts = {rows[key]: (tally.evidence, tally.score, tally.chunks) for key, tally in tallies.items()}
        updates = [(*counts.get(row, (0, 0, 0)), degrees.get(row, 0), row) for row in counts.keys() | degrees.keys()]
        self._connection.executemany(
            "UPDATE entity SET evidence = evidence + ?, score = score + ?, chunks = chunks + ?, facts = facts + ?"
            " WHERE id = ?",
            updates,
        )

    def _describe(self, changes: Sequence[_ValueChange]) -> None:
        """Display the most frequent description of each entity, ties broken by text."""
        decreased = {(row, value) for row, _, value, times in changes if times < 0}
        displayed = "SELECT id, description FROM entity WHERE id IN ({})"
        demoted = {
            one[0] for one in select_in(self._connection, displayed, [row for row, _ in decreased]) if one in decreased
        }
        others = [(value, row) for row, _, value, _ in changes if row not in demoted]
        self._connection.executemany(_SHOW_CURRENT_OR_OTHER, others)
        self._connection.executemany(_SHOW_ANY, [(row,) for row in demoted])

    def _set_names(self, rows: Mapping[str, int]) -> None:
        """Update the displayed names and types of entities, and the aliases by which they are looked up.

        A name set by a decision is displayed instead of the most frequent one; lookups match all names.
        """
        overlay = self._overlay()
        decided = {row: name for key, row in rows.items() if (name := overlay.name(key))}
        self._connection.executemany(_SHOW_NAME_AND_TYPE, [(row,) for row in rows.values()])
        self._connection.executemany(
            "UPDATE entity SET name = ? WHERE id = ?", [(name, row) for row, name in decided.items()]
        )
        names = self._values_by_row(
            "SELECT entity, value FROM attribute_value WHERE attribute = 'name' AND entity IN ({})", rows
        )
        now = {
            (form, row)
            for row, evident in names.items()
            for name in (*evident, *filter(None, [decided.get(row)]))
            for form in identity.called(name)
        }
        known = self._values_by_row("SELECT entity, alias FROM entity_alias WHERE entity IN ({})", rows)
        before = {(form, row) for row, forms in known.items() for form in forms}
        self._connection.executemany("DELETE FROM entity_alias WHERE alias = ? AND entity = ?", sorted(before - now))
        self._connection.executemany("INSERT INTO entity_alias (alias, entity) VALUES (?, ?)", sorted(now - before))

    def _values_by_row(self, sql: str, rows: Mapping[str, int]) -> Mapping[int, list[str]]:
        values: defaultdict[int, list[str]] = defaultdict(list)
        for row, value in select_in(self._connection, sql, list(rows.values())):
            values[row].append(value)
        return values

    def _choose_forms(self, rows: Sequence[int], changes: Sequence[_ValueChange]) -> None:
        """Embed the best supported forms of each entity, and no others."""
        # An entity has at most as many forms as evidence, so most entities have all their forms embedded.
        sql = f"SELECT id FROM entity WHERE evidence > {FORMS_EMBEDDED} AND id IN ({{}})"
        many: dict[int, dict[str, int]] = {row: {} for (row,) in select_in(self._connection, sql, rows)}
        bare = (
            "SELECT entity, value FROM attribute_value WHERE attribute = 'form' AND vector IS NULL AND entity IN ({})"
        )
        for row, value in select_in(self._connection, bare, [row for row in rows if row not in many]):
            self._need(row, value)
        for row, attribute, value, times in changes:
            if attribute is Attribute.FORM and row in many:
                many[row][value] = times
        embedded = self._forms(_EMBEDDED, list(many))
        # All forms are compared if an embedded one was deleted (then there are fewer) or its count has decreased.
        reopened = [
            row
            for row, forms in many.items()
            if len(embedded[row]) < FORMS_EMBEDDED or any(forms.get(value, 0) < 0 for value, *_ in embedded[row])
        ]
        all_forms = self._forms(_FORMS, reopened)
        for row, forms in many.items():
            found = all_forms[row] if row in all_forms else [*embedded[row], *self._others(row, forms, embedded[row])]
            self._choose_among_many(row, embedded[row], found)

    def _forms(self, sql: str, rows: Sequence[int]) -> dict[int, list[_Form]]:
        """Return the forms of each row that a query finds."""
        forms: dict[int, list[_Form]] = {row: [] for row in rows}
        for row, *form in select_in(self._connection, sql, rows):
            forms[row].append((form[0], form[1], form[2]))
        return forms

    def _others(self, row: int, changed: Iterable[str], known: Sequence[_Form]) -> list[_Form]:
        """Read the changed forms of an entity that are not known yet."""
        others = [value for value in changed if value not in {value for value, *_ in known}]
        return [
            (value, times, vector) for value, times, vector in select_in(self._connection, _SOME_FORMS, others, (row,))
        ]

    def _choose_among_many(self, row: int, embedded: Sequence[_Form], forms: Sequence[_Form]) -> None:
        best = sorted(forms, key=lambda form: (-form[1], form[0]))[:FORMS_EMBEDDED]
        self._release_vectors(row, embedded, {value for value, *_ in best})
        for value, _, vector in best:
            if vector is None:
                self._need(row, value)

    def _need(self, row: int, form: str) -> None:
        sql = "UPDATE attribute_value SET vector = ? WHERE entity = ? AND attribute = 'form' AND value = ?"
        self._needs.add(sql, (row, form), form)

    def _release_vectors(self, row: int, embedded: Sequence[_Form], kept: Collection[str]) -> None:
        """Remove the vectors of embedded forms that are not kept."""
        dropped = [(value, vector) for value, _, vector in embedded if value not in kept]
        self._released.update(vector for _, vector in dropped if vector is not None)
        self._connection.executemany(
            "UPDATE attribute_value SET vector = NULL WHERE entity = ? AND attribute = 'form' AND value = ?",
            [(row, value) for value, _ in dropped],
        )

    def _delete(self, touched: list[int]) -> None:
        """Delete those of the touched entities that have no evidence."""
        sql = "SELECT key, id FROM entity WHERE evidence = 0 AND id IN ({})"
        unsupported = dict(select_in(self._connection, sql, touched))
        self._connection.executemany("DELETE FROM entity WHERE id = ?", [(row,) for row in unsupported.values()])
        self._touched.names.update(unsupported)


def next_row(connection: Connection, table: str) -> int:
    """Return the key of the next row of a table."""
    (last,) = connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
    return int(last) + 1
