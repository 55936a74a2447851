"""Entries of changelogs in plain text: the line with which each begins, marked as a heading."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyadic.text.headings import names_release

_LONGEST = 120
_LEAST = 2
_ITEM = re.compile(r"\s*(?:[-*+•‣–]|\(?\d{1,3}[.)])\s")
_RULE = re.compile(r"(?:={3,}|-{3,})[ \t]*")
# A sentence, a row of a table, a heading that is marked, an item, or an address.
_NO_HEADING = re.compile(r"[-*+•#|>]|.*[.!?,]$|.*://|.*\S[ \t]{4,}\S")
_NOT_OF_A_WORD = re.compile(r"[\W_]+")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class _Entry:
    """The lines from ``first`` to before ``end`` that open an entry, a rule below them included."""

    first: int
    end: int
    words: str


def marked_entries(lines: Sequence[str]) -> list[str]:
    """The lines with a number sign before the first line of each entry, if they are those of a changelog.

    An entry begins with a line at the margin that names a release or a day, stands below a blank line, and is set off
    from what follows: by a blank line, a rule, an indent or an item. At least two begin with the same word, or both
    with the version or date. What is underlined within an entry becomes a heading below that of the entry.

    >>> text = ["CHANGES FROM 1.1 TO 1.2", "", "* Fix colours.", "", "CHANGES FROM 1.0 TO 1.1", "", "* Add panes."]
    >>> [line for line in marked_entries(text) if line.startswith("#")]
    ['# CHANGES FROM 1.1 TO 1.2', '# CHANGES FROM 1.0 TO 1.1']
    """
    entries = _entries(lines)
    if not entries:
        return list(lines)
    marked = list(lines[: entries[0].first])
    ends = [*(entry.first for entry in entries[1:]), len(lines)]
    for entry, end in zip(entries, ends, strict=True):
        marked += [f"# {entry.words}", "", *_with_marked_parts(lines[entry.end : end])]
    return marked


def begins_with_entry(text: str) -> bool:
    """Whether a text is a changelog whose first line opens an entry, and is no title.

    >>> begins_with_entry("tmux (3.3) unstable\\n\\n  * Fix.\\n\\ntmux (3.2) unstable\\n\\n  * Add.\\n")
    True
    """
    entries = _entries(text.strip().split("\n"))
    return bool(entries) and entries[0].first == 0


def _entries(lines: Sequence[str]) -> list[_Entry]:
    found = [
        entry
        for place, line in enumerate(lines)
        if line[:1].strip() and not (place and lines[place - 1].strip()) and (entry := _entry(lines, place))
    ]
    counts = Counter(_opening(entry) for entry in found)
    return [entry for entry in found if counts[_opening(entry)] >= _LEAST]


def _entry(lines: Sequence[str], first: int) -> _Entry | None:
    """The entry that begins with a line; its heading has two lines where a rule stands below the second."""
    end = first + 1
    if _RULE.fullmatch(_line(lines, end + 1)) and _line(lines, end).strip():
        end += 1
    heading = lines[first:end]
    words = " ".join(" ".join(heading).split())
    if len(words) > _LONGEST or any(_NO_HEADING.match(line.rstrip()) for line in heading) or not names_release(words):
        return None
    following = _line(lines, end)
    if _RULE.fullmatch(following):
        return _Entry(first, end + 1, words)
    is_set_off = not following.strip() or following[:1].isspace() or _ITEM.match(following)
    return _Entry(first, end, words) if is_set_off else None


def _line(lines: Sequence[str], place: int) -> str:
    return lines[place] if place < len(lines) else ""


def _opening(entry: _Entry) -> str:
    """What entries of the same kind have in common: their first word, or that it is a version or a date."""
    word = entry.words.split()[0]
    return "0" if _DIGIT.search(word) else _NOT_OF_A_WORD.sub("", word.casefold())


def _with_marked_parts(lines: Sequence[str]) -> Iterator[str]:
    """The lines of an entry; those that are underlined are marked by number signs."""
    place = 0
    while place < len(lines):
        line = lines[place]
        is_alone = line[:1].strip() and not (place and lines[place - 1].strip()) and not _NO_HEADING.match(line)
        if is_alone and _RULE.fullmatch(_line(lines, place + 1)):
            yield f"## {line.strip()}"
            place += 1
        else:
            yield line
        place += 1
