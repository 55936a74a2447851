"""Names of sources for clients: the source itself, or, for clients of a server, a path relative to a root.

The roots of a workspace are the folders that were given to ``polyadic index``.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from polyadic.errors import NotFound
from polyadic.model.identity import digest, document_id
from polyadic.storage.protocol import Reader

T = TypeVar("T")
_PATH = re.compile(r"[/\\~]|[a-z]:[/\\]|file:", re.IGNORECASE)
_ID = re.compile(r"[0-9a-f]{32}")


class SourceNames:
    """Names that are the sources themselves, for clients that may see the paths of this machine."""

    def shown(self, source: str) -> str:
        """Return the name of a source."""
        return source

    def sources(self, name: str) -> list[str]:
        """Return the sources that may have this name, or, for the name of a folder, the folders."""
        return [name]

    def cursor(self, source: str) -> str:
        """Return the pagination cursor of the page after a source."""
        return source

    def position(self, reader: Reader, cursor: str) -> str:
        """Return the source, which need not exist any more, after which the page of a cursor starts.

        Raises
        ------
        NotFound
            The cursor is invalid, or its document is needed and no longer exists.
        """
        return cursor

    def applied(self, value: T) -> T:
        """Return a value with names instead of sources.

        Every field ``source`` of the data classes in it is changed.
        """
        return value

    def distinct(self, sources: Iterable[str]) -> Mapping[str, str]:
        """Return a different name for each source; names that occur twice are numbered."""
        names: dict[str, str] = {}
        used: set[str] = set()
        for source in sources:
            name = shown = self.shown(source)
            number = 2
            while name in used:
                name, number = f"{shown} ({number})", number + 1
            used.add(name)
            names[source] = name
        return names


@dataclass(frozen=True, slots=True)
class RelativeNames(SourceNames):
    """Names without the paths of this machine.

    A path below a root is named relative to the outermost one, another absolute path by its last part. Other sources,
    such as URIs, are their own names.

    Parameters
    ----------
    roots
        Absolute paths of folders.

    Examples
    --------
    >>> names = RelativeNames(frozenset(["/srv/letters"]))
    >>> names.shown("/srv/letters/1843/ada.md"), names.shown("/home/ada/notes.md"), names.shown("upload:ada.md")
    ('1843/ada.md', 'notes.md', 'upload:ada.md')
    """

    roots: frozenset[str]

    @classmethod
    def of(cls, reader: Reader) -> "RelativeNames":
        """Return the names of the sources of a workspace."""
        return cls(frozenset(reader.records.roots()))

    def shown(self, source: str) -> str:
        if not _is_path(source):
            return source
        root = self._root_of(source)
        return _last_part(source) if root is None else source.removeprefix(_prefix(root))

    def sources(self, name: str) -> list[str]:
        return [] if _is_path(name) else [name, *(f"{_prefix(root)}{name}" for root in sorted(self.roots))]

    def cursor(self, source: str) -> str:
        if not _is_path(source):
            return f"={source}"
        root = self._root_of(source)
        return document_id(source) if root is None else f"{digest(root)}/{source.removeprefix(_prefix(root))}"

    def position(self, reader: Reader, cursor: str) -> str:
        # A cursor may contain any name but no path: the documents after a path would reveal folders of this machine.
        if cursor.startswith("=") and not _is_path(cursor[1:]):
            return cursor[1:]
        identifier, slash, name = cursor.partition("/")
        if slash:
            for root in self.roots:
                if digest(root) == identifier:
                    return f"{_prefix(root)}{name}"
        elif _ID.fullmatch(identifier) and (record := reader.records.record(identifier)) is not None:
            return record.source
        raise NotFound("there is no such page", "list the documents again from the beginning")

    def applied(self, value: T) -> T:
        return cast(T, _mapped(value, self.shown))

    def _root_of(self, source: str) -> str | None:
        """Return the outermost root above a source."""
        above = (source[: end.start()] or "/" for end in re.finditer("/", source))
        return next((folder for folder in above if folder in self.roots), None)


def _mapped(value: Any, shown: Callable[[str], str]) -> Any:
    """Rename all sources nested in a value; return the same object if nothing changes."""
    if isinstance(value, tuple | list):
        items = [_mapped(item, shown) for item in value]
        return value if all(map(_is, items, value)) else type(value)(items)
    if isinstance(value, dict):
        entries = {key: _mapped(item, shown) for key, item in value.items()}
        return value if all(entries[key] is value[key] for key in value) else entries
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changes = {}
    for field in fields(value):
        old = getattr(value, field.name)
        new = shown(old) if field.name == "source" and isinstance(old, str) else _mapped(old, shown)
        if new is not old:
            changes[field.name] = new
    return replace(value, **changes) if changes else value


def _is(one: object, other: object) -> bool:
    return one is other


def _is_path(source: str) -> bool:
    return _PATH.match(source) is not None


def _prefix(root: str) -> str:
    return f"{root.rstrip('/')}/"


def _last_part(path: str) -> str:
    return path.rstrip("/\\").replace("\\", "/").rpartition("/")[2]
