"""From a document to chunks of about equal size, cut by content.

Boundaries lie between sentences, and whether one lies at a place depends on nothing but the text around it. So an edit
moves the boundaries near it, and every other chunk keeps its text: what a model made of it need not be paid for again.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate, islice, pairwise

from polyadic.config import ChunkingSettings
from polyadic.model import identity
from polyadic.model.types import Chunk, Document, Span
from polyadic.text.code_fences import code_blocks
from polyadic.text.definitions import turns
from polyadic.text.headings import is_heading
from polyadic.text.language import detect_language
from polyadic.text.plain_text import plain
from polyadic.text.sentences import sentences
from polyadic.text.tokens import count_tokens

# Shares of the wished size. The reach is chosen so that the mean of chunks comes out near the wish.
_LONGEST = 1.5
_SHORTEST = 0.5
_REACH = 0.7
# Without a title, a chunk ends where the text turns to another subject, unless it has just done so.
_SUBJECT_REACH = 0.1
_OPENING = 300

_COLONS = ":："
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_PLAIN_HEADING = re.compile(r"(?![-*+•>|])[^\n]{0,79}[^\W_]['\"”’)\]]*")


def chunk_document(document: Document, settings: ChunkingSettings) -> tuple[Chunk, ...]:
    """The chunks of a document, in order; none where there is nothing but white space.

    Without its overlap a chunk has at most 1.5 times the wished tokens, unless one sentence alone has more; a document
    of at most that size is one chunk. The overlap is whole sentences from the end of the chunk before, as near to its
    wished size as they come.

    Parameters
    ----------
    document
        ``document.text[chunk.span.start:chunk.span.end] == chunk.text`` holds for each of its chunks.
    settings
        Wished tokens of a chunk, tokens of overlap, language (``auto``: detected).

    Notes
    -----
    A place between two sentences is a boundary if it is the best within a reach of 0.7 times the wished size to
    either side. Best is before a heading, then, where no title names the subject, before a sentence that turns to
    another (it says what something is that was not defined last), then between paragraphs, then between sentences,
    then within code, then after a colon, which announces a list or code; worst is after a heading. Among equals the
    digest of the two sentences decides, which spreads boundaries evenly and is the same wherever those stand. A turn
    to another subject is a boundary if it is the best within 0.1 times the wished size, and the
    chunk after it repeats nothing, because what came before was about something else. What is left too long is cut from
    its left, each time at the best place 0.5 to 1.5 times the wish away.

    All this is as local as sentences are: to the paragraph, and in a huge one to some thousands of characters; turns
    are so from one definition to the next.

    >>> document = Document("file:engines", "Engines", "The first engine failed.  The second ran. ")
    >>> [(chunk.text, chunk.fresh) for chunk in chunk_document(document, ChunkingSettings())]
    [('The first engine failed.  The second ran.', 0)]
    """
    text = document.text
    language = detect_language(text) if settings.language == "auto" else settings.language
    line = _measured(text, sentences(text, language))
    subject_language = "" if document.title else language
    wish = settings.sized(by_model=True).tokens
    document_id = document.id
    chunks: list[Chunk] = []
    before = 0
    turns_there = dict(_firsts(text, line, wish, subject_language))
    for first, last in pairwise([*turns_there, len(line.spans)]):
        start = first if turns_there[first] else _overlap(line, before, first, settings.overlap)
        span = Span(line.spans[start].start, line.spans[last - 1].end)
        tokens = _tokens(text, line, start, last)
        chunks.append(Chunk(document_id, span, text[span.start : span.end], tokens, line.spans[first].start))
        before = first
    return tuple(chunks)


@dataclass(frozen=True, slots=True)
class _Line:
    """The sentences of a text; ``before[i]`` tokens come before sentence ``i``."""

    spans: Sequence[Span]
    before: Sequence[int]

    def tokens(self, first: int, last: int) -> int:
        """Tokens of the sentences from ``first`` to before ``last``."""
        return self.before[last] - self.before[first]


class _Cut(IntEnum):
    """How good it is to cut before a sentence; less is better."""

    BEFORE_HEADING = 0
    BEFORE_SUBJECT = 1
    BETWEEN_PARAGRAPHS = 2
    BETWEEN_SENTENCES = 3
    WITHIN_CODE = 4
    AFTER_COLON = 5
    AFTER_HEADING = 6


_WITHIN_A_SECTION = (_Cut.BETWEEN_PARAGRAPHS, _Cut.BETWEEN_SENTENCES)
_Key = tuple[_Cut, str]


def _measured(text: str, spans: Sequence[Span]) -> _Line:
    """Sentences with their tokens; the white space before a sentence counts with it, as tokenizers have it."""
    starts = [0, *(span.end for span in spans)]
    counts = count_tokens([text[start : span.end] for start, span in zip(starts, spans, strict=False)])
    return _Line(spans, list(accumulate(counts, initial=0)))


def _tokens(text: str, line: _Line, first: int, last: int) -> int:
    """Tokens of the text of the sentences from ``first`` to before ``last``, counted anew where they may not be a sum.

    No token reaches over a place before a space that follows something else (text/split.py), so between two such
    places a sentence alone has the tokens that were counted.
    """
    start, begun, known = line.spans[first].start, first, 0
    again = []
    for i in range(first + 1, last + 1):
        end = line.spans[i - 1].end
        if i < last and text[end] != " ":
            continue
        if i - begun == 1 and start == (line.spans[begun - 1].end if begun else 0):
            known += line.tokens(begun, i)
        else:
            again.append(text[start:end])
        start, begun = end, i
    return known + sum(count_tokens(again))


def _firsts(text: str, line: _Line, wish: int, subject_language: str) -> Iterator[tuple[int, bool]]:
    """The sentences with which chunks begin, and whether the text turns to another subject there."""
    count = len(line.spans)
    if line.tokens(0, count) <= _LONGEST * wish:
        yield from ((first, True) for first in range(min(count, 1)))
        return
    keys = _keys(text, line.spans, subject_language)
    subjects = [i for i in _peaks(line, keys, wish * _SUBJECT_REACH) if keys[i][0] is _Cut.BEFORE_SUBJECT]
    peaks = sorted({*subjects, *_peaks(line, keys, wish)})
    for first, last in pairwise([0, *peaks, count]):
        for piece in _pieces(line, keys, first, last, wish):
            yield piece, keys[piece][0] is _Cut.BEFORE_SUBJECT


def _keys(text: str, spans: Sequence[Span], subject_language: str) -> list[_Key]:
    """How good it is to cut before each sentence; of two places alike the digest decides which is better.

    Subjects are looked for in ``subject_language``; nowhere if it is empty, as where a title names the one subject.
    """
    gaps = pairwise([0, *(edge for span in spans for edge in (span.start, span.end)), len(text)])
    apart = [bool(_BLANK_LINE.search(text, *gap)) for gap in islice(gaps, 0, None, 2)]
    apart[0] = apart[-1] = True
    headings = [_is_heading(text, span, *around) for span, around in zip(spans, pairwise(apart), strict=True)]
    turned = _turned(text, spans, subject_language) if subject_language else set()
    within_code = _within_code(text, spans)
    keys = [(_Cut.BETWEEN_PARAGRAPHS, "")]
    for i, (left, right) in enumerate(pairwise(spans), start=1):
        digest = identity.digest(text[left.start : left.end], text[right.start : right.end])
        cut = _cut(headings[i - 1], headings[i], apart[i])
        if right.start in within_code:
            cut = _Cut.WITHIN_CODE
        elif cut is not _Cut.AFTER_HEADING and text[left.end - 1] in _COLONS:
            cut = _Cut.AFTER_COLON
        if cut in _WITHIN_A_SECTION and right.start in turned:
            cut = _Cut.BEFORE_SUBJECT
        keys.append((cut, digest))
    return keys


def _turned(text: str, spans: Sequence[Span], language: str) -> set[int]:
    """Where the sentences start that say what something else is, and so begin to speak of it."""
    openings = ((span.start, plain(text[span.start : min(span.end, span.start + _OPENING)])) for span in spans)
    return {start for start, _ in turns(openings, language)}


def _within_code(text: str, spans: Sequence[Span]) -> set[int]:
    """Where those sentences start that go on with code that an earlier one begins."""
    starts = [span.start for span in spans]
    parts = ((bisect_right(starts, code.start), bisect_left(starts, code.end)) for code in code_blocks(text))
    return {starts[i] for first, last in parts for i in range(first, last)}


def _is_heading(text: str, span: Span, apart_above: bool, apart_below: bool) -> bool:
    """Whether a sentence is a Markdown heading, or a short line on its own that ends like no sentence."""
    if is_heading(text, span.start, span.end):
        return True
    return apart_above and apart_below and bool(_PLAIN_HEADING.fullmatch(text, span.start, span.end))


def _cut(after_heading: bool, before_heading: bool, apart: bool) -> _Cut:
    if after_heading:
        return _Cut.AFTER_HEADING
    if before_heading:
        return _Cut.BEFORE_HEADING
    return _Cut.BETWEEN_PARAGRAPHS if apart else _Cut.BETWEEN_SENTENCES


def _peaks(line: _Line, keys: Sequence[_Key], wish: float) -> list[int]:
    """Places better than all others within reach, of equals the first; none is near an end of the text."""
    margin = _SHORTEST * wish
    start = bisect_left(line.before, margin)
    stop = bisect_right(line.before, line.before[-1] - margin)
    places = range(max(start, 1), min(stop, len(keys)))
    before, reach = line.before, _REACH * wish
    left = _unrivalled(places, lambda i, j: keys[j] <= keys[i], lambda i, j: before[i] - before[j] <= reach)
    right = _unrivalled(places[::-1], lambda i, j: keys[j] < keys[i], lambda i, j: before[j] - before[i] <= reach)
    return sorted(left & right)


def _unrivalled(places: Iterable[int], beats: Callable[[int, int], bool], near: Callable[[int, int], bool]) -> set[int]:
    """Places ``i`` of which no earlier ``j`` is both near and beats it.

    Only places that no later one has beaten are kept to compare with, so this takes linear time.
    """
    found: set[int] = set()
    rivals: list[int] = []
    for i in places:
        while rivals and not beats(i, rivals[-1]):
            rivals.pop()
        if not (rivals and near(i, rivals[-1])):
            found.add(i)
        rivals.append(i)
    return found


def _pieces(line: _Line, keys: Sequence[_Key], first: int, last: int, wish: int) -> Iterator[int]:
    """Where the pieces of a stretch of sentences begin, none of them too long unless it is one sentence."""
    yield first
    while line.tokens(first, last) > _LONGEST * wish and last - first > 1:
        first = _next_cut(line, keys, first, last, wish)
        yield first


def _next_cut(line: _Line, keys: Sequence[_Key], first: int, last: int, wish: int) -> int:
    """The best place to end a piece that begins with ``first``; of equals the one nearest to the wished size."""
    begin, end = line.before[first], line.before[last]
    shortest, longest = _SHORTEST * wish, _LONGEST * wish
    start = max(bisect_left(line.before, begin + shortest), first + 1)
    within = bisect_right(line.before, begin + longest)
    stop = min(within, bisect_right(line.before, end - shortest), last)
    if start < stop:
        return min(range(start, stop), key=lambda i: (keys[i], abs(line.tokens(first, i) - wish)))
    # Sentences are long against the wish: as many as fit, at least one.
    return min(max(within - 1, first + 1), last - 1)


def _overlap(line: _Line, before: int, first: int, tokens: int) -> int:
    """The sentence with which a chunk starts to repeat the one before, which begins with ``before``."""
    fits = bisect_left(line.before, line.before[first] - tokens)
    nearest = min((fits, fits - 1), key=lambda i: abs(line.before[first] - line.before[max(i, 0)] - tokens))
    return min(max(nearest, before), first)
