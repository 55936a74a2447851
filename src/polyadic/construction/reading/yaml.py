"""YAML files: a line for each value, with its path, and the comments where they stand."""

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from polyadic.construction.reading.decode import decode
from polyadic.construction.reading.extracted import Extracted
from polyadic.construction.reading.files import read_whole
from polyadic.construction.reading.nested import entry, joined_path
from polyadic.knowledge import Document
from polyadic.settings import ReadingSettings
from polyadic.text.fences import without_headings

_DEEPEST = 100
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
    extracted = Extracted(settings.max_megabytes)
    extracted.add(yaml_text(text) or without_headings(text))
    yield extracted.document(path, "", {}, paged=False)


def yaml_text(text: str) -> str:
    """The values with their paths, and the comments; empty where the text is not YAML, or nested too deeply.

    No tag is obeyed and no alias expanded: an alias stands as ``*name``.

    >>> print(yaml_text("# How to listen.\\nserver:\\n  port: 80\\n  names: [a, b]\\n"))
    How to listen.
    <BLANKLINE>
    - server.port: 80
    - server.names.1: a
    - server.names.2: b
    """
    if _is_deep(text):
        return ""
    try:
        entries = list(_Entries(text))
    except (yaml.YAMLError, ValueError, RecursionError):
        return ""
    lines = [(start, line) for start, _, line in entries]
    within = {number for start, end, _ in entries for number in range(start + 1, end)}
    # A comment is a paragraph of its own, so blank lines part it from values.
    comments = [(number, line) for number, line in _comments(text) if number not in within]
    said: list[str] = []
    was_comment = False
    for _, line, is_comment in sorted(
        [*((n, c, True) for n, c in comments), *((n, v, False) for n, v in lines)], key=_first
    ):
        if is_comment != was_comment:
            said.append("")
        said.append(line)
        was_comment = is_comment
    return re.sub(r"\n{3,}", "\n\n", "\n".join(said)).strip()


class _Entries:
    """The values of a YAML text in their order, each with its first and last line; made of events, not of a tree."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __iter__(self) -> Iterator[tuple[int, int, str]]:
        # Of each collection that is open: its path, and the key that waits for its value, or how many items it has.
        open_: list[tuple[str, str | int | None]] = []
        for event in yaml.parse(self._text, Loader=_LOADER):
            if isinstance(event, yaml.CollectionStartEvent):
                path = _place(open_)
                open_.append((path, None if isinstance(event, yaml.MappingStartEvent) else 0))
            elif isinstance(event, yaml.CollectionEndEvent):
                open_.pop()
            elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
                value = event.value if isinstance(event, yaml.ScalarEvent) else f"*{event.anchor}"
                if open_ and open_[-1][1] is None:
                    open_[-1] = open_[-1][0], value
                    continue
                path = _place(open_)
                is_plain = isinstance(event, yaml.ScalarEvent) and not event.style
                if not (is_plain and value in _NULLS) and value.strip():
                    start, end = event.start_mark, event.end_mark
                    yield (start.line if start else 0), (end.line if end else 0), entry(path, value)


def _place(open_: list[tuple[str, str | int | None]]) -> str:
    """The path of the value that comes next, which is then taken for known."""
    if not open_:
        return ""
    path, key = open_[-1]
    if isinstance(key, int):
        open_[-1] = path, key + 1
        return joined_path(path, key + 1)
    open_[-1] = path, None
    return joined_path(path, key) if key is not None else path


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
