"""Keeping entities in step with what evidence says of them: counts, names, descriptions, and the forms embedded.

Most statements are made for all entities of a change at once; what an entity has much of (a hub has thousands of
descriptions) is looked up through an index, never read as a whole.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from polyadic import identity
from polyadic.derivation import FORMS_EMBEDDED, Attribute, EntityTally
from polyadic.overlay import Overlay
from polyadic.store.changes import Touched
from polyadic.store.connection import Connection
from polyadic.store.digests import digest_bytes
from polyadic.store.selecting import select_in
from polyadic.store.vector_needs import VectorNeeds

_SHOWN = (Attribute.NAME, Attribute.TYPE, Attribute.DESCRIPTION)
_FOREMOST = (
    "{0} = coalesce((SELECT value FROM said WHERE said.entity = entity.id AND attribute = '{0}'"
    " ORDER BY times DESC, value LIMIT 1), '')"
)
_SHOW_FOREMOST = f"UPDATE entity SET {', '.join(_FOREMOST.format(one.value) for one in _SHOWN)} WHERE id = ?"
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
        needs: VectorNeeds,
        overlay: Callable[[], Overlay],
        touched: Touched,
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
        self._count_said(tallies, rows)
        self._count(tallies, rows, degrees)
        # First, so that what is shown is not renewed of what goes.
        self._delete([rows[key] for key in tallies])
        changed = {key: rows[key] for key, tally in tallies.items() if any(tally.said.values())}
        self._call(changed)
        self._choose_forms(list(changed.values()))

    def rename(self, keys: Iterable[str]) -> None:
        """Call entities anew, after decisions on their names."""
        self._call(dict(select_in(self._connection, "SELECT key, id FROM entity WHERE key IN ({})", list(keys))))

    def _count_said(self, tallies: Mapping[str, EntityTally], rows: Mapping[str, int]) -> None:
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

    def _count(self, tallies: Mapping[str, EntityTally], rows: Mapping[str, int], degrees: Mapping[int, int]) -> None:
        counted = {rows[key]: (tally.evidence, tally.score, tally.chunks) for key, tally in tallies.items()}
        gained = [(*counted.get(row, (0, 0, 0)), degrees.get(row, 0), row) for row in counted.keys() | degrees.keys()]
        self._connection.executemany(
            "UPDATE entity SET evidence = evidence + ?, score = score + ?, chunks = chunks + ?, facts = facts + ?"
            " WHERE id = ?",
            gained,
        )

    def _show_foremost(self, rows: Iterable[int]) -> None:
        """Of all versions of an attribute show that which is said most often, of equals the first by its text."""
        self._connection.executemany(_SHOW_FOREMOST, [(row,) for row in rows])

    def _call(self, rows: Mapping[str, int]) -> None:
        """What is shown of entities, what they are called, and the loose names under which they can be found.

        A decision comes before the name that evidence gives most often; an entity is found under all of them.
        """
        overlay = self._overlay()
        decided = {row: name for key, row in rows.items() if (name := overlay.name(key))}
        self._show_foremost(rows.values())
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

    def _choose_forms(self, rows: Sequence[int]) -> None:
        """The best supported forms carry vectors, all others none."""
        # There are no more forms than evidence, so of most entities all are among the best.
        sql = f"SELECT id FROM entity WHERE evidence > {FORMS_EMBEDDED} AND id IN ({{}})"
        many = {row for (row,) in select_in(self._connection, sql, rows)}
        bare = "SELECT entity, value FROM said WHERE attribute = 'form' AND vector IS NULL AND entity IN ({})"
        for row, value in select_in(self._connection, bare, [row for row in rows if row not in many]):
            self._need(row, value)
        for row in many:
            self._choose_among_many(row)

    def _choose_among_many(self, row: int) -> None:
        best = self._connection.execute(
            "SELECT value, vector FROM said WHERE entity = ? AND attribute = 'form' ORDER BY times DESC, value LIMIT ?",
            (row, FORMS_EMBEDDED + 1),
        ).fetchall()
        if len(best) > FORMS_EMBEDDED:
            best.pop()
            self._let_go(row, {vector for _, vector in best})
        for value, vector in best:
            if vector is None:
                self._need(row, value)

    def _need(self, row: int, form: str) -> None:
        sql = "UPDATE said SET vector = ? WHERE entity = ? AND attribute = 'form' AND value = ?"
        self._needs.add(sql, (row, form), form)

    def _let_go(self, row: int, kept: set[int | None]) -> None:
        """Of forms that carry vectors, those of which the vector is not kept carry none from now on."""
        carrying = self._connection.execute(
            "SELECT value, vector FROM said WHERE entity = ? AND attribute = 'form' AND vector IS NOT NULL", (row,)
        ).fetchall()
        dropped = [(value, vector) for value, vector in carrying if vector not in kept]
        self._released.update(vector for _, vector in dropped)
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
