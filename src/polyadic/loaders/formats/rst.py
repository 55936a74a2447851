"""Read reStructuredText: convert headings, lists, tables and code to Markdown; drop roles and most directives."""

import csv
import re
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.loaders.decoding import decode
from polyadic.loaders.extracted_text import ExtractedText, cleaned
from polyadic.loaders.file_access import read_whole
from polyadic.loaders.formats.rst_inline import inline_text, unwrapped
from polyadic.loaders.normalized_metadata import metadata_of
from polyadic.loaders.tables.plain_text_tables import grid_rows
from polyadic.loaders.tables.row_lines import row_lines
from polyadic.model.types import Document
from polyadic.text.code_fences import fenced
from polyadic.text.stopwords import words

_MAX_DEPTH = 20
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+[ \t]*$")
_MIN_ADORNMENT = 3
_DIRECTIVE = re.compile(r"\.\. +(?:\|[^|\n]{1,80}\| +)?([\w:.+-]{1,60})::(?:[ \t]+(.*))?$")
_EXPLICIT = re.compile(r"\.\.(?:[ \t]|$)")
_FOOTNOTE = re.compile(r"\.\. \[([^\]\n]{1,40})\][ \t]+(.*)")
_FIELD = re.compile(r":([^:`\n]{1,60}):(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"(?:[-*+•]|\(?(?:\d{1,3}|#|[a-zA-Z])[.)])[ \t]+")
_SIMPLE_BORDER = re.compile(r"=+(?: +=+)+[ \t]*$")
_GRID_BORDER = re.compile(r"\+(?:[-=]+\+)+[ \t]*$")

_CODE = words(
    "code code-block sourcecode parsed-literal prompt doctest productionlist testcode testoutput ipython console"
    " highlight"
)
_DROPPED = words(
    """
    image toctree contents index include literalinclude raw meta currentmodule sectnum autosummary automodule autoclass
    autofunction tabularcolumns only-raw graphviz plot default-role role
    """
)
_ADMONITIONS = words("note warning tip hint important caution danger error attention seealso todo deprecated")


def read_rst(path: Path, settings: ReadingSettings) -> Iterator[Document]:
    """Read a file as one document; its title is the first heading.

    Raises
    ------
    UnreadableDocument
        The file is not readable, too large, or not text.
    """
    text = decode(read_whole(path, settings.max_megabytes), settings.encoding)
    converted = _Converter(text)
    extracted = ExtractedText(settings.max_megabytes)
    extracted.add(converted.text)
    yield extracted.document(path, "", metadata_of(converted.fields), paged=False)


class _Converter:
    """Converter from reStructuredText to Markdown; ``fields`` are the document fields below the title.

    >>> print(_Converter("Relays\\n======\\n\\nSee :ref:`lists <x>` of pip_::\\n\\n  run it\\n\\n.. tip:: Ask.").text)
    # Relays
    <BLANKLINE>
    See lists of pip:
    <BLANKLINE>
    ```text
    run it
    ```
    <BLANKLINE>
    Tip: Ask.
    """

    def __init__(self, text: str) -> None:
        self.fields: dict[str, object] = {}
        self._levels: dict[tuple[str, bool], int] = {}
        self.text = cleaned("\n".join(self._converted(unwrapped(text.expandtabs(8)).split("\n"), 0)))

    def _converted(self, lines: Sequence[str], depth: int) -> Iterator[str]:
        at = 0
        while at < len(lines):
            line = lines[at].rstrip()
            if heading := self._heading(lines, at):
                level, title, line_count = heading
                yield from ("", f"{'#' * min(6, level)} {inline_text(title)}", "")
                at += line_count
            elif _EXPLICIT.match(line):
                body, at = _indented(lines, at + 1)
                yield from self._explicit(line, body, depth)
            elif _SIMPLE_BORDER.match(line) or _GRID_BORDER.match(line):
                rows, headers, at = _table(lines, at)
                yield from ("", *row_lines(rows, headers), "")
            elif line.startswith(("  ", "\t")) and depth < _MAX_DEPTH:
                body, at = _indented(lines, at)
                yield from self._converted(body, depth + 1)
            elif found := _FIELD.match(line):
                body, at = _indented(lines, at + 1)
                value = inline_text(" ".join([found.group(2) or "", *map(str.strip, body)]).strip())
                if depth == 0 and len(self._levels) <= 1:
                    self.fields.setdefault(found.group(1).lower(), value)
                yield f"- {found.group(1)}: {value}" if value else ""
            else:
                at = yield from self._paragraph(lines, at, depth)

    def _paragraph(self, lines: Sequence[str], at: int, depth: int) -> Generator[str, None, int]:
        """Yield a paragraph and the literal block or definition after it; return the index of the line after them."""
        start = at
        while at < len(lines) and lines[at].strip() and (at == start or not lines[at].startswith("  ")):
            if at > start and (_ITEM.match(lines[at]) or _EXPLICIT.match(lines[at]) or self._heading(lines, at)):
                break
            at += 1
        text = inline_text("\n".join(line.rstrip() for line in lines[start:at]))
        if at == start:
            yield ""
            return at + 1
        body, end = _indented(lines, at)
        if text.endswith("::"):
            yield from ("" if text == "::" else text[:-1].rstrip(), *_fenced(body), "")
            return end
        if body and lines[at].strip() and not _ITEM.match(text) and depth < _MAX_DEPTH:
            # A term followed by its definition.
            yield f"{text}:"
            yield from self._converted(body, depth + 1)
            return end
        if body and lines[at].strip():
            yield text
            inner = self._converted(body, depth + 1) if depth < _MAX_DEPTH else body
            yield from (f"  {line}" if line else "" for line in inner)
            return end
        yield text
        return at

    def _heading(self, lines: Sequence[str], at: int) -> tuple[int, str, int] | None:
        """Return the level, text and number of lines of a heading that begins at a line; None if there is none."""
        line, below = lines[at].rstrip(), lines[at + 1].rstrip() if at + 1 < len(lines) else ""
        if over := _ADORNMENT.match(line):
            third = lines[at + 2].rstrip() if at + 2 < len(lines) else ""
            if third == line and below.strip() and len(line) >= min(len(below), _MIN_ADORNMENT):
                return self._level(over.group(1), True), below.strip(), 3
            return None
        under = _ADORNMENT.match(below)
        if not under or not line.strip() or line[0].isspace() or len(below) < min(len(line), _MIN_ADORNMENT):
            return None
        return self._level(under.group(1), False), line, 2

    def _level(self, mark: str, is_over: bool) -> int:
        return self._levels.setdefault((mark, is_over), len(self._levels) + 1)

    def _explicit(self, line: str, body: Sequence[str], depth: int) -> Iterator[str]:
        """Convert a directive or footnote; drop targets and comments."""
        if found := _FOOTNOTE.match(line):
            yield inline_text(" ".join([f"[{found.group(1)}] {found.group(2)}", *map(str.strip, body)]))
            return
        directive = _DIRECTIVE.match(line)
        if directive is None:
            return
        name, argument = directive.group(1).lower(), (directive.group(2) or "").strip()
        options, content = _options(body)
        yield ""
        if name in _CODE:
            yield from _fenced(content if content or name == "highlight" else [argument])
        elif name in _DROPPED:
            yield inline_text(options.get("alt", ""))
        elif name.endswith("table"):
            yield inline_text(argument)
            yield from _directive_table(name, options, content)
        elif depth >= _MAX_DEPTH:
            yield inline_text("\n".join([argument, *content]))
        else:
            yield from self._described(name, argument, content, depth)
        yield ""

    def _described(self, name: str, argument: str, content: Sequence[str], depth: int) -> Iterator[str]:
        """Convert a directive with text, such as a note or the description of a function."""
        before = {"math": "", "figure": "", "rubric": "", "admonition": ""}.get(name, argument)
        if name in {"versionadded", "versionchanged", "deprecated"}:
            change = {"versionadded": "New in", "versionchanged": "Changed in", "deprecated": "Deprecated since"}[name]
            version, _, details = argument.partition(" ")
            before = f"{change} version {version}: {details}".rstrip(": ") + ("" if details or content else ".")
        elif name in _ADMONITIONS:
            first = argument or " ".join(content[:1])
            before, content = "", [f"{name.capitalize()}: {first}".rstrip(), *content[0 if argument else 1 :]]
        elif name in {"math", "rubric", "admonition"}:
            before = argument
        yield inline_text(before)
        yield from self._converted(content, depth + 1)


def _indented(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    """Return the indented block that begins at a line, dedented, and the index of the line after it."""
    start = at
    while at < len(lines) and (not lines[at].strip() or lines[at].startswith(" ")):
        at += 1
    block = list(lines[start:at])
    while block and not block[-1].strip():
        block.pop()
    length = len(block)
    block = block[next((at for at, line in enumerate(block) if line.strip()), 0) :]
    margin = min((len(line) - len(line.lstrip()) for line in block if line.strip()), default=0)
    return [line[margin:].rstrip() for line in block], start + length if block else start


def _options(body: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Split the body of a directive into its options and its content."""
    options: dict[str, str] = {}
    at = 0
    while at < len(body) and (found := _FIELD.match(body[at])):
        options[found.group(1)] = found.group(2) or ""
        at += 1
    content = list(body[at:])
    while content and not content[0].strip():
        content.pop(0)
    return options, content


def _fenced(code: Sequence[str]) -> list[str]:
    return ["", *fenced("\n".join(code)).split("\n")] if any(map(str.strip, code)) else []


def _table(lines: Sequence[str], at: int) -> tuple[list[list[str]], int | None, int]:
    """Parse a drawn table; return its rows, number of headers (None if unknown) and the index of the line after it."""
    start, border = at, lines[at].rstrip()
    if border.startswith("+"):
        while at < len(lines) and lines[at].startswith(("+", "|")):
            at += 1
        rows, headers = grid_rows(lines[start:at])
        return [[inline_text(cell) for cell in row] for row in rows], headers, at
    borders = 0
    while at < len(lines):
        is_border = bool(_SIMPLE_BORDER.match(lines[at])) and len(lines[at].split()) == len(border.split())
        borders += is_border
        at += 1
        if is_border and (borders == 3 or (borders == 2 and (at == len(lines) or not lines[at].strip()))):
            break
    starts = [found.start() for found in re.finditer(r"=+", border)]
    ends = [*starts[1:], None]
    rows = []
    for line in lines[start:at]:
        cells = [line[first:last].strip() for first, last in zip(starts, ends, strict=True)]
        if _SIMPLE_BORDER.match(line) or re.fullmatch(r"[-\s]*", line):
            continue
        if rows and not cells[0]:
            rows[-1] = [" ".join(filter(None, pair)) for pair in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    return [[inline_text(cell) for cell in row] for row in rows], None, at


def _directive_table(name: str, options: dict[str, str], content: Sequence[str]) -> Iterator[str]:
    """Yield the row lines of a table directive (csv-table, list-table, or a drawn table inside)."""
    headers: int | None = int("header" in options or "header-rows" in options)
    if name == "csv-table":
        try:
            rows = list(csv.reader([options["header"], *content] if "header" in options else content))
        except csv.Error:
            rows = [[line] for line in content]
    elif name == "list-table":
        rows = _listed_rows(content)
    else:
        borders = (at for at, line in enumerate(content) if _SIMPLE_BORDER.match(line) or _GRID_BORDER.match(line))
        table_start = next(borders, -1)
        rows, headers, _ = _table(content, table_start) if table_start >= 0 else ([], None, 0)
    yield from row_lines([[inline_text(cell) for cell in row] for row in rows], headers)


def _listed_rows(content: Sequence[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    for line in content:
        if line.startswith("* -"):
            rows.append([line[3:].strip()])
        elif line.startswith("  -") and rows:
            rows[-1].append(line[3:].strip())
        elif rows and line.strip():
            rows[-1][-1] = f"{rows[-1][-1]} {line.strip()}".strip()
    return rows
