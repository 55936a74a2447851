"""YAML files: a line for each value, with its path, or for each record, and the comments where they stand."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from polyadic.config import ReadingSettings
from polyadic.loaders.decoding import decode
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.file_access import read_whole
from polyadic.loaders.nested_data import entry, heading, joined_path
from polyadic.loaders.tables.record_rows import record_rows
from polyadic.model.types import Document
from polyadic.text.code_fences import without_headings

_DEEPEST = 100
# Characters of a comment that still stands behind its value.
_LONGEST_COMMENT = 300
_COMMENT = re.compile(r"[ \t]*#+[ \t]*(.*)")
_NULLS = {"", "~", "null", "Null", "NULL"}
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path, settings: ReadingSettings) -> Iterator[Document]:
    """The one document of a file; one that is not YAML, such as a template, is read as plain text.

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
    """The values with their paths, and the comments; empty where the text is not YAML, or nested too deeply.

    A comment right above a value stands behind it, and any other where it stood. No tag is obeyed and no alias
    expanded: an alias stands as ``*name``.

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
    within = {number for one in entries for number in range(one.start + 1, one.end)}
    comments = {number: line for number, line in _comments(text) if number not in within}
    lines = list(_explained(entries, comments))
    said: list[str] = []
    last = None
    # A comment is a paragraph of its own, so blank lines part it from values, and from comments further above.
    for number, line, is_comment in sorted(
        [*((n, c, True) for n, c in comments.items()), *((n, v, False) for n, v in lines)], key=_first
    ):
        goes_on = last == (number - 1, True) if is_comment else not (last and last[1])
        if not goes_on:
            said.append("")
        said.append(line)
        last = number, is_comment
    return re.sub(r"\n{3,}", "\n\n", "\n".join(said)).strip()


@dataclass(slots=True)
class _Collection:
    """A mapping or list that is open, and where its entries begin.

    ``key`` is that of the mapping which waits for its value; ``starts`` are the lines of its values.
    """

    path: str
    value: dict[str, object] | list[object]
    first: int
    line: int
    key: str | None = None
    starts: list[int] = field(default_factory=list)

    def place(self) -> str:
        """The path of the value that comes next."""
        if isinstance(self.value, list):
            return joined_path(self.path, len(self.value) + 1)
        return joined_path(self.path, self.key) if self.key is not None else self.path

    def add(self, value: object, line: int) -> None:
        self.starts.append(line)
        if isinstance(self.value, list):
            self.value.append(value)
        else:
            self.value[self.key or ""] = value
            self.key = None


@dataclass(frozen=True, slots=True)
class _Entry:
    """A value with its path, a row of a table or the heading of one, and its first and last line."""

    start: int
    end: int
    text: str
    is_value: bool = False


def _entries(text: str) -> list[_Entry]:
    """The values of a YAML text in their order; records as rows."""
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
                said_in_rows = [_Entry(line, line, said) for line, row in lines for said in row]
                entries[ended.first :] = [*above, *said_in_rows, *(above and [_Entry(end, end, "")])]
            if open_:
                open_[-1].add(ended.value, ended.line)
        elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            said = event.value if isinstance(event, yaml.ScalarEvent) else f"*{event.anchor}"
            if open_ and isinstance(open_[-1].value, dict) and open_[-1].key is None:
                open_[-1].key = said
                continue
            is_plain = isinstance(event, yaml.ScalarEvent) and not event.style
            is_null = (is_plain and said in _NULLS) or not said.strip()
            if not is_null:
                entries.append(_Entry(start, end, entry(path, said), is_value=True))
            if open_:
                open_[-1].add(None if is_null else said, start)
    return entries


def _explained(entries: Sequence[_Entry], comments: dict[int, str]) -> Iterator[tuple[int, str]]:
    """The first line of each entry, and its text; a value takes the comment right above it from the comments."""
    for one in entries:
        first = one.start
        while one.is_value and comments.get(first - 1):
            first -= 1
        above = range(first, one.start)
        said = " ".join(comments[number] for number in above)
        if 0 < len(said) <= _LONGEST_COMMENT:
            for number in above:
                del comments[number]
            yield one.start, f"{one.text} ({said})"
        else:
            yield one.start, one.text


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are nothing but a comment, with their numbers."""
    for number, line in enumerate(text.split("\n")):
        if found := _COMMENT.fullmatch(line):
            yield number, found.group(1).strip()


def _first(entry: tuple[int, str, bool]) -> int:
    return entry[0]


def _is_deep(text: str) -> bool:
    """Whether collections are nested more deeply than a parser should be asked to follow."""
    depth = 0
    for mark in re.findall(r"[\[\]{}]", text):
        depth = depth + 1 if mark in "[{" else max(0, depth - 1)
        if depth > _DEEPEST:
            return True
    return re.search(rf"(?:[-?:] ){{{_DEEPEST}}}", text) is not None
