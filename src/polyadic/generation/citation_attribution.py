"""From what an answer cites to the sentence there that bears it out."""

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

# Of a longer passage, the sentences that share most words with the claim are compared by meaning; fewer of each where
# much is cited, so that checking an answer stays cheap.
_COMPARED, _FEWEST_COMPARED, _COMPARED_TOGETHER = 12, 3, 240
# A fact may rest on many places; the first ones are looked at.
_PLACES_OF_A_FACT = 4
_MARKER = re.compile(r"\[(\d{1,4})\]")
_MARKERS_AFTER_THE_END = re.compile(r"([.!?。！？｡]+[\"”’»」』）)]*)([ \t]*(?:\[\d{1,4}\])+)")


async def narrow_citations(
    text: str, cited: Sequence[Sequence[SourceSpan]], embedder: Embedder
) -> list[tuple[SourceSpan, float]]:
    """For each marker of an answer the sentence that bears out what the answer says there, and how alike (cosine).

    Parameters
    ----------
    text
        The answer, with markers from ``[1]``.
    cited
        For each marker in turn the places that it may point at.
    embedder
        Compares sentences by meaning; words in common count as much, as an embedder may know little of a language.
    """
    if not cited:
        return []
    claims = claims_of(text, len(cited))
    most = max(_FEWEST_COMPARED, min(_COMPARED, _COMPARED_TOGETHER // len(cited)))
    candidates = [_candidates(places, claim, most) for places, claim in zip(cited, claims, strict=True)]
    texts = [*claims, *(_in_context(place) for found in candidates for place, _ in found)]
    vectors = await embedder.embed(texts)
    narrow = []
    first = len(claims)
    for claim, found in enumerate(candidates):
        cosines = (vectors[first : first + len(found)] @ vectors[claim]).tolist()
        best = max(range(len(found)), key=lambda i: cosines[i] + found[i][1])
        narrow.append((found[best][0], float(cosines[best])))
        first += len(found)
    return narrow


def claims_of(text: str, markers: int) -> list[str]:
    """What an answer says where it puts each marker: the sentences that carry it, without markers.

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
    """The sentences that may bear a claim out, each with the share of the claim's words that it has; at least one."""
    asked = words(claim) - function_words(detect_language(claim))
    found = [
        (sentence, len(asked & words(sentence.quote)) / max(1, len(asked)))
        for place in places[:_PLACES_OF_A_FACT]
        for sentence in _sentences(place)
    ]
    best = sorted(range(len(found)), key=lambda i: (-found[i][1], i))[:most]
    return [found[i] for i in sorted(best)] or [(places[0], 0.0)]


def _sentences(place: SourceSpan) -> list[SourceSpan]:
    """The sentences of a place, each as a place of its own; headings claim nothing."""
    spans = sentences(place.quote, detect_language(place.quote))
    return [place.part(span) for span in spans if not is_heading(place.quote, span.start, span.end)]


def _in_context(place: SourceSpan) -> str:
    """What is compared with a claim: a sentence often leaves out what the title says it is about."""
    sentence = normal_text(place.quote)
    return sentence if not place.title or place.title.lower() in sentence.lower() else f"{place.title}: {sentence}"
