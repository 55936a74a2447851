"""Add to a quoted sentence what makes it readable: the sentence before it, a list's lead-in, the announced items."""

from collections.abc import Sequence
from dataclasses import replace

from polyadic.generation.quotations import Quotation, quotation
from polyadic.generation.sentence_candidates import SentenceCandidate
from polyadic.model.types import SourceSpan, Span
from polyadic.storage.protocol import Reader
from polyadic.text.dependent_sentences import leans_on_previous
from polyadic.text.headings import is_heading, is_within
from polyadic.text.language import detect_language
from polyadic.text.markup import plain
from polyadic.text.sentences import sentences
from polyadic.text.table_rows import is_pipe_row

ANNOUNCES = (":", "：")
_LONGEST_WITH_CONTEXT = 700


def readable_range(place: int, pool: Sequence[SentenceCandidate]) -> tuple[int, int]:
    """Return the first and last candidate of a readable quotation: with the antecedent and the announced list items."""
    own = pool[place]
    first = last = place
    if place and _leans(own) and follows(pool[place - 1], own) and fits(pool[place - 1], own):
        first = place - 1
    announced = _announcing(first, pool)
    if announced is not None and fits(pool[announced], own):
        first = announced
    if own.place.quote.rstrip().endswith(ANNOUNCES):
        while last + 1 < len(pool) and _belongs(own, pool[last], pool[last + 1]):
            last += 1
    return first, last


def with_sentence_before(
    quoted: Quotation, first: SentenceCandidate, others: Sequence[SourceSpan], reader: Reader
) -> Quotation:
    """Extend a quotation to the sentence before it in its chunk, if it leans on that sentence.

    Parameters
    ----------
    quoted
        The quotation.
    first
        Its first sentence. The sentence before is not among the candidates, such as a question, or one of a chunk of
        which only a fact was retrieved.
    others
        The other quoted spans, which must not overlap.
    reader
        Reads the chunk.
    """
    if not _leans(first):
        return quoted
    rows = reader.rows("chunk", first.place.chunk_id, 1)
    chunk = next(iter(reader.chunk_places(rows)), first.passage)
    start, end = quoted.place.span.start - chunk.span.start, quoted.place.span.end - chunk.span.start
    if chunk.quote[start:end] != quoted.place.quote:
        return quoted
    before = [span for span in sentences(chunk.quote, detect_language(chunk.quote)) if span.end <= start][-1:]
    if not before or chunk.quote[before[0].end : start].strip() or end - before[0].start > _LONGEST_WITH_CONTEXT:
        return quoted
    outline = reader.records.headings([chunk.chunk_id]).get(chunk.chunk_id, ())
    place = replace(chunk.part(Span(before[0].start, end)), headings=quoted.place.headings, page=quoted.place.page)
    if is_within(outline, place.span.start) or is_heading(chunk.quote, before[0].start, before[0].end):
        return quoted
    if is_pipe_row(place.quote) or any(_overlap(place, other) for other in others):
        return quoted
    return Quotation(place, quotation(place), quoted.score)


def follows(first: SentenceCandidate, second: SentenceCandidate) -> bool:
    """Return whether a sentence directly follows another, with only white space in between."""
    if first.passage is not second.passage:
        return False
    origin = first.passage.span.start
    between = first.passage.quote[first.place.span.end - origin : second.place.span.start - origin]
    return first.place.span.end <= second.place.span.start and not between.strip()


def fits(first: SentenceCandidate, last: SentenceCandidate) -> bool:
    """Return whether the text from one sentence to another is short enough for one quotation."""
    return last.place.span.end - first.place.span.start <= _LONGEST_WITH_CONTEXT


def _leans(candidate: SentenceCandidate) -> bool:
    quote = candidate.place.quote
    return not candidate.sentence.is_code and leans_on_previous(plain(quote), detect_language(quote))


def _overlap(place: SourceSpan, other: SourceSpan) -> bool:
    return (
        place.document_id == other.document_id
        and place.span.start < other.span.end
        and other.span.start < place.span.end
    )


def _belongs(announcing: SentenceCandidate, before: SentenceCandidate, candidate: SentenceCandidate) -> bool:
    """Return whether a candidate is announced: it follows the colon directly, or is a further item of the list."""
    is_announced = before is announcing or (before.sentence.is_item and candidate.sentence.is_item)
    return is_announced and follows(before, candidate) and fits(announcing, candidate)


def _announcing(place: int, pool: Sequence[SentenceCandidate]) -> int | None:
    """Return the sentence that announces the list of this item; None if it is not an item, or nothing announces it."""
    first = place
    while first and pool[first].sentence.is_item and follows(pool[first - 1], pool[first]):
        first -= 1
    return first if first < place and pool[first].place.quote.rstrip().endswith(ANNOUNCES) else None
