"""Attribute each citation of an answer to the sentence that supports it."""

import re
from collections.abc import Sequence

from polyadic.embeddings.embedder import Embedder
from polyadic.model.identity import normal_text
from polyadic.model.types import SourceSpan
from polyadic.text.headings import is_heading
from polyadic.text.language import detect_language
from polyadic.text.sentences import sentences
from polyadic.text.stopwords import function_words
from polyadic.text.words import words

# Of a longer passage, only the sentences that share most words with the claim are compared by vector; fewer if the
# answer has many citations, so that checking stays cheap.
_COMPARED, _FEWEST_COMPARED, _COMPARED_TOGETHER = 12, 3, 240
# A fact may have many evidence spans; only the first ones are considered.
_PLACES_OF_A_FACT = 4
_MARKER = re.compile(r"\[(\d{1,4})\]")
_MARKERS_AFTER_THE_END = re.compile(r"([.!?。！？｡]+[\"”’»」』）)]*)([ \t]*(?:\[\d{1,4}\])+)")


async def narrow_citations(
    text: str, cited: Sequence[Sequence[SourceSpan]], embedder: Embedder
) -> list[tuple[SourceSpan, float]]:
    """Return, for each marker of an answer, the sentence that supports the claim, and its similarity (cosine).

    Parameters
    ----------
    text
        The answer, with markers from ``[1]``.
    cited
        For each marker in turn, the spans that it may point to.
    embedder
        Compares sentences by meaning; shared words count as much, because an embedder may not know the language well.
    """
    if not cited:
        return []
    claims = claims_of(text, len(cited))
    most = max(_FEWEST_COMPARED, min(_COMPARED, _COMPARED_TOGETHER // len(cited)))
    candidates = [_candidates(places, claim, most) for places, claim in zip(cited, claims, strict=True)]
    texts = [*claims, *(_in_context(place) for group in candidates for place, _ in group)]
    vectors = await embedder.embed(texts)
    narrow = []
    first = len(claims)
    for claim, group in enumerate(candidates):
        cosines = (vectors[first : first + len(group)] @ vectors[claim]).tolist()
        best = max(range(len(group)), key=lambda i: cosines[i] + group[i][1])
        narrow.append((group[best][0], float(cosines[best])))
        first += len(group)
    return narrow


def claims_of(text: str, markers: int) -> list[str]:
    """Return the claim of each marker: the sentences that carry it, without markers.

    >>> claims_of("Ada wrote it. [1] She was born in London [2], in 1815 [1].", 2)
    ['Ada wrote it. She was born in London, in 1815.', 'She was born in London, in 1815.']
    """
    text = _MARKERS_AFTER_THE_END.sub(r"\2\1", text)
    claims: list[list[str]] = [[] for _ in range(markers)]
    for span in sentences(text, detect_language(text)):
        sentence = text[span.start : span.end]
        carried = {int(number) for number in _MARKER.findall(sentence)}
        bare = normal_text(re.sub(r"[ \t]*\[\d{1,4}\]", "", sentence))
        for number in carried:
            if number <= markers and bare:
                claims[number - 1].append(bare)
    whole = normal_text(_MARKER.sub("", text))
    return [" ".join(parts) or whole for parts in claims]


def _candidates(places: Sequence[SourceSpan], claim: str, most: int) -> list[tuple[SourceSpan, float]]:
    """Return the sentences that may support a claim, each with its share of the claim's words; at least one."""
    claim_words = words(claim) - function_words(detect_language(claim))
    scored = [
        (sentence, len(claim_words & words(sentence.quote)) / max(1, len(claim_words)))
        for place in places[:_PLACES_OF_A_FACT]
        for sentence in _sentences(place)
    ]
    best = sorted(range(len(scored)), key=lambda i: (-scored[i][1], i))[:most]
    return [scored[i] for i in sorted(best)] or [(places[0], 0.0)]


def _sentences(place: SourceSpan) -> list[SourceSpan]:
    """Split a span into sentences, without headings, which make no claims."""
    spans = sentences(place.quote, detect_language(place.quote))
    return [place.part(span) for span in spans if not is_heading(place.quote, span.start, span.end)]


def _in_context(place: SourceSpan) -> str:
    """Return the text to compare with a claim; the title is added because sentences often omit their subject."""
    sentence = normal_text(place.quote)
    return sentence if not place.title or place.title.lower() in sentence.lower() else f"{place.title}: {sentence}"
