"""Find the title of a plain text, and the title block at its beginning: some short lines apart from the body."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from polyadic.loaders.normalized_metadata import title_of
from polyadic.loaders.pages.changelog import begins_with_entry
from polyadic.text.headings import headings, marked_headings

_HEADER_LINES = 40
_LONGEST_FIRST_LINE = 100
_TITLE_LINE = re.compile(r"Title:[ \t]*(\S.*)")
_ENDS_A_SENTENCE = re.compile(r"[.!?;,:。！？；，：][\"'”’)\]]*$")
_LETTER = re.compile(r"[^\W\d_]")
# The keyword of a version control system: "$Id: ChangeLog 5338 2022-02-28 chrfranke $".
_VERSION_CONTROL = re.compile(r"\W*\$[A-Z]\w{1,20}(?::[^$\n]*)?\$\W*")
_RFC_NUMBER = re.compile(r"(?:Request for Comments|RFC) ?: +(\d{1,5})\b")
# Page width in characters, and how far the middle of a centred line may be from that of the page or of other lines.
_WIDTH = 72
_OFF_CENTRE = 4

# The lines of a title block.
_MAX_LINES = 4
_LONGEST_LINE = 120
_RULE = re.compile(r"[ \t]*([=\-~*_#+])\1{2,}[ \t]*")
_KEY_AND_VALUE = re.compile(r"[\w -]{1,30}:\s")
_COLUMNS = re.compile(r"\S[ \t]{3,}\S")
# Signs of code, of statements of a database and of tables.
_CODE = re.compile(r"[=*;|<>{}\[\]@\\/_]")
_MARKED = re.compile(r"[-*+•>|#]")
_MIN_CAPITALS = 6
# "by Anna Kern", "Version 2", "12 March 2024": what stands below a title.
_SUBTITLE = re.compile(
    r"(?:by|von|par|por|di|van|version|release|edition|draft)\b|.*\b(?:1[5-9]|20)\d\d\b", re.IGNORECASE
)
_VERSION = re.compile(r"(?:version|release|edition|versión|versione)\s+\d", re.IGNORECASE)
_OPENS = re.compile(r"[\"'“„«‘]?[^\W_a-zß-öø-ÿ]")
# Least indentation of centred lines.
_MIN_INDENT = 2


def plain_title(text: str) -> str:
    """Find the title of a text: a "Title:" line near the beginning, the RFC title, a title block or a separate line.

    >>> plain_title("On Engines\\n\\nThe first engine was never built.")
    'On Engines'
    >>> plain_title("The first engine was never built.\\n\\nNor was the second.")
    ''
    """
    beginning = text.split("\n", _HEADER_LINES)[:_HEADER_LINES]
    title_line = next((found for line in beginning if (found := _TITLE_LINE.fullmatch(line.strip()))), None)
    if title_line:
        return title_of(title_line.group(1))
    block = title_block(text)
    return title_of(_rfc_title(beginning)) or (title_of(block.title) if block else _first_line(text))


def _rfc_title(beginning: Sequence[str]) -> str:
    """Return the number and title (the centred lines below it) of an RFC; empty for any other text."""
    paragraphs = [list(group) for is_text, group in groupby(beginning, lambda line: bool(line.strip())) if is_text]
    head = next((found for line in paragraphs[0] if (found := _RFC_NUMBER.match(line))), None) if paragraphs else None
    centred = paragraphs[1] if len(paragraphs) > 1 and all(map(_is_centred, paragraphs[1])) else []
    return f"RFC {head.group(1)}: {' '.join(line.strip() for line in centred)}" if head and centred else ""


def _is_centred(line: str) -> bool:
    left = len(line) - len(line.lstrip())
    return left > 1 and abs(left + len(line.rstrip()) - _WIDTH) <= 2 * _OFF_CENTRE


def _first_line(text: str) -> str:
    """Return the first line if a blank line follows it and it is short, not a sentence and not a changelog entry."""
    first, _, rest = text.lstrip().partition("\n")
    line = first.strip()
    blank, _, following = rest.partition("\n")
    stands_alone = not blank.strip() and bool(following.strip())
    is_short = len(line) <= _LONGEST_FIRST_LINE and bool(_LETTER.search(line))
    is_title = stands_alone and is_short and not _ENDS_A_SENTENCE.search(line)
    is_other = _VERSION_CONTROL.fullmatch(line) or (is_title and begins_with_entry(text))
    return title_of(line) if is_title and not is_other else ""


@dataclass(frozen=True, slots=True)
class TitleBlock:
    """A title, the other lines of its block, and the offset at which the body begins."""

    title: str
    below: tuple[str, ...]
    end: int


def title_block(text: str) -> TitleBlock | None:
    """Find the title block of a text; None if it has none or no body.

    >>> title_block("THE SALT MINE\\nOF HALLSTATT\\nby Anna Kern\\n\\nIt was opened early.")
    TitleBlock(title='THE SALT MINE OF HALLSTATT', below=('by Anna Kern',), end=40)
    >>> title_block("Garden Rules\\n~~~~~~~~~~~~\\nMembers meet on Monday.").title
    'Garden Rules'
    >>> title_block("The mine was opened early\\nby Anna and by Ben.\\n\\nIt was deep.")
    """
    start = len(text) - len(text.lstrip())
    start = text.rfind("\n", 0, start) + 1
    lines: list[str] = []
    end = start
    for line in text[start:].split("\n", _MAX_LINES + 2)[: _MAX_LINES + 2]:
        if not line.strip():
            break
        lines.append(line)
        end += len(line) + 1
    if is_underlined := _underlined(lines):
        rules = 1 + (_RULE.fullmatch(lines[0]) is not None)
        lines = lines[: 1 + rules]
        end = start + sum(len(line) + 1 for line in lines)
    shown = [line.expandtabs() for line in lines if not _RULE.fullmatch(line)]
    if not 0 < len(shown) <= _MAX_LINES or not text[end:].strip() or not all(map(_may_be_title, shown)):
        return None
    words = [" ".join(line.split()) for line in shown]
    count = _title_lines(words) if is_underlined or _are_centred(shown) or _is_title(words, text[end:]) else 0
    return TitleBlock(" ".join(words[:count]), tuple(words[count:]), min(end, len(text))) if count else None


def _is_title(lines: Sequence[str], body: str) -> bool:
    """Return whether several lines are in capitals, or a title and its subtitle."""
    if len(lines) < 2 or _is_capital(lines[0]):
        return len(lines) > 1
    is_subtitle = len(lines) == 2 and _SUBTITLE.match(lines[1]) is not None
    return is_subtitle and _OPENS.match(lines[0]) is not None and not _is_wrapped(lines, body)


def _title_lines(lines: Sequence[str]) -> int:
    """Return the number of lines of the title: all at the beginning in capitals, and a version below it."""
    count = max(1, next((at for at, line in enumerate(lines) if not _is_capital(line)), len(lines)))
    return count + (count < len(lines) and _VERSION.match(lines[count]) is not None)


def _underlined(lines: Sequence[str]) -> bool:
    """Return whether the first line, or the one below a rule, has a rule below it."""
    lines = lines[1:] if lines and _RULE.fullmatch(lines[0]) else lines
    return len(lines) > 1 and not _RULE.fullmatch(lines[0]) and _RULE.fullmatch(lines[1]) is not None


def _may_be_title(line: str) -> bool:
    words = line.strip()
    if len(words) > _LONGEST_LINE or not _LETTER.search(words) or _ENDS_A_SENTENCE.search(words):
        return False
    return not (_KEY_AND_VALUE.match(words) or _COLUMNS.search(words) or _MARKED.match(words))


def _are_centred(lines: Sequence[str]) -> bool:
    """Return whether several indented lines have their middle in about the same column, and begin in others."""
    starts = [len(line) - len(line.lstrip()) for line in lines]
    sums = [start + len(line.rstrip()) for start, line in zip(starts, lines, strict=True)]
    in_line = max(sums) - min(sums) <= 2 * _OFF_CENTRE
    return min(starts) >= _MIN_INDENT and len(set(starts)) > 1 and in_line


def _is_capital(line: str) -> bool:
    is_upper = line == line.upper() != line.lower() and not _CODE.search(line)
    return is_upper and len(_LETTER.findall(line)) >= _MIN_CAPITALS


def _is_wrapped(lines: Sequence[str], body: str) -> bool:
    """Return whether the second line may continue the first: no room was left for its first word."""
    width = max(map(len, body.strip("\n").partition("\n\n")[0].split("\n")))
    return len(lines[0]) + 1 + len(lines[1].split(maxsplit=1)[0]) > width


def with_title_apart(text: str, title: str) -> str:
    """Return a text in which its title is a heading, and the other lines of the title block are paragraphs.

    Parameters
    ----------
    text
        The text, in which headings may be marked by number signs.
    title
        The title of the text. It is marked as a heading if other headings are.

    >>> with_title_apart("SALT MINES\\nby Anna Kern\\n\\nThey are old.", "SALT MINES")
    'SALT MINES\\n\\nby Anna Kern\\n\\nThey are old.'
    """
    if not title or any(heading.words == title for heading in headings(text)[:1]):
        return text
    block = title_block(text)
    if block is not None and block.title == title:
        apart = "\n\n".join([title, *block.below, text[block.end :].lstrip("\n")])
    else:
        first, _, body = text.lstrip().partition("\n")
        if " ".join(first.split()) != title:
            return text
        apart = f"{title}\n{body}"
    # Unmarked headings count only if none are marked.
    return f"# {apart}" if marked_headings(apart) else apart if block else text
