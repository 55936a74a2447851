"""Searching passages by words: ranked by BM25, with the places of the words."""

from dataclasses import dataclass

from polyadic.model.types import SourceSpan, Span, page_of
from polyadic.storage.protocol import Reader
from polyadic.text.headings import headings_above
from polyadic.text.highlighting import best_window, matches, sought_words

_EXCERPT = 200


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage that holds words that were searched for; all characters are those of the document.

    ``score`` is higher for better passages of one search. ``matches`` are the words that were found, ``excerpt`` is
    where the most different ones stand together. ``line`` (from 1), ``page`` (None where there are none) and
    ``headings`` (of the sections, the outermost first) are those of the excerpt.
    """

    place: SourceSpan
    score: float
    matches: tuple[Span, ...]
    excerpt: Span
    line: int
    page: int | None
    headings: tuple[str, ...] = ()


def search_passages(reader: Reader, words: str, limit: int) -> list[FoundPassage]:
    """At most ``limit`` passages that hold any of the words, the best first."""
    hits = reader.search(words, limit)
    sought = sought_words(words)
    documents = {}
    found = []
    places = reader.chunk_places(hits.rows)
    headings = reader.headings([place.chunk_id for place in places])
    for place, score in zip(places, hits.scores.tolist(), strict=True):
        if place.document_id not in documents:
            documents[place.document_id] = reader.document(place.document_id)
        document = documents[place.document_id]
        words_here = list(matches(place.quote, sought))
        start, end = best_window(words_here, _EXCERPT)
        at = place.span.start
        found.append(
            FoundPassage(
                place,
                score,
                tuple(Span(at + start, at + end) for start, end, _ in words_here),
                Span(at + start, at + end),
                document.text.count("\n", 0, at + start) + 1,
                page_of(document.pages, at + start),
                headings_above(headings[place.chunk_id], at + start, place.title),
            )
        )
    return found
