"""Texts of revisions, stored in fixed-size pieces so that the cost of a quote does not grow with the document.

The key of a piece is computed from its revision and its number in the text, so quotes are read by primary key.
"""

from collections.abc import Mapping, Sequence

from polyadic.storage.connection import Connection
from polyadic.storage.row_changes import Insert
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.tables import TEXT_SEGMENT

PIECE = 2000
"""Characters per piece; eight pieces of one-byte characters fill a page of the file."""
MOST_PIECES = 1 << 20
"""Upper bound of pieces per text, beyond the longest text that SQLite takes."""

Stretch = tuple[int, int, int]
"""A range of characters of a text: revision, start, end."""


def put_texts(connection: Connection, texts: Sequence[tuple[int, str]]) -> None:
    """Store the texts of new revisions."""
    connection.change(
        Insert(TEXT_SEGMENT, TEXT_SEGMENT.names),
        [
            (_key(revision, start), text[start : start + PIECE])
            for revision, text in texts
            for start in range(0, len(text), PIECE)
        ],
    )


def drop_text(connection: Connection, revision: int) -> None:
    """Delete the text of a revision."""
    connection.execute("DELETE FROM text_segment WHERE id >= ? AND id < ?", (_key(revision, 0), _key(revision + 1, 0)))


def text_of(connection: Connection, revision: int) -> str:
    """Return the whole text of a revision."""
    pieces = connection.execute(
        "SELECT text FROM text_segment WHERE id >= ? AND id < ? ORDER BY id", (_key(revision, 0), _key(revision + 1, 0))
    )
    return "".join(text for (text,) in pieces)


def quotes(connection: Connection, stretches: Sequence[Stretch]) -> list[str]:
    """Return the text of each stretch; a piece that several share is read once."""
    wanted = sorted({key for stretch in stretches for key in _keys(stretch)})
    return cut(dict(select_in(connection, "SELECT id, text FROM text_segment WHERE id {any_of}", wanted)), stretches)


def cut(pieces: Mapping[int, str], stretches: Sequence[Stretch]) -> list[str]:
    """Cut the text of each stretch from pieces, given by key."""
    return [
        "".join(pieces.get(key, "") for key in _keys(stretch))[stretch[1] % PIECE :][: stretch[2] - stretch[1]]
        for stretch in stretches
    ]


def stray_texts(connection: Connection) -> int:
    """Count deleted revisions whose text is still stored."""
    rows = connection.execute(
        "SELECT 1 FROM (SELECT DISTINCT id / ? AS revision FROM text_segment) p"
        " WHERE NOT EXISTS (SELECT 1 FROM revision r WHERE r.id = p.revision)",
        (MOST_PIECES,),
    )
    return len(rows.fetchall())


def _keys(stretch: Stretch) -> range:
    """Return the keys of the pieces that a stretch covers."""
    revision, start, stop = stretch
    return range(_key(revision, start), _key(revision, max(start, stop - 1)) + 1)


def _key(revision: int, character: int) -> int:
    """Return the key of the piece that contains a character."""
    return revision * MOST_PIECES + character // PIECE
