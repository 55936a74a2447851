"""Read YAML files: one line per value with its path, or per record, with comments in place."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from polyadic.config import ReadingSettings
from polyadic.loaders.decoding import decode
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.file_access import read_whole
from polyadic.loaders.nested_data import entry, heading, joined_path, record_rows
from polyadic.model.types import Document
from polyadic.text.code_fences import without_headings

_MAX_DEPTH = 100
# Maximum size of a comment that is appended to its value.
_MAX_COMMENT_CHARACTERS = 300
_COMMENT = re.compile(r"[ \t]*#+[ \t]*(.*)")
_NULLS = {"", "~", "null", "Null", "NULL"}
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path, settings: ReadingSettings) -> Iterator[Document]:
    """Read a file as one document; a file that is not valid YAML, such as a template, is read as plain text.

    Raises
    ------
    UnreadableDocument
        The file is not readable, too large, or not text.
    """
    text = decode(read_whole(path, settings.max_megabytes), settings.encoding)
    extracted = ExtractedText(settings.max_megabytes)
    extracted.add(yaml_text(text) or without_headings(text))
    yield extracted.document(path, "", {}, paged=False)


def yaml_text(text: str) -> str:
    """Render the values of a YAML text with their paths and comments; empty if it is not YAML or nested too deeply.

    A comment directly above a value is appended to it; other comments keep their place. Tags are ignored and aliases
    are not expanded: an alias is rendered as ``*name``.

    >>> print(yaml_text("# How to listen.\\nserver:\\n  # Not below 80.\\n  port: 80\\n  names: [a, b]\\n"))
    How to listen.
    <BLANKLINE>
    - server.port: 80 (Not below 80.)
    - server.names.1: a
    - server.names.2: b
    """
    if _is_deep(text):
        return ""
    try:
        entries = _entries(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return ""
    within = {number for entry in entries for number in range(entry.start + 1, entry.end)}
    comments = {number: line for number, line in _comments(text) if number not in within}
    lines = list(_explained(entries, comments))
    rendered: list[str] = []
    last = None
    # A comment is a separate paragraph: blank lines separate it from values and from earlier comments.
    for number, line, is_comment in sorted(
        [*((n, c, True) for n, c in comments.items()), *((n, v, False) for n, v in lines)], key=_first
    ):
        continues = last == (number - 1, True) if is_comment else not (last and last[1])
        if not continues:
            rendered.append("")
        rendered.append(line)
        last = number, is_comment
    return re.sub(r"\n{3,}", "\n\n", "\n".join(rendered)).strip()


@dataclass(slots=True)
class _Collection:
    """An open mapping or list; ``first`` is the index of its first entry, ``line`` the line where it begins.

    ``key`` is the mapping key whose value comes next; ``starts`` are the lines of the values so far.
    """

    path: str
    value: dict[str, object] | list[object]
    first: int
    line: int
    key: str | None = None
    starts: list[int] = field(default_factory=list)

    def place(self) -> str:
        """Return the path of the next value."""
        if isinstance(self.value, list):
            return joined_path(self.path, len(self.value) + 1)
        return joined_path(self.path, self.key) if self.key is not None else self.path

    def add(self, value: object, line: int) -> None:
        """Add a value, which begins at a line."""
        self.starts.append(line)
        if isinstance(self.value, list):
            self.value.append(value)
        else:
            self.value[self.key or ""] = value
            self.key = None


@dataclass(frozen=True, slots=True)
class _Entry:
    """A value with its path, a table row or a table heading, with its first and last line."""

    start: int
    end: int
    text: str
    is_value: bool = False


def _entries(text: str) -> list[_Entry]:
    """Return the values of a YAML text in order; records become rows."""
    entries: list[_Entry] = []
    open_: list[_Collection] = []
    for event in yaml.parse(text, Loader=_LOADER):
        start, end = (mark.line if mark else 0 for mark in (event.start_mark, event.end_mark))
        path = open_[-1].place() if open_ else ""
        if isinstance(event, yaml.CollectionStartEvent):
            value: dict[str, object] | list[object] = {} if isinstance(event, yaml.MappingStartEvent) else []
            open_.append(_Collection(path, value, len(entries), start))
        elif isinstance(event, yaml.CollectionEndEvent):
            ended = open_.pop()
            if rows := record_rows(ended.value):
                above = [_Entry(ended.line, ended.line, heading(ended.path))] if ended.path else []
                lines = zip(ended.starts, rows, strict=False)
                row_entries = [_Entry(line, line, row_line) for line, row in lines for row_line in row]
                entries[ended.first :] = [*above, *row_entries, *(above and [_Entry(end, end, "")])]
            if open_:
                open_[-1].add(ended.value, ended.line)
        elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            scalar = event.value if isinstance(event, yaml.ScalarEvent) else f"*{event.anchor}"
            if open_ and isinstance(open_[-1].value, dict) and open_[-1].key is None:
                open_[-1].key = scalar
                continue
            is_plain = isinstance(event, yaml.ScalarEvent) and not event.style
            is_null = (is_plain and scalar in _NULLS) or not scalar.strip()
            if not is_null:
                entries.append(_Entry(start, end, entry(path, scalar), is_value=True))
            if open_:
                open_[-1].add(None if is_null else scalar, start)
    return entries


def _explained(entries: Sequence[_Entry], comments: dict[int, str]) -> Iterator[tuple[int, str]]:
    """Yield the first line and text of each entry; move the comment directly above a value out of ``comments``."""
    for entry_ in entries:
        first = entry_.start
        while entry_.is_value and comments.get(first - 1):
            first -= 1
        above = range(first, entry_.start)
        comment = " ".join(comments[number] for number in above)
        if 0 < len(comment) <= _MAX_COMMENT_CHARACTERS:
            for number in above:
                del comments[number]
            yield entry_.start, f"{entry_.text} ({comment})"
        else:
            yield entry_.start, entry_.text


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that consist of a comment only, with their numbers."""
    for number, line in enumerate(text.split("\n")):
        if found := _COMMENT.fullmatch(line):
            yield number, found.group(1).strip()


def _first(entry: tuple[int, str, bool]) -> int:
    return entry[0]


def _is_deep(text: str) -> bool:
    """Return whether collections are nested too deeply for the parser."""
    depth = 0
    for mark in re.findall(r"[\[\]{}]", text):
        depth = depth + 1 if mark in "[{" else max(0, depth - 1)
        if depth > _MAX_DEPTH:
            return True
    return re.search(rf"(?:[-?:] ){{{_MAX_DEPTH}}}", text) is not None
