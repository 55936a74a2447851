"""The texts of revisions, kept in pieces, so that the cost of a quotation does not grow with its document.

A piece's key is made of its revision's and of its number in the text: what is quoted is read by keys alone.
"""

from collections.abc import Mapping, Sequence

from polyadic.storage.connection import Connection
from polyadic.storage.sql.sql_in import select_in

PIECE = 2000
"""Characters of a piece; eight of one byte each fill a page of the file."""
MOST_PIECES = 1 << 20
"""Of one text; SQLite takes none that is as long as that."""

Stretch = tuple[int, int, int]
"""Characters of a text: its revision, where they begin, where they end."""


def put_text(connection: Connection, revision: int, text: str) -> None:
    """Keep the text of a new revision."""
    put_texts(connection, [(revision, text)])


def put_texts(connection: Connection, texts: Sequence[tuple[int, str]]) -> None:
    """Keep the texts of new revisions."""
    connection.executemany(
        "INSERT INTO piece (id, text) VALUES (?, ?)",
        [
            (_key(revision, start), text[start : start + PIECE])
            for revision, text in texts
            for start in range(0, len(text), PIECE)
        ],
    )


def drop_text(connection: Connection, revision: int) -> None:
    connection.execute("DELETE FROM piece WHERE id >= ? AND id < ?", (_key(revision, 0), _key(revision + 1, 0)))


def text_of(connection: Connection, revision: int) -> str:
    """The whole text of a revision."""
    pieces = connection.execute(
        "SELECT text FROM piece WHERE id >= ? AND id < ? ORDER BY id", (_key(revision, 0), _key(revision + 1, 0))
    )
    return "".join(text for (text,) in pieces)


def quotes(connection: Connection, stretches: Sequence[Stretch]) -> list[str]:
    """What stands at each of these stretches; a piece that several share is read once."""
    wanted = sorted({key for stretch in stretches for key in _keys(stretch)})
    return cut(dict(select_in(connection, "SELECT id, text FROM piece WHERE id IN ({})", wanted)), stretches)


def cut(pieces: Mapping[int, str], stretches: Sequence[Stretch]) -> list[str]:
    """What stands at each of these stretches, out of pieces by their keys."""
    return [
        "".join(pieces.get(key, "") for key in _keys(stretch))[stretch[1] % PIECE :][: stretch[2] - stretch[1]]
        for stretch in stretches
    ]


def stray_texts(connection: Connection) -> int:
    """Of how many revisions that are gone there is still text."""
    rows = connection.execute(
        "SELECT 1 FROM (SELECT DISTINCT id / ? AS revision FROM piece) p"
        " WHERE NOT EXISTS (SELECT 1 FROM revision r WHERE r.id = p.revision)",
        (MOST_PIECES,),
    )
    return len(rows.fetchall())


def cut_whole_texts(connection: Connection) -> None:
    """Bring over the texts that an earlier version kept as a whole each, in ``revision``.

    Not in SQL, which reads a whole text anew for each piece of it.
    """
    for (revision,) in connection.execute("SELECT id FROM revision").fetchall():
        (text,) = connection.execute("SELECT text FROM revision WHERE id = ?", (revision,)).fetchone()
        put_text(connection, revision, text)
        connection.execute("UPDATE revision SET characters = ? WHERE id = ?", (len(text), revision))
    connection.execute("ALTER TABLE revision DROP COLUMN text")


def _keys(stretch: Stretch) -> range:
    """The keys of the pieces over which it goes."""
    revision, start, stop = stretch
    return range(_key(revision, start), _key(revision, max(start, stop - 1)) + 1)


def _key(revision: int, character: int) -> int:
    """The key of the piece that holds a character."""
    return revision * MOST_PIECES + character // PIECE
