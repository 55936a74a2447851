"""Mark the structure of manual pages in plain text, as ``man`` prints them: sections, and options with descriptions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyadic.text.stopwords import words

_OVERSTRIKE = re.compile(r".\x08|\x1b\[[\d;]{0,10}m")
# The first line: "TAR(1)      GNU TAR Manual      TAR(1)".
_HEADER = re.compile(r"(\S{1,60}\([\w+]{1,8}\))[ \t].*[ \t]\1")
_NAMES = re.compile(r"([\w.@:+-]{1,60})[^\n]{0,400}?\s[-–—‐]{1,2}\s")
_COLUMNS = re.compile(r"\S {3,}\S")
_BULLET = re.compile(r"(?:[-*+•·o▪◦–]|\(?(?:\d{1,3}|[a-z])[.)])(?:\s|$)")
_WITHOUT_OPTIONS = frozenset(words("SYNOPSIS SYNTAX ÜBERSICHT SINOPSIS"))
_LONGEST_TERM = 100


@dataclass(frozen=True, slots=True)
class ManualPage:
    """The name of a manual page, and its text with marked structure."""

    name: str
    text: str


def manual_page(text: str) -> ManualPage | None:
    """Mark the sections of a manual page as headings, and join each option to its description by a colon.

    The header and the footer are removed.

    Parameters
    ----------
    text
        Output of ``man``, without headings that begin with number signs.

    Returns
    -------
    ManualPage or None
        None if the text is no manual page: its first line does not begin and end with the same "name(section)".

    >>> header = "CP(1)      User Commands      CP(1)"
    >>> page = manual_page(f"{header}\\nNAME\\n     cp - copy files\\n\\nOPTIONS\\n     -f\\n          Force it.\\n")
    >>> page.name, page.text.split("\\n")[-4:]
    ('cp', ['# OPTIONS', '', '     -f:', '          Force it.'])
    """
    lines = [line.rstrip() for line in _OVERSTRIKE.sub("", text).expandtabs(8).strip("\n \t").split("\n")]
    header = _HEADER.fullmatch(lines[0])
    body = next((_indent(line) for line in lines[1:] if line.startswith(" ")), 0)
    if header is None or not body:
        return None
    last = len(lines) - 1 if not lines[-1].startswith(" ") and _COLUMNS.search(lines[-1]) else len(lines)
    marked = "\n".join(_marked(lines[1:last], body)).strip("\n")
    names = _NAMES.match(next((line.strip() for line in lines[1:] if line.startswith(" ")), ""))
    return ManualPage(names[1] if names else header[1].partition("(")[0].lower(), marked)


def _marked(lines: Sequence[str], body: int) -> Iterator[str]:
    section, before = "", ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        indent = _indent(line)
        before, last = line, before
        if not line:
            yield ""
        elif indent < body and (not indent or not last or _indent(last) < body):
            section = section if indent else line
            yield from ("", f"{'##' if indent else '#'} {' '.join(line.split())}", "")
        elif section not in _WITHOUT_OPTIONS and (term := _term(line, below)):
            # A blank line, so that it is not taken for the end of the description before it.
            yield from ("", term) if _indent(last) > indent else (term,)
        else:
            yield line


def _term(line: str, below: str) -> str:
    """Return a line that begins a described term, with a colon after the term; empty if it is none.

    The description is indented more deeply, on the next line or beside the term.
    """
    indent, deeper = _indent(line), _indent(below)
    if not below or deeper < indent + 2 or _BULLET.match(line.lstrip()):
        return ""
    term, beside = line[:deeper].rstrip(), line[deeper:]
    if beside and line[deeper - 1] == " " and beside[0] != " ":
        return f"{_with_colon(term)} {beside}"
    return _with_colon(line) if len(line) <= _LONGEST_TERM else ""


def _with_colon(term: str) -> str:
    return term if term.endswith((":", ",", ";", ".")) else f"{term}:"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
