"""Keeping entities in step with what evidence says of them: counts, names, descriptions, and the forms embedded.

Most statements are made for all entities of a change at once. What an entity has much of (a hub has thousands of
descriptions) is not read as a whole: the foremost stay so, or one that is said more often now takes their place. Only
where one of the foremost is said less often than before, others may come before it, and all are looked through.
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

_FOREMOST = (
    "{0} = coalesce((SELECT value FROM said WHERE said.entity = entity.id AND attribute = '{0}'{1}"
    " ORDER BY times DESC, value LIMIT 1), '')"
)
# Of names and types there are few.
_SHOW_NAME_AND_TYPE = f"UPDATE entity SET {_FOREMOST.format('name', '')}, {_FOREMOST.format('type', '')} WHERE id = ?"
_SHOW_THIS_OR_THAT = (
    f"UPDATE entity SET {_FOREMOST.format('description', ' AND value IN (entity.description, ?)')} WHERE id = ?"
)
_SHOW_ANY = f"UPDATE entity SET {_FOREMOST.format('description', '')} WHERE id = ?"
_FORMS = "SELECT entity, value, times, vector FROM said WHERE attribute = 'form' AND entity IN ({})"
_THESE = "SELECT value, times, vector FROM said WHERE entity = ? AND attribute = 'form' AND value IN ({})"
_EMBEDDED = (
    "SELECT entity, value, times, vector FROM said INDEXED BY said_embedded WHERE vector IS NOT NULL AND entity IN ({})"
)
_Form = tuple[str, int, int | None]
"""A form of an entity, how often it is said, and the key of its vector where it carries one."""
_Said = tuple[int, Attribute, str, int]
"""That evidence says of an entity so many times more, or less, what is a value of an attribute."""


class EntityTables:
    """Applies tallies of entities within the transaction of a connection.

    ``overlay`` tells what decisions call an entity; the tallies heed it already. What is touched is noted in
    ``touched``, uses of vectors that end in ``released``.
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
        """The row of each entity, made where there is none yet."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, int] = dict(
            select_in(self._connection, "SELECT key, id FROM entity WHERE key IN ({})", wanted)
        )
        new = [key for key in wanted if key not in found]
        found |= {key: row for row, key in enumerate(new, next_row(self._connection, "entity"))}
        self._connection.executemany(
            "INSERT INTO entity (id, digest, key, name, type, description, evidence, score, facts, chunks)"
            " VALUES (?, ?, ?, '', '', '', 0, 0, 0, 0)",
            [(found[key], digest_bytes(identity.entity_id(key)), key) for key in new],
        )
        self._touched.names.update(new)
        self._touched.entities.update(found.values())
        return found

    def apply(self, tallies: Mapping[str, EntityTally], rows: Mapping[str, int], degrees: Mapping[int, int]) -> None:
        """Add the tallies, and to each row (of these and of others) the facts that it has gained; none evident goes."""
        said = self._count_said(tallies, rows)
        self._count(tallies, rows, degrees)
        # First, so that what is shown is not renewed of what goes.
        self._delete([rows[key] for key in tallies])
        changed = {key: rows[key] for key, tally in tallies.items() if any(tally.said.values())}
        self._call(changed)
        self._describe([one for one in said if one[1] is Attribute.DESCRIPTION])
        self._choose_forms(list(changed.values()), said)

    def rename(self, keys: Iterable[str]) -> None:
        """Call entities anew, after decisions on their names."""
        self._call(dict(select_in(self._connection, "SELECT key, id FROM entity WHERE key IN ({})", list(keys))))

    def _count_said(self, tallies: Mapping[str, EntityTally], rows: Mapping[str, int]) -> list[_Said]:
        """Count every version of every attribute; those that nothing says any more go, and let go of their vectors."""
        said: list[_Said] = [
            (rows[key], attribute, value, times)
            for key, tally in tallies.items()
            for (attribute, value), times in tally.said.items()
            if times
        ]
        self._connection.executemany(
            "INSERT INTO said (entity, attribute, value, times) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (entity, attribute, value) DO UPDATE SET times = said.times + excluded.times",
            said,
        )
        for version in (version for *version, times in said if times < 0):
            unsaid = self._connection.execute(
                "DELETE FROM said WHERE entity = ? AND attribute = ? AND value = ? AND times = 0 RETURNING vector",
                version,
            ).fetchall()
            self._released.update(vector for (vector,) in unsaid if vector is not None)
        return said

    def _count(self, tallies: Mapping[str, EntityTally], rows: Mapping[str, int], degrees: Mapping[int, int]) -> None:
        counted = {rows[key]: (tally.evidence, tally.score, tally.chunks) for key, tally in tallies.items()}
        gained = [(*counted.get(row, (0, 0, 0)), degrees.get(row, 0), row) for row in counted.keys() | degrees.keys()]
        self._connection.executemany(
            "UPDATE entity SET evidence = evidence + ?, score = score + ?, chunks = chunks + ?, facts = facts + ?"
            " WHERE id = ?",
            gained,
        )

    def _describe(self, said: Sequence[_Said]) -> None:
        """Show of all descriptions that which is said most often, of equals the first by its text."""
        less = {(row, value) for row, _, value, times in said if times < 0}
        shown = "SELECT id, description FROM entity WHERE id IN ({})"
        fallen = {one[0] for one in select_in(self._connection, shown, [row for row, _ in less]) if one in less}
        others = [(value, row) for row, _, value, _ in said if row not in fallen]
        self._connection.executemany(_SHOW_THIS_OR_THAT, others)
        self._connection.executemany(_SHOW_ANY, [(row,) for row in fallen])

    def _call(self, rows: Mapping[str, int]) -> None:
        """What entities are called, of what type they are, and the loose names under which they can be found.

        A decision comes before the name that evidence gives most often; an entity is found under all of them.
        """
        overlay = self._overlay()
        decided = {row: name for key, row in rows.items() if (name := overlay.name(key))}
        self._connection.executemany(_SHOW_NAME_AND_TYPE, [(row,) for row in rows.values()])
        self._connection.executemany(
            "UPDATE entity SET name = ? WHERE id = ?", [(name, row) for row, name in decided.items()]
        )
        loose = self._of_each("SELECT entity, value FROM said WHERE attribute = 'name' AND entity IN ({})", rows)
        now = {
            (form, row)
            for row, names in loose.items()
            for name in (*names, *filter(None, [decided.get(row)]))
            for form in identity.called(name)
        }
        known = self._of_each("SELECT entity, loose FROM called WHERE entity IN ({})", rows)
        before = {(form, row) for row, forms in known.items() for form in forms}
        self._connection.executemany("DELETE FROM called WHERE loose = ? AND entity = ?", sorted(before - now))
        self._connection.executemany("INSERT INTO called (loose, entity) VALUES (?, ?)", sorted(now - before))

    def _of_each(self, sql: str, rows: Mapping[str, int]) -> Mapping[int, list[str]]:
        found: defaultdict[int, list[str]] = defaultdict(list)
        for row, value in select_in(self._connection, sql, list(rows.values())):
            found[row].append(value)
        return found

    def _choose_forms(self, rows: Sequence[int], said: Sequence[_Said]) -> None:
        """The best supported forms carry vectors, all others none."""
        # There are no more forms than evidence, so of most entities all are among the best.
        sql = f"SELECT id FROM entity WHERE evidence > {FORMS_EMBEDDED} AND id IN ({{}})"
        many: dict[int, dict[str, int]] = {row: {} for (row,) in select_in(self._connection, sql, rows)}
        bare = "SELECT entity, value FROM said WHERE attribute = 'form' AND vector IS NULL AND entity IN ({})"
        for row, value in select_in(self._connection, bare, [row for row in rows if row not in many]):
            self._need(row, value)
        for row, attribute, value, times in said:
            if attribute is Attribute.FORM and row in many:
                many[row][value] = times
        carrying = self._forms(_EMBEDDED, list(many))
        # One that carried a vector may be gone: then there are fewer than may be.
        open_ = [
            row
            for row, forms in many.items()
            if len(carrying[row]) < FORMS_EMBEDDED or any(forms.get(value, 0) < 0 for value, *_ in carrying[row])
        ]
        all_forms = self._forms(_FORMS, open_)
        for row, forms in many.items():
            found = all_forms[row] if row in all_forms else [*carrying[row], *self._others(row, forms, carrying[row])]
            self._choose_among_many(row, carrying[row], found)

    def _forms(self, sql: str, rows: Sequence[int]) -> dict[int, list[_Form]]:
        """The forms of each of these rows."""
        found: dict[int, list[_Form]] = {row: [] for row in rows}
        for row, *form in select_in(self._connection, sql, rows):
            found[row].append((form[0], form[1], form[2]))
        return found

    def _others(self, row: int, said: Iterable[str], known: Sequence[_Form]) -> list[_Form]:
        """What is known of forms beside these."""
        others = [value for value in said if value not in {value for value, *_ in known}]
        return [(value, times, vector) for value, times, vector in select_in(self._connection, _THESE, others, (row,))]

    def _choose_among_many(self, row: int, carrying: Sequence[_Form], forms: Sequence[_Form]) -> None:
        best = sorted(forms, key=lambda form: (-form[1], form[0]))[:FORMS_EMBEDDED]
        self._let_go(row, carrying, {value for value, *_ in best})
        for value, _, vector in best:
            if vector is None:
                self._need(row, value)

    def _need(self, row: int, form: str) -> None:
        sql = "UPDATE said SET vector = ? WHERE entity = ? AND attribute = 'form' AND value = ?"
        self._needs.add(sql, (row, form), form)

    def _let_go(self, row: int, carrying: Sequence[_Form], kept: Collection[str]) -> None:
        """Of forms that carry vectors, those that are not kept carry none from now on."""
        dropped = [(value, vector) for value, _, vector in carrying if value not in kept]
        self._released.update(vector for _, vector in dropped if vector is not None)
        self._connection.executemany(
            "UPDATE said SET vector = NULL WHERE entity = ? AND attribute = 'form' AND value = ?",
            [(row, value) for value, _ in dropped],
        )

    def _delete(self, touched: list[int]) -> None:
        """Delete those of which there is no evidence any more."""
        sql = "SELECT key, id FROM entity WHERE evidence = 0 AND id IN ({})"
        gone = dict(select_in(self._connection, sql, touched))
        self._connection.executemany("DELETE FROM entity WHERE id = ?", [(row,) for row in gone.values()])
        self._touched.names.update(gone)


def next_row(connection: Connection, table: str) -> int:
    """The key that the next row of a table gets."""
    (last,) = connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
    return int(last) + 1
