"""From a passage that an answer cites to the sentence in it that bears the claim out."""

from collections.abc import Sequence
from dataclasses import replace

from polyadic.knowledge import Place, Span
from polyadic.models.embedder import Embedder
from polyadic.text.function_words import function_words
from polyadic.text.language import detect_language
from polyadic.text.plain_text import is_heading
from polyadic.text.sentences import sentences
from polyadic.text.words import words

# Of a longer passage, the sentences that share most words with the claim are compared by meaning.
_COMPARED = 12


async def narrowed(cited: Sequence[tuple[Place, str]], embedder: Embedder) -> list[tuple[Place, float]]:
    """For each place and the claim that cites it: the sentence there most like the claim, and how alike (cosine).

    A place of one sentence stays as it is.
    """
    candidates = [_candidates(place, claim) for place, claim in cited]
    texts = [claim for _, claim in cited] + [_in_context(place) for places in candidates for place in places]
    if not cited:
        return []
    vectors = await embedder.embed(texts)
    found = []
    first = len(cited)
    for claim, places in enumerate(candidates):
        likeness = (vectors[first : first + len(places)] @ vectors[claim]).tolist()
        best = max(range(len(places)), key=likeness.__getitem__)
        found.append((places[best], float(likeness[best])))
        first += len(places)
    return found


def _candidates(place: Place, claim: str) -> list[Place]:
    """The sentences of a place that may bear a claim out, each as a place of its own; at least one."""
    language = detect_language(place.quote)
    spans = [span for span in sentences(place.quote, language) if not is_heading(place.quote[span.start : span.end])]
    asked = words(claim) - function_words(language)
    shared = [len(asked & words(place.quote[span.start : span.end])) for span in spans]
    best = sorted(range(len(spans)), key=lambda i: (-shared[i], i))[:_COMPARED]
    return [_within(place, spans[i]) for i in sorted(best)] or [place]


def _within(place: Place, span: Span) -> Place:
    start = place.span.start
    at = Span(start + span.start, start + span.end)
    return replace(place, span=at, quote=place.quote[span.start : span.end])


def _in_context(place: Place) -> str:
    return f"{place.title}: {place.quote}" if place.title else place.quote
