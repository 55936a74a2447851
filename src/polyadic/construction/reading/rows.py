"""Rows of tables and of JSON lines as documents."""

import re
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

from polyadic.construction.reading.decode import without_surrogates
from polyadic.construction.reading.metadata import metadata_of, title_of
from polyadic.errors import UnreadableDocument
from polyadic.knowledge import Document

TEXT_COLUMNS = ("text", "body", "content", "contents", "passage", "document", "article")
TITLE_COLUMNS = ("title", "name", "heading", "headline")
ID_COLUMNS = ("id", "_id", "doc_id", "docid", "document_id", "uuid")
"""Names that are looked for, whatever their case; the first that is there counts."""

_LONGEST_ID = 500
_LEAST_WORDS = 3
_LEAST_CHARACTERS = 20
_MOST_NAMES_SHOWN = 12
_NAME_IT = 'name the column with the text "text"'
_NOT_IN_AN_ID = re.compile("[\x00-\x1f\x7f-\x9f]")


class NoDocuments(UnreadableDocument):
    """The first row of a file has no text at all, so the file is something else than documents."""


class Rows:
    """Makes documents of the rows of one file; remembers what must be the same or differ among them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ids: set[str] = set()
        self._only_text = ""
        self._is_first = True

    def document(self, number: int, row: Mapping[str, object]) -> Document:
        """The document of a row.

        Parameters
        ----------
        number
            Which row it is, from 1: its identity where it has no id.
        row
            Values by column. What is neither text, title nor id becomes metadata.

        Raises
        ------
        NoDocuments
            It is the first row, and no column holds the text.
        UnreadableDocument
            The same of a later row; the text is empty or no string; or the id was there before.
        """
        columns = {name.strip().casefold(): name for name in reversed(list(row))}
        title_column = _first(columns, TITLE_COLUMNS)
        id_column = _first(columns, ID_COLUMNS)
        text_column = _first(columns, TEXT_COLUMNS) or self._text_like(row, {title_column, id_column})
        self._is_first = False
        text = _text(row, text_column)
        name = self._new_id(row.get(id_column), number)
        title = row.get(title_column) or ""
        used = {text_column, title_column, id_column}
        metadata = metadata_of({key: value for key, value in row.items() if key not in used})
        return Document(f"{self._path}#{name}", title_of(str(title)), text, metadata)

    def _text_like(self, row: Mapping[str, object], known: Set[str]) -> str:
        """The one column that holds words, as the first row shows it."""
        if self._is_first:
            like = [name for name, value in row.items() if name not in known and _is_wordy(value)]
            self._only_text = like[0] if len(like) == 1 else ""
        if self._only_text in row:
            return self._only_text
        raise (NoDocuments if self._is_first else UnreadableDocument)(_columns_seen(tuple(row)), _NAME_IT)

    def _new_id(self, value: object, number: int) -> str:
        """The row's own id, else its number; each only once in a file."""
        is_id = isinstance(value, str | int | float) and not isinstance(value, bool)
        name: str = without_surrogates(" ".join(str(value).split())) if is_id else ""
        if len(name) > _LONGEST_ID or _NOT_IN_AN_ID.search(name):
            raise UnreadableDocument("its id is too long or holds control characters", "give it a short one")
        name = name or str(number)
        if name in self._ids:
            raise UnreadableDocument(f"the id {name!r} was there before", "give each row an id of its own")
        self._ids.add(name)
        return name


def _first(names: Mapping[str, str], wanted: Sequence[str]) -> str:
    return next((names[name] for name in wanted if name in names), "")


def _text(row: Mapping[str, object], column: str) -> str:
    text = row[column]
    if text is None or (isinstance(text, str) and not text.strip()):
        raise UnreadableDocument("empty", "")
    if not isinstance(text, str):
        raise UnreadableDocument(f"column {column!r} is not a string", "write the text as one string")
    if "\0" in text:
        raise UnreadableDocument("the text holds a NUL character", "remove it")
    return without_surrogates(text.replace("\r\n", "\n").replace("\r", "\n"))


def _is_wordy(value: object) -> bool:
    """Whether a value is words rather than a code, a number, a date or an address."""
    if not isinstance(value, str):
        return False
    written_without_spaces = not value.isascii() and len(value) >= _LEAST_CHARACTERS
    return written_without_spaces or len(value.split()) >= _LEAST_WORDS


def _columns_seen(names: Sequence[str]) -> str:
    seen = ", ".join(without_surrogates(name[:40]) for name in names[:_MOST_NAMES_SHOWN]) or "none"
    more = f" and {len(names) - _MOST_NAMES_SHOWN} more" if len(names) > _MOST_NAMES_SHOWN else ""
    return f"no column holds the text (columns: {seen}{more})"
