"""Content-defined chunking: split a document into windows for extraction, and these into chunks of about equal size.

Boundaries lie between sentences, and each depends only on the text around it. An edit therefore moves only nearby
boundaries, and all other chunks keep their text, so their cached model replies remain valid.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import accumulate, islice, pairwise

from polyadic.config import ChunkingSettings
from polyadic.model import identity
from polyadic.model.types import Chunk, Document, Span
from polyadic.text.code_fences import code_blocks
from polyadic.text.definitions import turns
from polyadic.text.headings import is_heading
from polyadic.text.language import detect_language
from polyadic.text.markup import plain
from polyadic.text.sentences import sentences
from polyadic.text.tokens import count_tokens

# Relative to the target size. The reach is chosen so that the mean chunk size is close to the target.
_MAX_SIZE = 1.5
_MIN_SIZE = 0.5
_REACH = 0.7
# Without a title, a chunk ends where the subject changes, unless it changed just before.
_SUBJECT_REACH = 0.1
_OPENING = 300  # characters

_COLONS = ":："
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_PLAIN_HEADING = re.compile(r"(?![-*+•>|])[^\n]{0,79}[^\W_]['\"”’)\]]*")


@dataclass(frozen=True, slots=True)
class ExtractionWindow:
    """A stretch of a document from which facts are extracted together, and the chunks that it is split into.

    ``text`` begins with the overlap with the previous window; the rest is that of ``chunks`` without their overlaps.
    """

    text: Chunk
    chunks: tuple[Chunk, ...]


def chunk_document(document: Document, settings: ChunkingSettings) -> tuple[Chunk, ...]:
    """Split a document into chunks, in order; return none if it contains only white space.

    Without its overlap, a chunk has at most 1.5 times the target number of tokens, unless a single sentence has more. A
    document of at most that size is one chunk. The overlap consists of whole sentences from the end of the previous
    chunk, as close to its target size as possible.

    Parameters
    ----------
    document
        The document; ``document.text[chunk.span.start:chunk.span.end] == chunk.text`` holds for each of its chunks.
    settings
        Target sizes of windows and chunks in tokens, overlaps in tokens, and language (``auto`` to detect it).

    Returns
    -------
    tuple of Chunk
        The chunks; ``chunk.new_from`` is the character at which the text after the overlap begins.

    Notes
    -----
    A position between two sentences is a boundary if it ranks best within 0.7 times the target size on either side.
    The ranking, from best to worst: before a heading; before a change of subject (a sentence that defines something
    other than the last definition did; only in documents without a title); between paragraphs; between sentences;
    within code; after a colon, which introduces a list or code; after a heading. Ties are broken by the digest of
    the two sentences, which spreads boundaries evenly and does not depend on their position. A change of subject is
    a boundary if it ranks best within 0.1 times the target size. A chunk that begins with a heading or a new
    subject has no overlap, because the text before is about something else. Pieces that are still too long are cut
    from the left, each time at the best position between 0.5 and 1.5 times the target size.

    Where windows are larger than chunks, the document is split into windows in this way, and each window into chunks.

    All decisions depend only on nearby text, as sentence boundaries do: on the paragraph, or on a few thousand
    characters of a huge one. Changes of subject depend on the text between two definitions.

    >>> document = Document("file:engines", "Engines", "The first engine failed.  The second ran. ")
    >>> [(chunk.text, chunk.new_from) for chunk in chunk_document(document, ChunkingSettings())]
    [('The first engine failed.  The second ran.', 0)]
    """
    return tuple(chunk for window in extraction_windows(document, settings) for chunk in window.chunks)


def extraction_windows(document: Document, settings: ChunkingSettings) -> tuple[ExtractionWindow, ...]:
    """Split a document into windows with their chunks, in order; :func:`chunk_document` says how.

    With ``settings.window_tokens`` of at most ``settings.tokens``, each window is one chunk.

    >>> text = " ".join(f"Engine {number} failed because its boiler was cold." for number in range(300))
    >>> windows = extraction_windows(Document("file:engines", "Engines", text), ChunkingSettings())
    >>> [(len(window.chunks), window.text.tokens) for window in windows]
    [(3, 800), (5, 1220), (5, 1180)]
    """
    text = document.text
    language = detect_language(text) if settings.language == "auto" else settings.language
    measured = _measured(text, sentences(text, language))
    splitter = _Splitter(document, measured, "" if document.title else language)
    whole = range(len(measured.spans))
    if settings.window_tokens <= settings.tokens:
        chunks = splitter.chunks(splitter.split([whole], settings.tokens), settings.overlap)
        return tuple(ExtractionWindow(chunk, (chunk,)) for chunk in chunks)
    windows = splitter.split([whole], settings.window_tokens)
    parts = splitter.split(windows, settings.tokens)
    chunks = splitter.chunks(parts, settings.overlap)
    starts = [bisect_left(parts, window.start, key=lambda part: part.start) for window in windows]
    return tuple(
        ExtractionWindow(window, chunks[first:last])
        for window, (first, last) in zip(
            splitter.chunks(windows, settings.window_overlap), pairwise([*starts, len(parts)]), strict=True
        )
    )


@dataclass(frozen=True, slots=True)
class _MeasuredSentences:
    """The sentences of a text, with cumulative token counts: ``before[i]`` tokens precede sentence ``i``."""

    spans: Sequence[Span]
    before: Sequence[int]

    def tokens(self, first: int, last: int) -> int:
        """Return the number of tokens in sentences ``first`` up to but excluding ``last``."""
        return self.before[last] - self.before[first]

    def part(self, stretch: range) -> "_MeasuredSentences":
        """Return a stretch of the sentences, as if the text began with it."""
        start, stop = stretch.start, stretch.stop
        return _MeasuredSentences(
            self.spans[start:stop], [count - self.before[start] for count in self.before[start : stop + 1]]
        )


class _Cut(IntEnum):
    """How suitable a position is for a cut; lower is better."""

    BEFORE_HEADING = 0
    BEFORE_SUBJECT = 1
    BETWEEN_PARAGRAPHS = 2
    BETWEEN_SENTENCES = 3
    WITHIN_CODE = 4
    AFTER_COLON = 5
    AFTER_HEADING = 6


_Key = tuple[_Cut, str]


@dataclass(frozen=True)
class _Splitter:
    """Splits ranges of the sentences of a document; changes of subject are looked for in ``subject_language``."""

    document: Document
    measured: _MeasuredSentences
    subject_language: str

    def split(self, ranges: Sequence[range], target: int) -> list[range]:
        """Split each range of sentences into ranges of about ``target`` tokens."""
        return [part for one in ranges for part in self._split(one, target)]

    def chunks(self, parts: Sequence[range], overlap: int) -> tuple[Chunk, ...]:
        """Make the chunks of consecutive ranges, each with an overlap unless a section or subject begins with it."""
        text, spans, document_id = self.document.text, self.measured.spans, self.document.id
        chunks = []
        before = 0
        for part in parts:
            has_overlap = part.start and self._keys[part.start][0] not in _BEGINNINGS
            start = _overlap(self.measured, before, part.start, overlap) if has_overlap else part.start
            span = Span(spans[start].start, spans[part.stop - 1].end)
            tokens = _tokens(text, self.measured, start, part.stop)
            chunks.append(Chunk(document_id, span, text[span.start : span.end], tokens, spans[part.start].start))
            before = part.start
        return tuple(chunks)

    def _split(self, stretch: range, target: int) -> Iterator[range]:
        if not stretch:
            return
        measured = self.measured.part(stretch)
        firsts = [0]
        if measured.before[-1] > _MAX_SIZE * target:
            firsts = list(_firsts(measured, self._keys[stretch.start : stretch.stop], target))
        for first, last in pairwise([*firsts, len(stretch)]):
            yield range(stretch.start + first, stretch.start + last)

    @cached_property
    def _keys(self) -> list[_Key]:
        return _keys(self.document.text, self.measured.spans, self.subject_language)


_BEGINNINGS = (_Cut.BEFORE_HEADING, _Cut.BEFORE_SUBJECT)
_WITHIN_A_SECTION = (_Cut.BETWEEN_PARAGRAPHS, _Cut.BETWEEN_SENTENCES)


def _measured(text: str, spans: Sequence[Span]) -> _MeasuredSentences:
    """Count the tokens of sentences; white space counts towards the sentence that follows, as in tokenizers."""
    starts = [0, *(span.end for span in spans)]
    counts = count_tokens([text[start : span.end] for start, span in zip(starts, spans, strict=False)])
    return _MeasuredSentences(spans, list(accumulate(counts, initial=0)))


def _tokens(text: str, measured: _MeasuredSentences, first: int, last: int) -> int:
    """Return the exact number of tokens in sentences ``first`` up to but excluding ``last``.

    No token extends across a position where a space follows another character (text/tokens.py). So the known count of a
    sentence between two such positions is exact; other stretches are counted again.
    """
    start, stretch_first, known = measured.spans[first].start, first, 0
    recounted = []
    for i in range(first + 1, last + 1):
        end = measured.spans[i - 1].end
        if i < last and text[end] != " ":
            continue
        if i - stretch_first == 1 and start == (measured.spans[stretch_first - 1].end if stretch_first else 0):
            known += measured.tokens(stretch_first, i)
        else:
            recounted.append(text[start:end])
        start, stretch_first = end, i
    return known + sum(count_tokens(recounted))


def _firsts(measured: _MeasuredSentences, keys: Sequence[_Key], target: int) -> Iterator[int]:
    """Yield the first sentence of each chunk."""
    subjects = [i for i in _peaks(measured, keys, target * _SUBJECT_REACH) if keys[i][0] is _Cut.BEFORE_SUBJECT]
    peaks = sorted({*subjects, *_peaks(measured, keys, target)})
    for first, last in pairwise([0, *peaks, len(measured.spans)]):
        yield from _pieces(measured, keys, first, last, target)


def _keys(text: str, spans: Sequence[Span], subject_language: str) -> list[_Key]:
    """Rank the cut before each sentence; ties are broken by a digest.

    Changes of subject are detected in ``subject_language``; an empty value disables this, for documents with a title.
    """
    gaps = pairwise([0, *(edge for span in spans for edge in (span.start, span.end)), len(text)])
    apart = [bool(_BLANK_LINE.search(text, *gap)) for gap in islice(gaps, 0, None, 2)]
    apart[0] = apart[-1] = True
    headings = [_is_heading(text, span, *around) for span, around in zip(spans, pairwise(apart), strict=True)]
    subject_starts = _subject_changes(text, spans, subject_language) if subject_language else set()
    within_code = _within_code(text, spans)
    keys = [(_Cut.BETWEEN_PARAGRAPHS, "")]
    for i, (left, right) in enumerate(pairwise(spans), start=1):
        digest = identity.digest(text[left.start : left.end], text[right.start : right.end])
        cut = _cut(headings[i - 1], headings[i], apart[i])
        if right.start in within_code:
            cut = _Cut.WITHIN_CODE
        elif cut is not _Cut.AFTER_HEADING and text[left.end - 1] in _COLONS:
            cut = _Cut.AFTER_COLON
        if cut in _WITHIN_A_SECTION and right.start in subject_starts:
            cut = _Cut.BEFORE_SUBJECT
        keys.append((cut, digest))
    return keys


def _subject_changes(text: str, spans: Sequence[Span], language: str) -> set[int]:
    """Return the starts of sentences that define something else and so change the subject."""
    openings = ((span.start, plain(text[span.start : min(span.end, span.start + _OPENING)])) for span in spans)
    return {start for start, _ in turns(openings, language)}


def _within_code(text: str, spans: Sequence[Span]) -> set[int]:
    """Return the starts of sentences that continue a block of code begun in an earlier sentence."""
    starts = [span.start for span in spans]
    parts = ((bisect_right(starts, code.start), bisect_left(starts, code.end)) for code in code_blocks(text))
    return {starts[i] for first, last in parts for i in range(first, last)}


def _is_heading(text: str, span: Span, apart_above: bool, apart_below: bool) -> bool:
    """Return whether a sentence is a Markdown heading, or a short isolated line that does not end like a sentence."""
    if is_heading(text, span.start, span.end):
        return True
    return apart_above and apart_below and bool(_PLAIN_HEADING.fullmatch(text, span.start, span.end))


def _cut(after_heading: bool, before_heading: bool, apart: bool) -> _Cut:
    if after_heading:
        return _Cut.AFTER_HEADING
    if before_heading:
        return _Cut.BEFORE_HEADING
    return _Cut.BETWEEN_PARAGRAPHS if apart else _Cut.BETWEEN_SENTENCES


def _peaks(measured: _MeasuredSentences, keys: Sequence[_Key], target: float) -> list[int]:
    """Return the positions, away from the ends, that rank better than all others within reach (first among equals)."""
    margin = _MIN_SIZE * target
    start = bisect_left(measured.before, margin)
    stop = bisect_right(measured.before, measured.before[-1] - margin)
    positions = range(max(start, 1), min(stop, len(keys)))
    before, reach = measured.before, _REACH * target
    left = _unbeaten(positions, lambda i, j: keys[j] <= keys[i], lambda i, j: before[i] - before[j] <= reach)
    right = _unbeaten(positions[::-1], lambda i, j: keys[j] < keys[i], lambda i, j: before[j] - before[i] <= reach)
    return sorted(left & right)


def _unbeaten(
    positions: Iterable[int], beats: Callable[[int, int], bool], near: Callable[[int, int], bool]
) -> set[int]:
    """Return the positions ``i`` for which no earlier ``j`` is both near and better.

    Keeps only rivals that no later position has beaten (a monotonic stack), so this takes linear time.
    """
    unbeaten: set[int] = set()
    rivals: list[int] = []
    for i in positions:
        while rivals and not beats(i, rivals[-1]):
            rivals.pop()
        if not (rivals and near(i, rivals[-1])):
            unbeaten.add(i)
        rivals.append(i)
    return unbeaten


def _pieces(measured: _MeasuredSentences, keys: Sequence[_Key], first: int, last: int, target: int) -> Iterator[int]:
    """Yield the first sentence of each piece of a stretch; no piece is too long, unless it is a single sentence."""
    yield first
    while measured.tokens(first, last) > _MAX_SIZE * target and last - first > 1:
        first = _next_cut(measured, keys, first, last, target)
        yield first


def _next_cut(measured: _MeasuredSentences, keys: Sequence[_Key], first: int, last: int, target: int) -> int:
    """Return the best end of a piece that begins with ``first``; among equals, the one closest to the target size."""
    begin, end = measured.before[first], measured.before[last]
    shortest, longest = _MIN_SIZE * target, _MAX_SIZE * target
    start = max(bisect_left(measured.before, begin + shortest), first + 1)
    within = bisect_right(measured.before, begin + longest)
    stop = min(within, bisect_right(measured.before, end - shortest), last)
    if start < stop:
        return min(range(start, stop), key=lambda i: (keys[i], abs(measured.tokens(first, i) - target)))
    # Sentences are long compared to the target size: take as many as fit, but at least one.
    return min(max(within - 1, first + 1), last - 1)


def _overlap(measured: _MeasuredSentences, before: int, first: int, tokens: int) -> int:
    """Return the first sentence of the overlap with the previous chunk, which begins with ``before``."""
    fits = bisect_left(measured.before, measured.before[first] - tokens)
    nearest = min((fits, fits - 1), key=lambda i: abs(measured.before[first] - measured.before[max(i, 0)] - tokens))
    return min(max(nearest, before), first)
