"""Mark numbered headings that stand on the first line of their paragraph, as in licences and contracts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyadic.text.stopwords import words

_CLAUSE = re.compile(
    r"(?P<indent>[ ]{0,8})(?P<number>\d{1,3})\.[ ]{1,4}(?P<title>[^\W\d_][^.,;:!?]{3,80})\.(?P<rest>[ ].*)?"
)
_OPENS_A_SENTENCE = re.compile(r"\s*[\"“„«‘'(\[]*[^\W\d_a-zß-öø-ÿ]")
_SMALL = frozenset(words("a an and as at by for from in of on or the to with und der die das des von zu zur"))
_MAX_WORDS = 8
_MIN_CLAUSES, _MIN_RUN_IN = 3, 2
_MAX_MISSING = 2


@dataclass(frozen=True, slots=True)
class _Clause:
    """The line of a heading, its number and column, its words, and the text after it."""

    line: int
    number: int
    column: int
    words: str
    rest: str


def marked_run_in_headings(lines: Sequence[str]) -> list[str]:
    """Put the numbered headings of clauses on lines of their own, marked with number signs.

    Such a heading is in title case and ends with a full stop, after which its text begins on the same line. At least
    three clauses with increasing numbers form an outline, of which at least two have text on the line of their heading.

    >>> text = "1. Terms.\\n\\nThey hold.\\n\\n2. Grant of Use. All may\\nuse it.\\n\\n3. Ending. It\\nends."
    >>> [line for line in marked_run_in_headings(text.split("\\n")) if line.startswith("#")]
    ['## 1. Terms.', '## 2. Grant of Use.', '## 3. Ending.']
    """
    outline: list[_Clause] = []
    for clause in _clauses(lines):
        is_next = not outline or 0 < clause.number - outline[-1].number <= 1 + _MAX_MISSING
        if is_next and (not outline or clause.column == outline[0].column):
            outline.append(clause)
    if len(outline) < _MIN_CLAUSES or sum(bool(clause.rest) for clause in outline) < _MIN_RUN_IN:
        return list(lines)
    # Other headings of such texts are in capitals; once some are marked, the rest have to be.
    marked = [f"## {line.strip()}" if _is_in_capitals(lines, index) else line for index, line in enumerate(lines)]
    for clause in reversed(outline):
        text = [" " * clause.column + clause.rest] if clause.rest else []
        marked[clause.line : clause.line + 1] = [f"## {clause.words}", "", *text]
    return marked


def _clauses(lines: Sequence[str]) -> Iterator[_Clause]:
    for index, line in enumerate(lines):
        if (index and lines[index - 1].strip()) or not (found := _CLAUSE.fullmatch(line.rstrip())):
            continue
        rest = (found["rest"] or "").strip()
        goes_on = index + 1 < len(lines) and bool(lines[index + 1].strip())
        if not _is_title(found["title"]) or bool(rest) != goes_on or (rest and not _OPENS_A_SENTENCE.match(rest)):
            continue
        words = f"{found['number']}. {found['title']}."
        yield _Clause(index, int(found["number"]), len(found["indent"]), words, rest)


def _is_in_capitals(lines: Sequence[str], index: int) -> bool:
    """Return whether a line between blank lines is a short one in capitals, such as "END OF TERMS AND CONDITIONS"."""
    line = lines[index].strip()
    is_apart = not any(other.strip() for other in (*lines[max(0, index - 1) : index], *lines[index + 1 : index + 2]))
    return is_apart and line.isupper() and 1 < len(line.split()) <= _MAX_WORDS and line[-1].isalpha()


def _is_title(title: str) -> bool:
    """Return whether words are in title case; a last word of one letter is an initial ("Knuth D.")."""
    parts = title.split()
    is_title_case = all(part in _SMALL or not part[0].islower() for part in parts)
    return is_title_case and len(parts) <= _MAX_WORDS and len(parts[-1]) > 1
