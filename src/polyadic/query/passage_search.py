"""Search passages by words, ranked by BM25, with the positions of the matches; tell the words without any match."""

from dataclasses import dataclass

from polyadic.model.types import SourceSpan, Span, page_of
from polyadic.retrieval.query_spelling import spelled
from polyadic.storage.protocol import Reader
from polyadic.text.headings import headings_above
from polyadic.text.highlighting import best_window, matches, sought_words
from polyadic.text.words import WORD, folded

_EXCERPT = 200


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
    """Return at most ``limit`` passages that contain any of the words, best first."""
    hits = reader.search(words, limit)
    query_words = sought_words(words)
    documents = {}
    passages = []
    places = reader.chunk_places(hits.rows)
    headings = reader.records.headings([place.chunk_id for place in places])
    for place, score in zip(places, hits.scores.tolist(), strict=True):
        if place.document_id not in documents:
            documents[place.document_id] = reader.records.document(place.document_id)
        document = documents[place.document_id]
        word_spans = list(matches(place.quote, query_words))
        start, end = best_window(word_spans, _EXCERPT)
        at = place.span.start
        passages.append(
            FoundPassage(
                place,
                score,
                tuple(Span(at + start, at + end) for start, end, _ in word_spans),
                Span(at + start, at + end),
                document.text.count("\n", 0, at + start) + 1,
                page_of(document.pages, at + start),
                headings_above(headings[place.chunk_id], at + start, place.title),
            )
        )
    return passages


def unmatched_words(reader: Reader, words: str) -> UnmatchedWords:
    """Return the words of a query that match no passage; English function words count only if there are no others."""
    sought = sought_words(words)
    typed = {folded(word): word for word in reversed(WORD.findall(words)) if folded(word) in sought}
    missing = tuple(word for word in reversed(typed.values()) if not len(reader.search(word, 1).rows))
    corrected = spelled(words, reader).question if missing else words
    return UnmatchedWords(missing, corrected if corrected != words else "")
