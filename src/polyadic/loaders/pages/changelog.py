"""Mark the entries of plain-text changelogs as headings."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyadic.text.headings import names_release

_MAX_LENGTH = 120
_MIN_ENTRIES = 2
_ITEM = re.compile(r"\s*(?:[-*+•‣–]|\(?\d{1,3}[.)])\s")
_RULE = re.compile(r"(?:={3,}|-{3,})[ \t]*")
# A sentence, a table row, a marked heading, a list item, or an address.
_NO_HEADING = re.compile(r"[-*+•#|>]|.*[.!?,]$|.*://|.*\S[ \t]{4,}\S")
# GNU nano 2.5.3 "Alphys" is released. This release contains
_FIRST_SENTENCE = re.compile(r"(?P<heading>.{8,}?\w[\"'”]?\.) (?P<begun>[^\W\d_a-z].*)")
_NON_WORD = re.compile(r"[\W_]+")
_DIGIT = re.compile(r"\d")
_DATED = "0"


@dataclass(frozen=True, slots=True)
class _Entry:
    """The heading of an entry: lines ``first`` up to but excluding ``end``, including a rule below.

    ``begun`` is the beginning of its text, if that is on the same line. ``has_stop`` says that a full stop ends the
    heading, as in "Changes from 1.06 to 1.07.".
    """

    first: int
    end: int
    words: str
    begun: str = ""
    has_stop: bool = False


def marked_entries(lines: Sequence[str]) -> list[str]:
    """Mark the first line of each entry with a number sign, if the lines are a changelog.

    An entry begins with an unindented line that names a release or a date. A blank line precedes it, and it is set off
    from what follows by a blank line, a rule, an indent or a list item. At least two entries begin with the same word,
    or with a version or date. Underlined lines within an entry become subheadings.

    A line that ends with a full stop may be a sentence about a release. It is an entry only if at least two lines
    without a full stop begin with the same word, and indented text or a list item follows directly.

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
        begun = [entry.begun] if entry.begun else []
        marked += [f"# {entry.words}", "", *begun, *_with_marked_parts(lines[entry.end : end])]
    return marked


def begins_with_entry(text: str) -> bool:
    """Return whether a text is a changelog whose first line is an entry rather than a title.

    >>> begins_with_entry("tmux (3.3) unstable\\n\\n  * Fix.\\n\\ntmux (3.2) unstable\\n\\n  * Add.\\n")
    True
    """
    entries = _entries(text.strip().split("\n"))
    return bool(entries) and entries[0].first == 0


def _entries(lines: Sequence[str]) -> list[_Entry]:
    candidates = [
        entry
        for index, line in enumerate(lines)
        if line[:1].strip() and not (index and lines[index - 1].strip()) and (entry := _entry(lines, index))
    ]
    counts = Counter(_opening(entry) for entry in candidates if not entry.has_stop)
    return [entry for entry in candidates if counts[_opening(entry)] >= _MIN_ENTRIES]


def _entry(lines: Sequence[str], first: int) -> _Entry | None:
    """Return the entry that begins at a line, or None; its heading has two lines if a rule follows the second."""
    end = first + 1
    if _RULE.fullmatch(_line(lines, end + 1)) and _line(lines, end).strip():
        end += 1
    heading = lines[first:end]
    words = " ".join(" ".join(heading).split())
    if len(words) > _MAX_LENGTH:
        return None
    if words.endswith(".") and not words.endswith("..") and _has_indented_text(lines, end):
        entry = _entry([words.removesuffix("."), lines[end]], 0)
        is_title = entry is not None and not entry.begun and _opening(entry) != _DATED
        return _Entry(first, end, words, has_stop=True) if is_title else None
    if any(_NO_HEADING.match(line.rstrip()) for line in heading) or not names_release(words):
        return None
    following = _line(lines, end)
    if _RULE.fullmatch(following):
        return _Entry(first, end + 1, words)
    is_set_off = not following.strip() or following[:1].isspace() or _ITEM.match(following)
    if not is_set_off:
        return None
    sentence = _FIRST_SENTENCE.fullmatch(words) if following.strip() else None
    if sentence and names_release(sentence["heading"]):
        return _Entry(first, end, sentence["heading"], sentence["begun"])
    return _Entry(first, end, words)


def _has_indented_text(lines: Sequence[str], end: int) -> bool:
    """Return whether indented text or a list item begins on a line."""
    following = _line(lines, end)
    return bool(following.strip()) and (following[:1].isspace() or _ITEM.match(following) is not None)


def _line(lines: Sequence[str], index: int) -> str:
    return lines[index] if index < len(lines) else ""


def _opening(entry: _Entry) -> str:
    """Return what entries of the same kind share: their first word, or ``_DATED`` for a version or date."""
    word = entry.words.split()[0]
    return _DATED if _DIGIT.search(word) else _NON_WORD.sub("", word.casefold())


def _with_marked_parts(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of an entry, with underlined lines marked as headings."""
    index = 0
    while index < len(lines):
        line = lines[index]
        is_alone = line[:1].strip() and not (index and lines[index - 1].strip()) and not _NO_HEADING.match(line)
        if is_alone and _RULE.fullmatch(_line(lines, index + 1)):
            yield f"## {line.strip()}"
            index += 1
        else:
            yield line
        index += 1
