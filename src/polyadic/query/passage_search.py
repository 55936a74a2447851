"""Search passages by words, ranked by BM25, with the positions of the matches; tell the words without any match."""

from dataclasses import dataclass

from polyadic.model.types import Document, SourceSpan, Span, page_of
from polyadic.retrieval.query_spelling import spelled
from polyadic.storage.protocol import Reader
from polyadic.text.headings import headings_above
from polyadic.text.highlighting import best_window, matches, sought_words
from polyadic.text.words import WORD, folded

# Characters of the window with most matches, and of the text around it that is shown; more if they are farther apart.
_WINDOW, _SHOWN = 200, 240


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage that contains words of the query; all positions are character offsets in the document.

    ``score`` is higher for better passages and comparable within one search. ``matches`` are the spans of the query
    words; ``excerpt`` is the window with the most distinct ones. ``line`` (from 1), ``page`` (None without pages) and
    ``headings`` (of the enclosing sections, outermost first) are those of the excerpt.
    """

    place: SourceSpan
    score: float
    matches: tuple[Span, ...]
    excerpt: Span
    line: int
    page: int | None
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnmatchedWords:
    """The words of a query that no passage contains, as typed, and the query with their likely spelling, if known."""

    words: tuple[str, ...] = ()
    corrected: str = ""


def search_passages(reader: Reader, words: str, limit: int) -> list[FoundPassage]:
    """Return at most ``limit`` passages that contain any of the words, best first.

    Consecutive passages overlap: one of which all matches are shown with a better one is omitted, and of others, the
    excerpt is one that is not shown yet.
    """
    # Twice as many as needed, because some are omitted.
    hits = reader.search(words, 2 * limit)
    query_words = sought_words(words)
    places = reader.chunk_places(hits.rows)
    headings = reader.records.headings([place.chunk_id for place in places])
    documents: dict[str, Document] = {}
    shown: dict[str, list[Span]] = {}
    passages: list[FoundPassage] = []
    for place, score in zip(places, hits.scores.tolist(), strict=True):
        first, before = place.span.start, shown.setdefault(place.document_id, [])
        found = list(matches(place.quote, query_words))
        new = [match for match in found if not any(part.start <= first + match[0] < part.end for part in before)]
        if found and not new:
            continue
        start, end = best_window(new, _WINDOW)
        excerpt = Span(first + start, first + end)
        before.append(in_context(excerpt, place.span))
        if place.document_id not in documents:
            documents[place.document_id] = reader.records.document(place.document_id)
        document = documents[place.document_id]
        passages.append(
            FoundPassage(
                place,
                score,
                tuple(Span(first + start, first + end) for start, end, _ in found),
                excerpt,
                document.text.count("\n", 0, excerpt.start) + 1,
                page_of(document.pages, excerpt.start),
                headings_above(headings[place.chunk_id], excerpt.start, place.title),
            )
        )
        if len(passages) == limit:
            break
    return passages


def in_context(excerpt: Span, passage: Span) -> Span:
    """Extend an excerpt to the part of its passage that is shown.

    >>> in_context(Span(100, 130), Span(0, 1000)), in_context(Span(10, 300), Span(0, 1000))
    (Span(start=30, end=270), Span(start=10, end=300))
    """
    room = max(0, _SHOWN - (excerpt.end - excerpt.start))
    start = max(passage.start, excerpt.start - room // 3)
    return Span(start, min(passage.end, max(excerpt.end, start + _SHOWN)))


def unmatched_words(reader: Reader, words: str) -> UnmatchedWords:
    """Return the words of a query that match no passage; English function words count only if there are no others."""
    sought = sought_words(words)
    typed = {folded(word): word for word in reversed(WORD.findall(words)) if folded(word) in sought}
    missing = tuple(word for word in reversed(typed.values()) if not len(reader.search(word, 1).rows))
    corrected = spelled(words, reader).question if missing else words
    return UnmatchedWords(missing, corrected if corrected != words else "")
