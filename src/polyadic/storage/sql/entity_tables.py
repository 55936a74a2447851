"""Maintain the tables of entities: apply exact differences of tallies, and display the best supported values.

The result does not depend on the order in which evidence arrived: of several values, the one with the most occurrences
is displayed, ties broken by text.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from polyadic.model import identity
from polyadic.model.aggregation import FORMS_EMBEDDED, Attribute, EntityTally
from polyadic.model.resolution import EntityResolution
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.sql.change_log import TouchedRows
from polyadic.storage.sql.encoding import entity_digest, text_digest
from polyadic.storage.sql.fact_tables import next_row
from polyadic.storage.sql.tables import ATTRIBUTE_VALUE, ENTITY, ENTITY_ALIAS
from polyadic.storage.sql.title_entities import entity_rows
from polyadic.storage.sql.vectors import PendingVectors
from polyadic.storage.table import Delete, Insert, Update

_SET_VECTOR = Update(ATTRIBUTE_VALUE, where=ATTRIBUTE_VALUE.key, set=("vector",))
_DELETE_UNSUPPORTED = Delete(ATTRIBUTE_VALUE, (*ATTRIBUTE_VALUE.key, "occurrences"))
# The order lets SQLite use the index of embedded forms.
_EMBEDDED = (
    "SELECT entity, value, occurrences, vector FROM attribute_value WHERE vector IS NOT NULL AND entity {any_of}"
    " ORDER BY entity, value_digest"
)
_ALL_VALUES = "SELECT entity, value, occurrences, vector FROM attribute_value WHERE attribute = ? AND entity {any_of}"
_SOME_VALUES = (
    "SELECT value, occurrences, vector FROM attribute_value"
    " WHERE entity = ? AND attribute = ? AND value_digest {any_of}"
)
_NAMES_AND_TYPES = (
    "SELECT entity, attribute, value, occurrences FROM attribute_value"
    " WHERE attribute IN ('name', 'type') AND entity {any_of}"
)
_DISPLAYED_NAMES = "SELECT name, type, id FROM entity WHERE id {any_of}"
_Changes = Mapping[int, Mapping[str, int]]
"""Differences in the number of occurrences of the values of one attribute, by entity row and value."""
_Value = tuple[str, int, int | None]
"""A value of an attribute, its number of occurrences, and the key of its vector."""


class EntityTables:
    """Applies tallies of entities within the transaction of a connection.

    Parameters
    ----------
    vectors
        Collects the rows that need vectors.
    touched
        Collects the touched rows.
    resolution
        Returns the entity resolution, for names set by decisions; the tallies already reflect it.
    """

    def __init__(
        self,
        connection: Connection,
        vectors: PendingVectors,
        touched: TouchedRows,
        resolution: Callable[[], EntityResolution],
    ) -> None:
        self._connection = connection
        self._vectors = vectors
        self._touched = touched
        self._resolution = resolution

    def rows(self, keys: Iterable[str]) -> dict[str, int]:
        """Return the row of each entity; missing ones are inserted."""
        wanted = list(dict.fromkeys(keys))
        rows = entity_rows(self._connection, wanted)
        new = [key for key in wanted if key not in rows]
        rows |= {key: row for row, key in enumerate(new, next_row(self._connection, "entity"))}
        self._connection.change(
            Insert(ENTITY), [(rows[key], entity_digest(key), key, "", "", "", 0, 0, 0, 0) for key in new]
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
        counts = {rows[key]: (tally.evidence, tally.score, tally.chunks) for key, tally in tallies.items()}
        self._connection.change(
            Update(ENTITY, where=("id",), add=("evidence", "score", "chunks", "facts")),
            [(*counts.get(row, (0, 0, 0)), degrees.get(row, 0), row) for row in counts.keys() | degrees.keys()],
        )
        deleted = self._delete_unsupported([rows[key] for key in tallies])
        changed = {
            key: rows[key] for key, tally in tallies.items() if key not in deleted and any(tally.value_counts.values())
        }
        changes = self._count_values({row: tallies[key] for key, row in changed.items()})
        self._set_names(changed)
        self._describe(changes[Attribute.DESCRIPTION])
        self._embed_forms(changed.values(), changes[Attribute.FORM])

    def rename(self, keys: Iterable[str]) -> None:
        """Update the displayed names and aliases of entities, after decisions on them."""
        if rows := entity_rows(self._connection, keys):
            self._set_names(rows)

    def _count_values(self, tallies: Mapping[int, EntityTally]) -> dict[Attribute, _Changes]:
        """Update the counts of attribute values of entities, by row; delete those without evidence."""
        changes: dict[Attribute, dict[int, dict[str, int]]] = {one: defaultdict(dict) for one in Attribute}
        inserted, decreased = [], []
        for row, tally in tallies.items():
            for (attribute, value), times in tally.value_counts.items():
                if times:
                    changes[attribute][row][value] = times
                    identified = row, attribute, text_digest(value)
                    inserted.append((*identified, value, times))
                    if times < 0:
                        decreased.append(identified)
        self._connection.change(Insert(ATTRIBUTE_VALUE, ATTRIBUTE_VALUE.names[:-1], add=("occurrences",)), inserted)
        embedded = select_in(self._connection, _EMBEDDED, list(dict.fromkeys(row for row, *_ in decreased)))
        self._vectors.release(vector for _, _, occurrences, vector in embedded if not occurrences)
        self._connection.change(_DELETE_UNSUPPORTED, [(*identified, 0) for identified in decreased])
        return dict(changes)

    def _delete_unsupported(self, touched: Sequence[int]) -> Collection[str]:
        """Delete the touched entities without evidence, with their aliases and values; return their keys."""
        sql = "SELECT key, id FROM entity WHERE evidence = 0 AND id {any_of}"
        unsupported = dict(select_in(self._connection, sql, touched))
        embedded = select_in(self._connection, _EMBEDDED, list(unsupported.values()))
        self._vectors.release(vector for *_, vector in embedded)
        for change in (
            Delete(ATTRIBUTE_VALUE, ("entity",)),
            Delete(ENTITY_ALIAS, ("entity",)),
            Delete(ENTITY, ("id",)),
        ):
            self._connection.change(change, [(row,) for row in unsupported.values()])
        self._touched.names.update(unsupported)
        return unsupported

    def _set_names(self, rows: Mapping[str, int]) -> None:
        """Update the displayed names and types of entities, and the aliases by which they are looked up.

        A name set by a decision is displayed instead of the most frequent one; lookups match all names.
        """
        resolution = self._resolution()
        decided = {row: name for key, row in rows.items() if (name := resolution.name(key))}
        evident: dict[tuple[int, str], list[tuple[str, int]]] = defaultdict(list)
        for row, attribute, value, times in select_in(self._connection, _NAMES_AND_TYPES, list(rows.values())):
            evident[row, attribute].append((value, times))
        names = {row: evident[row, Attribute.NAME] for row in rows.values()}
        displayed = {
            (decided.get(row) or _most_frequent(names[row]), _most_frequent(evident[row, Attribute.TYPE]), row)
            for row in names
        }
        displayed.difference_update(select_in(self._connection, _DISPLAYED_NAMES, list(names)))
        self._connection.change(Update(ENTITY, where=("id",), set=("name", "type")), sorted(displayed))
        now = {
            (text_digest(form), row)
            for row in names
            if names[row]
            for name in (*(name for name, _ in names[row]), *filter(None, [decided.get(row)]))
            for form in identity.called(name)
        }
        sql = "SELECT digest, entity FROM entity_alias WHERE entity {any_of}"
        before = set(select_in(self._connection, sql, list(rows.values())))
        self._connection.change(Delete(ENTITY_ALIAS, ENTITY_ALIAS.key), sorted(before - now))
        self._connection.change(Insert(ENTITY_ALIAS), sorted(now - before))

    def _describe(self, changes: _Changes) -> None:
        """Display the most frequent description of each entity."""
        sql = "SELECT id, description FROM entity WHERE id {any_of}"
        displayed: dict[int, str] = dict(select_in(self._connection, sql, list(changes)))
        shown = {row: [text] if text else [] for row, text in displayed.items()}
        best = self._best(Attribute.DESCRIPTION, 1, shown, changes)
        texts = {row: next((text for text, *_ in values), "") for row, values in best.items()}
        self._connection.change(
            Update(ENTITY, where=("id",), set=("description",)),
            [(text, row) for row, text in texts.items() if text != displayed[row]],
        )

    def _embed_forms(self, rows: Iterable[int], changes: _Changes) -> None:
        """Embed the best supported forms of each entity, and no others."""
        embedded: dict[int, dict[str, int]] = {row: {} for row in rows}
        for row, form, _, vector in select_in(self._connection, _EMBEDDED, list(embedded)):
            embedded[row][form] = vector
        dropped = []
        for row, forms in self._best(Attribute.FORM, FORMS_EMBEDDED, embedded, changes).items():
            for form in embedded[row].keys() - {form for form, *_ in forms}:
                self._vectors.released[embedded[row][form]] += 1
                dropped.append((None, row, Attribute.FORM, text_digest(form)))
            for form, _, vector in forms:
                if vector is None:
                    self._vectors.add(_SET_VECTOR, (row, Attribute.FORM, text_digest(form)), form)
        self._connection.change(_SET_VECTOR, dropped)

    def _best(
        self, attribute: Attribute, k: int, current: Mapping[int, Collection[str]], changes: _Changes
    ) -> dict[int, list[_Value]]:
        """Return the k best supported values of an attribute of each entity.

        ``current`` are those before the changes that still exist. Only these and the changed values are compared,
        unless there are fewer than k or one of them has lost support: some entities have very many values.
        """
        found: dict[int, list[_Value]] = {row: [] for row in current}
        reopened = []
        for row, values in current.items():
            changed = changes.get(row, {})
            if len(values) < k or any(changed.get(value, 0) < 0 for value in values):
                reopened.append(row)
            else:
                digests = [text_digest(value) for value in {*values, *changed}]
                some = select_in(self._connection, _SOME_VALUES, digests, (row, attribute))
                found[row] = [(value, times, vector) for value, times, vector in some]
        for row, value, times, vector in select_in(self._connection, _ALL_VALUES, reopened, (attribute,)):
            found[row].append((value, times, vector))
        return {row: sorted(values, key=_rank)[:k] for row, values in found.items()}


def _rank(value: tuple[str, int, int | None] | tuple[str, int]) -> tuple[int, str]:
    return -value[1], value[0]


def _most_frequent(values: Iterable[tuple[str, int]]) -> str:
    """Return the value with the most occurrences, ties broken by text; empty if there is none."""
    return min(values, key=_rank, default=("", 0))[0]
