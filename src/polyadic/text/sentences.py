"""Sentences of a text as exact spans.

A text is cut into blocks first (paragraphs, headings, list items, table rows, fenced code), and each block into
sentences, so sentences are a local affair: what is written in one paragraph never moves a boundary in another. A huge
block (a book or a log without blank lines) is cut into parts at places that are chosen by what stands around them, so
that an edit moves boundaries near it, and the rest of the block stays as it is.
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache

from sentencex import segment

from polyadic.model.types import Span
from polyadic.text.boilerplate import is_contents_line
from polyadic.text.code_fences import code_blocks
from polyadic.text.table_rows import is_row

LONGEST = 1_000
"""Characters of the longest sentence: about as much as an embedder of 254 tokens reads."""

# Characters of a block from which on it is cut into parts: more than all but the longest paragraphs of prose have.
_HUGE = 4_000
# Characters of the longest part: nearly always some sentences, and as far as an edit can be felt before it.
_LONGEST_PART = _HUGE // 2
# Characters to either side of a place that decide how good it is.
_AROUND = 32

# So many texts of at most so many characters are remembered with their sentences, which takes some 10 MB; so are as
# many parts, which come up again in other texts: a chunk is cut out of its document.
_PASSAGES = 512
_A_PASSAGE = 10_000

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_STANDS_ALONE = re.compile(
    r"""[ ]{0,3}\#{1,6}[ \t]    # heading
      | [ \t]*(?:
        \|                    # table row
      | (?:[-=*_~+][ \t]*){3,}$  # rule, underline, border
      | --[ \t]*$              # what stands above a signature
      | ```                   # fence without a partner
    )""",
    re.VERBOSE,
)
_OPENS_BLOCK = re.compile(
    r"""
        [ \t]*(?:[-*+•‣▪◦–][ \t]+ | o[ \t]{2,} | \(?\d{1,3}[.)][ \t]+ | \[\^[\w.-]{1,40}\]:[ \t]+ | >[ \t]*)\S
        # A line of a log begins with a time, or with an address and "[".
      | [\[(]?\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d
      | [\[(]?(?:[A-Z][a-z]{2}\ )?[A-Z][a-z]{2}\ [ \d]?\d\ \d\d:\d\d:\d\d
      | \[?\d\d:\d\d:\d\d\S*[ ]
      | \d{1,3}(?:\.\d{1,3}){3}\ \S+\ \S+\ \[
    """,
    re.VERBOSE,
)
_LINE_BREAKS = str.maketrans("\r\n\t\v\f\x85\u2028\u2029", "        ")
_UNFINISHED = re.compile(
    r"""
        \b(?:St|Ste|Mr|Mrs|Ms|Mx|M|Mme|Mlle|Dr|Prof|Rev|Hon|Gen|Col|Capt|Lt|Sgt|Maj|Gov|Sen|Rep)\.$  # title of a person
      | ^\(?\d{1,3}(?:\.\d{1,3}){0,3}[.)]$                                             # "1." of a list, "3.2."
      | ^(?:Appendix\ [A-Z]|[A-Z](?:\.\d{1,3}){1,3})\.$                                # "A.1."
    """,
    re.VERBOSE,
)
_LONGEST_UNFINISHED = 12
# The marks of footnotes right behind a sentence.
_NOTE_MARKS = re.compile(r"(?:[¹²³⁰⁴-⁹]{1,3}|\[\^[\w.-]{1,40}\])+(?!:)")
# "des 18. Jahrhunderts": a German ordinal before what is most often counted so.
_ORDINAL = re.compile(r"\b\d{1,3}\.\s+(?:Jahrhundert|Jahrtausend|Jh\b|Lebensjahr|Geburtstag|Jahrestag|Auflage)")
_LONGEST_ORDINAL = 4
_BEFORE_SUFFIX = " \t\n\r\xa0(\"'„“«/*"
_LONGEST_TITLE = 4  # letters
# sentencex looks a byte back from a full stop, and panics where that is the middle of a space (vitamin C, hard space).
_WIDE_BEFORE_STOP = re.compile(r"(?<=\w)\s*[^\S ](?=\.)")
# sentencex expects an end of a sentence before characters like those of the sentence, not before "1871" or "iPhone".
_UNSPACED_END = re.compile(r"[。！？｡][\"”’」』）]*(?=[0-9a-z])")
# sentencex takes "May." for the abbreviation of a month whatever follows.
_END_IN_MAY = re.compile(r"\bMay\.\s+(?=[^\W\d_a-z])")
_CLAUSE_MARKS = (re.compile(r"[;；:：。！？!?][\"”’)]?\s*"), re.compile(r"[,，、–—]\s*"), re.compile(r"\s+"))
# Where a part may end, best first: after what is surely or probably a sentence (after a word of one or two letters or
# digits a full stop is often no end), else where a sentence that is too long may be cut. What stands before the mark is
# looked at after it, because marks are found fast.
_SENTENCE_ENDS = (
    re.compile(
        r"""
            [.!?…؟۔।॥։።။](?<=\w\w\w.)["'”’»)\]]*\s+(?=["'“‘„«(\[¿¡]*[^\W\d_a-zß-öø-ÿα-ωа-яё])
          | [。！？｡]["”’」』）]*\s*
        """,
        re.VERBOSE,
    ),
    re.compile(r"[.!?…](?<=\w\w\w.)\s+"),
)
# Where a part of code may end: before a blank line, else at the end of a line.
_CODE_ENDS = (re.compile(r"\n[^\S\n]*\n"), re.compile(r"\n"), re.compile(r"\s"), re.compile(r"(?s:.)"))
_PAUSES = (re.compile(r"[\r\n]\s*"), re.compile(r"[;:,–—]\s+|[；：，、]\s*"), re.compile(r"\s+"), re.compile(r"(?s:.)"))


_Stretch = tuple[int, int]
"""Where it begins and where it ends; what is no sentence yet is made by the thousand, and spans take their time."""


def sentences(text: str, language: str) -> Sequence[Span]:
    """The sentences of a text, in order, without the white space around them.

    Parameters
    ----------
    text
        Plain text or Markdown. Hard-wrapped lines join; across blank lines, headings, list items, table rows and
        lines of a table of contents nothing does. Fenced code is one sentence with its fences, or, where it is too
        long, several that end with a line.
    language
        ISO 639-1; one that the rules do not know is treated by those of its nearest relative or of English.

    Returns
    -------
    sequence of Span
        Disjoint, each at most ``LONGEST`` characters; together they hold every character but white space.

    Notes
    -----
    Boundaries are those of sentencex (Wikimedia), joined again after titles of persons, which not all of
    its languages know.

    >>> text = "Ada met Mr. Babbage\\nin 1833. They talked.\\n\\n# Later\\nMore."
    >>> [text[s.start:s.end] for s in sentences(text, "en")]
    ['Ada met Mr. Babbage\\nin 1833.', 'They talked.', '# Later', 'More.']
    """
    return _sentences(text, language) if len(text) > _A_PASSAGE else _of_passage(text, language)


def _sentences(text: str, language: str) -> tuple[Span, ...]:
    found: list[Span] = []
    start = 0
    for code in code_blocks(text):
        found += _of_prose(text, start, code.start, language)
        found += (Span(*part) for part in _of_code(text, code.start, code.end))
        start = code.end
    found += _of_prose(text, start, len(text), language)
    return tuple(found)


def _of_prose(text: str, start: int, stop: int, language: str) -> Iterator[Span]:
    return (
        Span(first, last)
        for block in _blocks(text, start, stop)
        for sentence in _within(text, block, language)
        for first, last in _cut(text, sentence)
    )


def _of_code(text: str, start: int, stop: int) -> Iterator[_Stretch]:
    """A block of code whole, or parts of it that end with a line, chosen as those of a huge block of prose are."""
    while stop - start > LONGEST:
        end = _best_end(text, start, stop, [(ends, LONGEST) for ends in _CODE_ENDS])
        yield from _stripped(text, start, end)
        start = end
    yield from _stripped(text, start, stop)


# A passage is cut, read and embedded by its sentences, each some time after the other.
_of_passage = lru_cache(maxsize=_PASSAGES)(_sentences)


def _blocks(text: str, first: int, stop: int) -> Iterator[_Stretch]:
    """Runs of lines that may share a sentence."""
    start = end = first
    for line in _LINE.finditer(text, first, stop):
        content = line.group()
        blank = not content.strip()
        alone = bool(_STANDS_ALONE.match(content)) or is_contents_line(content)
        if (blank or alone or _OPENS_BLOCK.match(content)) and start < end:
            yield start, end
            start = line.start()
        if blank:
            start = line.end()
        elif alone:
            yield line.start(), line.end()
            start = line.end()
        end = line.end()
    if start < end:
        yield start, end


def _within(text: str, block: _Stretch, language: str) -> Iterator[_Stretch]:
    """The sentences of a block; a heading or a row of a table is one whatever its full stops."""
    parts = _parts(text, block)
    content = text[slice(*block)]
    if _STANDS_ALONE.match(text, *block) or is_contents_line(content) or is_row(content.rstrip()):
        return (whole for part in parts for whole in _stripped(text, *part))
    pieces = (
        (start + first, start + last) for start, end in parts for first, last in _of_part(text[start:end], language)
    )
    return _joined(text, pieces)


def _parts(text: str, block: _Stretch) -> Iterator[_Stretch]:
    """The block itself, or parts of a huge one, so that no sentence depends on what is far from it."""
    start, block_end = block
    while block_end - start > _HUGE:
        end = _part_end(text, start, block_end)
        yield start, end
        start = end
    yield start, block_end


def _part_end(text: str, start: int, block_end: int) -> int:
    """The best place to end a part that starts here."""
    within = [(ends, _LONGEST_PART) for ends in _SENTENCE_ENDS] + [(ends, LONGEST) for ends in _PAUSES]
    return _best_end(text, start, block_end, within)


def _best_end(text: str, start: int, block_end: int, within: Sequence[tuple[re.Pattern[str], int]]) -> int:
    """The best place to end a part, by marks in their order, each within so many characters.

    Of places alike a digest of what is around them decides. So parts that start at different places soon come to end
    at the same one, and are the same from there on.
    """
    found = (
        [match.end() for match in ends.finditer(text, start + longest // 4, start + longest)]
        for ends, longest in within
    )
    # Of equals the last: where all is alike, parts are long.
    return min(next(filter(None, found)), key=lambda end: (_draw(text, end, block_end), -end))


def _draw(text: str, place: int, block_end: int) -> int:
    """A number that looks random, and is the same wherever these characters stand."""
    around = text[place - _AROUND : min(place + _AROUND, block_end)]
    return zlib.crc32(around.encode("utf-8", "surrogatepass"))


def _pieces(part: str, language: str) -> Iterator[_Stretch]:
    """What sentencex takes for sentences within a part, stripped; a piece it alters joins the next one."""
    content = part.translate(_LINE_BREAKS)
    ended = _stripped
    if not content.isascii():
        content = _WIDE_BEFORE_STOP.sub(lambda space: " " * len(space[0]), content)
        ended = _split_again
    cursor = 0
    for piece in segment(language, content):
        at = content.find(piece, cursor)
        if at < 0:
            continue
        for end in _END_IN_MAY.finditer(part, cursor, at + len(piece)):
            yield from ended(part, cursor, end.end())
            cursor = end.end()
        yield from ended(part, cursor, at + len(piece))
        cursor = at + len(piece)
    yield from ended(part, cursor, len(part))


@lru_cache(maxsize=_PASSAGES)
def _of_part(part: str, language: str) -> tuple[_Stretch, ...]:
    return tuple(_pieces(part, language))


def _split_again(text: str, start: int, end: int) -> Iterator[_Stretch]:
    """Chinese and Japanese sentences that a digit or a lower-case Latin letter follows."""
    for found in _UNSPACED_END.finditer(text, start, end):
        yield from _stripped(text, start, found.end())
        start = found.end()
    yield from _stripped(text, start, end)


def _joined(text: str, pieces: Iterator[_Stretch]) -> Iterator[_Stretch]:
    """Pieces put together again where the boundary was within a name or an ordinal, or followed a title or number.

    Marks of footnotes stay with the sentence before them.
    """
    held: _Stretch | None = None
    for found in pieces:
        piece = found
        if held is not None and held[1] == piece[0] and (marks := _NOTE_MARKS.match(text, *piece)):
            held = held[0], marks.end()
            rest = next(_stripped(text, marks.end(), piece[1]), None)
            if rest is None:
                continue
            piece = rest
        is_open = held is not None and (_is_within_name(text, held[1], piece[0]) or _is_unfinished(text, *held))
        if held is not None and (is_open or _is_ordinal(text, held[1])):
            held = held[0], piece[1]
            continue
        if held is not None:
            yield held
        held = piece
    if held is not None:
        yield held


def _is_within_name(text: str, end: int, start: int) -> bool:
    """Whether a full stop is part of what follows it or of a name: ".LCK", "Data.LCK"; not that of "left.He"."""
    if end != start or not 0 < end < len(text) or text[end - 1] != ".":
        return False
    following = text[end : end + 2]
    if not following[0].isdigit() and following[0].lower() == following[0].upper():
        return False
    return not text[max(0, end - 2) : end - 1].strip(_BEFORE_SUFFIX) or not following.istitle() or len(following) < 2


def _is_ordinal(text: str, end: int) -> bool:
    """Whether a piece ends in an ordinal that goes with the next word."""
    if end < 2 or not text[end - 2].isdigit():  # nearly all are told by that, and fast
        return False
    return any(_ORDINAL.match(text, start) for start in range(max(0, end - _LONGEST_ORDINAL), end - 1))


def _is_unfinished(text: str, start: int, end: int) -> bool:
    """Whether a piece ends in a title or is a list number; its end tells, however long it has become."""
    last_word = text[max(start, end - 2 - _LONGEST_TITLE) : end - 1]
    if len(last_word) > _LONGEST_TITLE and last_word.isalpha():  # nearly all are told by that, and fast
        return False
    return _UNFINISHED.search(text[max(start, end - _LONGEST_UNFINISHED) : end]) is not None


def _cut(text: str, sentence: _Stretch) -> Iterator[_Stretch]:
    """Parts of at most LONGEST characters, cut at clause marks, else at white space, else anywhere."""
    start, sentence_end = sentence
    while sentence_end - start > LONGEST:
        end = _last_cut(text, start)
        yield from _stripped(text, start, end)
        start = end
    yield from _stripped(text, start, sentence_end) if start > sentence[0] else (sentence,)


def _last_cut(text: str, start: int) -> int:
    """Where to end a part that starts here; marks in its first half would leave a stub and are ignored."""
    for marks in _CLAUSE_MARKS:
        ends = [match.end() for match in marks.finditer(text, start + LONGEST // 2, start + LONGEST)]
        if ends:
            return ends[-1]
    return start + LONGEST


def _stripped(text: str, start: int, end: int) -> Iterator[_Stretch]:
    """The stretch without the white space around it; nothing where nothing is left."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
