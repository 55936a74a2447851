"""Texts of revisions, in segments, so that the cost of a quote does not grow with the document."""

from collections.abc import Mapping, Sequence

from polyadic.storage.connection import Connection
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.segments import Segments
from polyadic.storage.sql.tables import TEXT_SEGMENT

TEXTS = Segments(TEXT_SEGMENT, size=2000)
"""Eight segments of one-byte characters fill a page of the file."""

Stretch = tuple[int, int, int]
"""A range of characters of a text: revision, start, end."""


def text_of(connection: Connection, revision: int) -> str:
    """Return the whole text of a revision."""
    return "".join(TEXTS.read(connection, revision))


def quotes(connection: Connection, stretches: Sequence[Stretch]) -> list[str]:
    """Return the text of each stretch; a segment that several share is read once."""
    wanted = sorted({key for stretch in stretches for key in _keys(stretch)})
    return cut(dict(select_in(connection, "SELECT id, text FROM text_segment WHERE id {any_of}", wanted)), stretches)


def cut(segments: Mapping[int, str], stretches: Sequence[Stretch]) -> list[str]:
    """Cut the text of each stretch from segments, given by key."""
    return [
        "".join(segments.get(key, "") for key in _keys(stretch))[stretch[1] % TEXTS.size :][: stretch[2] - stretch[1]]
        for stretch in stretches
    ]


def _keys(stretch: Stretch) -> range:
    """Return the keys of the segments that a stretch covers."""
    revision, start, stop = stretch
    return range(TEXTS.key(revision, start), TEXTS.key(revision, max(start, stop - 1)) + 1)
