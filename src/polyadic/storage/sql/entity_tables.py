"""Maintain entities from evidence: counts, names, types, descriptions, and embedded forms.

Most statements cover all entities of a change at once. Long lists of variants (a hub has thousands of descriptions) are
not read in full: normally the best variant stays the best or is replaced by one whose count has increased. Only if the
count of a best variant has decreased are all variants compared again.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from polyadic.model import identity
from polyadic.model.aggregation import FORMS_EMBEDDED, Attribute, EntityTally
from polyadic.model.resolution import EntityResolution
from polyadic.storage.connection import Connection
from polyadic.storage.row_changes import Delete, Insert, Update
from polyadic.storage.sql.change_log import TouchedRows
from polyadic.storage.sql.digests import entity_digest, entity_rows, text_digest
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.pending_vectors import PendingVectors
from polyadic.storage.sql.tables import ATTRIBUTE_VALUE, ENTITY, ENTITY_ALIAS

_FORMS = "SELECT entity, value, occurrences, vector FROM attribute_value WHERE attribute = 'form' AND entity {any_of}"
_SOME_FORMS = (
    "SELECT value, occurrences, vector FROM attribute_value"
    " WHERE entity = ? AND attribute = 'form' AND value_digest {any_of}"
)
# The order lets SQLite use the index of embedded forms.
_EMBEDDED = (
    "SELECT entity, value, occurrences, vector FROM attribute_value"
    " WHERE vector IS NOT NULL AND entity {any_of} ORDER BY entity, value_digest"
)
_SET_VECTOR = Update(ATTRIBUTE_VALUE, where=("entity", "attribute", "value_digest"), set=("vector",))
_Form = tuple[str, int, int | None]
"""A form of an entity: text, number of occurrences, and the key of its vector if it is embedded."""
_Counts = dict[int, list[tuple[str, int]]]
"""Values of an attribute with their numbers of occurrences, by entity row."""
_ValueChange = tuple[int, Attribute, str, int]
"""A change of an attribute value: entity row, attribute, value, and the difference in its number of occurrences."""


class EntityTables:
    """Applies tallies of entities within the transaction of a connection.

    Parameters
    ----------
    needs
        Collects the rows that need vectors.
    resolution
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
        resolution: Callable[[], EntityResolution],
        touched: TouchedRows,
        released: Counter[int],
    ) -> None:
        self._connection = connection
        self._needs = needs
        self._resolution = resolution
        self._touched = touched
        self._released = released

    def rows(self, keys: Iterable[str]) -> dict[str, int]:
        """Return the row of each entity; missing ones are inserted."""
        wanted = list(dict.fromkeys(keys))
        rows = entity_rows(self._connection, wanted)
        new = [key for key in wanted if key not in rows]
        rows |= {key: row for row, key in enumerate(new, next_row(self._connection, "entity"))}
        self._connection.change(
            Insert(ENTITY, ENTITY.names), [(rows[key], entity_digest(key), key, "", "", "", 0, 0, 0, 0) for key in new]
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
        self._set_names(entity_rows(self._connection, keys))

    def _count_values(self, tallies: Mapping[str, EntityTally], rows: Mapping[str, int]) -> list[_ValueChange]:
        """Update the counts of attribute values; delete those without evidence, and release their vectors."""
        changes: list[_ValueChange] = [
            (rows[key], attribute, value, times)
            for key, tally in tallies.items()
            for (attribute, value), times in tally.value_counts.items()
            if times
        ]
        self._connection.change(
            Insert(ATTRIBUTE_VALUE, ATTRIBUTE_VALUE.names[:-1], add=("occurrences",)),
            [(row, attribute, text_digest(value), value, times) for row, attribute, value, times in changes],
        )
        for row, attribute, value in (key for *key, times in changes if times < 0):
            deleted = self._connection.execute(
                "DELETE FROM attribute_value WHERE entity = ? AND attribute = ? AND value_digest = ? AND"
                " occurrences = 0 RETURNING vector",
                (row, attribute, text_digest(value)),
            ).fetchall()
            self._released.update(vector for (vector,) in deleted if vector is not None)
        return changes

    def _count(self, tallies: Mapping[str, EntityTally], rows: Mapping[str, int], degrees: Mapping[int, int]) -> None:
        counts = {rows[key]: (tally.evidence, tally.score, tally.chunks) for key, tally in tallies.items()}
        updates = [(*counts.get(row, (0, 0, 0)), degrees.get(row, 0), row) for row in counts.keys() | degrees.keys()]
        self._connection.change(Update(ENTITY, where=("id",), add=("evidence", "score", "chunks", "facts")), updates)

    def _describe(self, changes: Sequence[_ValueChange]) -> None:
        """Display the most frequent description of each entity, ties broken by text."""
        changed: dict[int, dict[str, int]] = {}
        for row, _, value, times in changes:
            changed.setdefault(row, {})[value] = times
        sql = "SELECT id, description FROM entity WHERE id {any_of}"
        displayed: dict[int, str] = dict(select_in(self._connection, sql, list(changed)))
        best = {row: self._best_description(row, text, changed[row]) for row, text in displayed.items()}
        self._connection.change(
            Update(ENTITY, where=("id",), set=("description",)),
            [(text, row) for row, text in best.items() if text != displayed[row]],
        )

    def _best_description(self, row: int, displayed: str, changed: Mapping[str, int]) -> str:
        """Return the description to display, given the differences in the number of occurrences of the changed ones."""
        if not displayed:
            return _most_frequent(changed.items())
        sql = "SELECT value, occurrences FROM attribute_value WHERE entity = ? AND attribute = 'description'"
        if changed.get(displayed, 0) < 0:
            return _most_frequent(self._connection.execute(sql, (row,)))
        digests = [text_digest(text) for text in {displayed, *changed}]
        return _most_frequent(select_in(self._connection, f"{sql} AND value_digest {{any_of}}", digests, (row,)))

    def _set_names(self, rows: Mapping[str, int]) -> None:
        """Update the displayed names and types of entities, and the aliases by which they are looked up.

        A name set by a decision is displayed instead of the most frequent one; lookups match all names.
        """
        resolution = self._resolution()
        decided = {row: name for key, row in rows.items() if (name := resolution.name(key))}
        names, types = self._names_and_types(rows.values())
        self._connection.change(
            Update(ENTITY, where=("id",), set=("name", "type")),
            [(decided.get(row) or _most_frequent(names[row]), _most_frequent(types[row]), row) for row in names],
        )
        now = {
            (text_digest(form), row)
            for row, evident in names.items()
            if evident
            for name in (*(name for name, _ in evident), *filter(None, [decided.get(row)]))
            for form in identity.called(name)
        }
        sql = "SELECT digest, entity FROM entity_alias WHERE entity {any_of}"
        before = set(select_in(self._connection, sql, list(rows.values())))
        self._connection.change(Delete(ENTITY_ALIAS, ENTITY_ALIAS.names), sorted(before - now))
        self._connection.change(Insert(ENTITY_ALIAS, ENTITY_ALIAS.names), sorted(now - before))

    def _names_and_types(self, rows: Collection[int]) -> tuple[_Counts, _Counts]:
        """Return the names and the types of each entity with their numbers of occurrences; an entity has few."""
        names: _Counts = {row: [] for row in rows}
        types: _Counts = {row: [] for row in rows}
        sql = (
            "SELECT entity, attribute, value, occurrences FROM attribute_value"
            " WHERE attribute IN ('name', 'type') AND entity {any_of}"
        )
        for row, attribute, value, occurrences in select_in(self._connection, sql, list(rows)):
            (names if attribute == Attribute.NAME else types)[row].append((value, occurrences))
        return names, types

    def _choose_forms(self, rows: Sequence[int], changes: Sequence[_ValueChange]) -> None:
        """Embed the best supported forms of each entity, and no others."""
        # An entity has at most as many forms as evidence, so most entities have all their forms embedded.
        sql = f"SELECT id FROM entity WHERE evidence > {FORMS_EMBEDDED} AND id {{any_of}}"
        many: dict[int, dict[str, int]] = {row: {} for (row,) in select_in(self._connection, sql, rows)}
        bare = (
            "SELECT entity, value FROM attribute_value WHERE attribute = 'form' AND vector IS NULL AND entity {any_of}"
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
            (value, times, vector)
            for value, times, vector in select_in(
                self._connection, _SOME_FORMS, [text_digest(value) for value in others], (row,)
            )
        ]

    def _choose_among_many(self, row: int, embedded: Sequence[_Form], forms: Sequence[_Form]) -> None:
        best = sorted(forms, key=lambda form: (-form[1], form[0]))[:FORMS_EMBEDDED]
        self._release_vectors(row, embedded, {value for value, *_ in best})
        for value, _, vector in best:
            if vector is None:
                self._need(row, value)

    def _need(self, row: int, form: str) -> None:
        self._needs.add(_SET_VECTOR, (row, Attribute.FORM, text_digest(form)), form)

    def _release_vectors(self, row: int, embedded: Sequence[_Form], kept: Collection[str]) -> None:
        """Remove the vectors of embedded forms that are not kept."""
        dropped = [(value, vector) for value, _, vector in embedded if value not in kept]
        self._released.update(vector for _, vector in dropped if vector is not None)
        self._connection.change(_SET_VECTOR, [(None, row, Attribute.FORM, text_digest(value)) for value, _ in dropped])

    def _delete(self, touched: list[int]) -> None:
        """Delete those of the touched entities that have no evidence."""
        sql = "SELECT key, id FROM entity WHERE evidence = 0 AND id {any_of}"
        unsupported = dict(select_in(self._connection, sql, touched))
        self._connection.change(Delete(ENTITY, ("id",)), [(row,) for row in unsupported.values()])
        self._touched.names.update(unsupported)


def _most_frequent(values: Iterable[tuple[str, int]]) -> str:
    """Return the value with the most occurrences, ties broken by text; empty if there is none."""
    return min(values, key=lambda one: (-one[1], one[0]), default=("", 0))[0]


def next_row(connection: Connection, table: str) -> int:
    """Return the key of the next row of a table."""
    (last,) = connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
    return int(last) + 1
