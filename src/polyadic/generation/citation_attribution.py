"""Attribute each claim of an answer to the sentences of its cited items that support it.

The sentence that shares most terms with a claim is cited. Numbers and names count more than other words, and terms
that few sentences of the item have count more than common ones. Similarity by meaning decides between sentences that
share about as many.

If the sentences do not support a claim, or have too little of it themselves, none is quoted: its markers cite their
items as a whole.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from polyadic.generation.cited_claims import CitedClaim, Marker, cited_claims
from polyadic.generation.cited_sentences import CitedItem, CitedSentence
from polyadic.generation.claim_support import ENOUGH, ContextAndText, SupportJudge, log_odds, support, together
from polyadic.generation.claim_terms import ClaimTerms, claim_terms
from polyadic.generation.context import ContextPiece
from polyadic.model.types import Citation, Claim
from polyadic.text.language import detect_language

# How much a term counts that is not in the clause, but in the rest of its sentence, or in the sentence before.
_OF_THE_SENTENCE, _OF_THE_SENTENCE_BEFORE = 0.3, 0.1
# All these terms together count at most so much beside those of the clause: a clause may have two words, its sentence
# the names of ten others.
_AROUND = 0.3
# If the second-best sentence shares at most so much less than the best, the first few of the marker are compared by
# vector: so many a marker, and pairs in an answer.
_TIE, _COMPARED, _COMPARED_TOGETHER = 0.25, 4, 64
# So are the first ones if the best has less than this share of the claim's terms.
_FEW = 0.5
# The cross-encoder reads this language, and judges so many claims of an answer; words decide about any others.
_JUDGED_LANGUAGE, _MOST_JUDGED = "en", 100
# How much similarity (cosine) and log-odds count beside the share of terms, in [0, 1].
_SIMILARITY, _LOG_ODDS = 0.4, 0.1
# A further sentence is cited if it has a number of the claim that the sentences before it lack, or if such numbers and
# names are at least this share of the claim's terms; a marker cites at most so many in all.
_ADDS, _MOST_SENTENCES = 0.1, 3
# A further sentence has at least so many terms of the claim, and this share: a number or a name may stand in any.
_SHARED, _SHARED_PART = 2, 0.2

# The sentences of a marker are left out if those of the other markers of a claim support it by this much more
# (log-odds), and lack at most this share of its terms.
_LESS_LIKELY, _NEW_PART = 1.0, 0.05


class TextEmbedder(Protocol):
    """The part of an Embedder that attribution uses."""

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, as Embedder.embed."""
        ...


@dataclass(frozen=True, slots=True)
class Attribution:
    """The claims of an answer and its citations: for each marker the sentences that it cites, in order."""

    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()


@dataclass(slots=True)
class _Ranking:
    """Sentences that a marker of a claim may cite, with the share of its terms that each has, best first."""

    claim: CitedClaim
    terms: ClaimTerms
    marker: Marker
    piece: ContextPiece
    shares: list[tuple[CitedSentence, float]]

    @property
    def compared(self) -> int:
        """How many sentences to compare by vector: the first ones if words do not decide, the best one to judge it."""
        best, share = self.shares[0]
        is_tie = any(share - other < _TIE for _, other in self.shares[1:2])
        if is_tie or self.terms.share(best.terms) < _FEW:
            return _COMPARED
        return 1 if self.terms.mean(best.value) < ENOUGH else 0

    def compare(self, similarities: Mapping[tuple[str, str], float], odds: Mapping[ContextAndText, float]) -> None:
        """Rank the first sentences again with their similarity and the log-odds that they support the claim."""

        def value(pair: tuple[CitedSentence, float]) -> float:
            sentence, share = pair
            similarity = similarities.get((self.claim.text, sentence.in_context), 0.0)
            return share + _SIMILARITY * similarity + _LOG_ODDS * odds.get(together([sentence]), 0.0)

        self.shares[:_COMPARED] = sorted(self.shares[:_COMPARED], key=value, reverse=True)

    @property
    def whole_item(self) -> Citation:
        """The span of the item that has the best sentence, as a citation that quotes none of its sentences."""
        best, share = self.shares[0]
        place = next(place for place in self.piece.places if place.contains(best.place))
        return Citation(self.marker.number, place, share, self.marker.span, whole_item=True)


async def attribute(
    text: str, cited: Sequence[ContextPiece], embedder: TextEmbedder, judge: SupportJudge | None = None
) -> Attribution:
    """Return the claims of an answer, each with the sentences that its markers cite.

    Parameters
    ----------
    text
        The answer, with markers from ``[1]``.
    cited
        For each marker in turn, the piece of the context that it cites; each has at least one span.
    embedder
        Compares a claim with sentences if words do not decide.
    judge
        Judges claims in English, if there is one.

    Returns
    -------
    Attribution
        Each marker of each claim cites at least one sentence, or its item as a whole if its sentences do not support
        the claim, or have too little of it themselves.
    """
    language = detect_language(text)
    judge = judge if language == _JUDGED_LANGUAGE else None
    claims = cited_claims(text, len(cited), language)
    pieces = {marker.number: cited[marker.number - 1] for claim in claims for marker in claim.markers}
    items = {number: CitedItem.of(piece, language) for number, piece in pieces.items()}
    rankings = [
        [_ranking(claim, marker, pieces[marker.number], items[marker.number], language) for marker in claim.markers]
        for claim in claims
    ]
    similarities = await _similarities([ranking for group in rankings for ranking in group], embedder)
    numbers = frozenset(number for group in rankings for number in group[0].terms.numbers)
    checked: list[Claim] = []
    citations: list[Citation] = []
    for place, (claim, group) in enumerate(zip(claims, rankings, strict=True)):
        if place == _MOST_JUDGED:
            judge = None
        compared = [sentence for ranking in group for sentence, _ in ranking.shares[:_COMPARED]]
        odds = await log_odds(claim.text, (together([sentence]) for sentence in compared), judge)
        chosen = _chosen(group, similarities, odds)
        sentences = [sentence for pairs in chosen for sentence, _ in pairs]
        if (whole := together(sentences)) not in odds:
            odds |= await log_odds(claim.text, [whole], judge)
        likeliest = max(odds.values(), default=None)
        found = support(claim, group[0].terms, sentences, numbers, language, similarities, likeliest)
        first = len(citations)
        if found.is_quotable:
            for ranking, pairs in zip(group, chosen, strict=True):
                others = [sentence for other in chosen if other is not pairs for sentence, _ in other]
                if _adds_nothing([sentence for sentence, _ in pairs], others, ranking.terms, odds):
                    citations.append(ranking.whole_item)
                else:
                    citations += [
                        Citation(ranking.marker.number, sentence.place, share, ranking.marker.span)
                        for sentence, share in pairs
                    ]
        else:
            citations += [ranking.whole_item for ranking in group]
        checked.append(Claim(claim.span, found.is_sufficient, tuple(range(first, len(citations)))))
    return Attribution(tuple(checked), tuple(citations))


def _ranking(claim: CitedClaim, marker: Marker, piece: ContextPiece, item: CitedItem, language: str) -> _Ranking:
    terms = claim_terms(claim.text, language)
    pairs = zip(item.sentences, item.shares(_weights(claim, terms, language)), strict=True)
    return _Ranking(claim, terms, marker, piece, sorted(pairs, key=lambda pair: -pair[1]))


def _weights(claim: CitedClaim, terms: ClaimTerms, language: str) -> dict[str, float]:
    """Return the terms by which sentences are ranked: those of the clause, and less those around it."""
    around = _scaled(claim.before, _OF_THE_SENTENCE_BEFORE, language)
    around |= _scaled(claim.sentence, _OF_THE_SENTENCE, language)
    around = {term: weight for term, weight in around.items() if term not in terms.weights}
    own, total = sum(terms.weights.values()), sum(around.values())
    factor = min(1.0, _AROUND * own / total) if own and total else 1.0
    return {term: factor * weight for term, weight in around.items()} | dict(terms.weights)


def _scaled(text: str, factor: float, language: str) -> dict[str, float]:
    return {term: factor * weight for term, weight in claim_terms(text, language).weights.items()}


async def _similarities(rankings: Sequence[_Ranking], embedder: TextEmbedder) -> dict[tuple[str, str], float]:
    """Return the cosine of claims and sentences, by their texts, where words do not decide."""
    pairs = list(dict.fromkeys(_pairs(rankings)))[:_COMPARED_TOGETHER]
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    if not texts:
        return {}
    vectors = dict(zip(texts, await embedder.embed(texts), strict=True))
    return {(claim, sentence): float(vectors[claim] @ vectors[sentence]) for claim, sentence in pairs}


def _pairs(rankings: Sequence[_Ranking]) -> Iterator[tuple[str, str]]:
    """Yield the texts to compare: the best sentence of each claim, then the second of each, and so on."""
    compared = [(ranking, ranking.compared) for ranking in rankings]
    for place in range(_COMPARED):
        for ranking, number in compared:
            for sentence, _ in ranking.shares[place : min(place + 1, number)]:
                yield ranking.claim.text, sentence.in_context


def _chosen(
    group: Sequence[_Ranking],
    similarities: Mapping[tuple[str, str], float],
    odds: Mapping[ContextAndText, float],
) -> list[list[tuple[CitedSentence, float]]]:
    """Return the best sentence for each marker, and further ones with numbers or names that all of these lack."""
    for ranking in group:
        ranking.compare(similarities, odds)
    known = frozenset(term for ranking in group for term in ranking.shares[0][0].known)
    chosen = []
    for ranking in group:
        pairs, rest = ranking.shares[:1], ranking.shares[1:]
        while rest and len(pairs) < _MOST_SENTENCES:
            gains = [_gain(sentence, ranking.terms, known) for sentence, _ in rest]
            best = max(range(len(rest)), key=lambda i: gains[i])
            if gains[best] < _ADDS:
                break
            known |= rest[best][0].terms
            pairs.append(rest.pop(best))
        chosen.append(sorted(pairs, key=lambda pair: pair[0].place.span))
    return chosen


def _adds_nothing(
    sentences: Sequence[CitedSentence],
    others: Sequence[CitedSentence],
    terms: ClaimTerms,
    odds: Mapping[ContextAndText, float],
) -> bool:
    """Return whether the sentences of a marker have no terms of a claim that those of other markers lack, and are less
    likely to support it.
    """
    if not others or not odds:
        return False
    own, theirs = (max(odds.get(together([one]), -math.inf) for one in group) for group in (sentences, others))
    added = frozenset(t for one in sentences for t in one.terms) - frozenset(t for one in others for t in one.terms)
    return own < theirs - _LESS_LIKELY and terms.share(added) < _NEW_PART


def _gain(sentence: CitedSentence, terms: ClaimTerms, known: frozenset[str]) -> float:
    """Return the share of a claim's terms that a sentence adds; 0 if it has a number or a name of it by chance."""
    shared = sentence.terms & terms.whole
    if len(shared) < _SHARED or terms.share(sentence.terms) < _SHARED_PART or _is_about_others(sentence, terms):
        return 0.0
    added = (terms.specific & sentence.terms) - known
    return max(terms.share(added), _ADDS if added & terms.numbers else 0.0)


def _is_about_others(sentence: CitedSentence, terms: ClaimTerms) -> bool:
    """Return whether a sentence names things, but none that a claim names: its numbers are those of others."""
    _, _, rest = sentence.place.quote.strip().partition(" ")
    named = claim_terms(rest, detect_language(rest))
    names, own = terms.specific - terms.numbers, named.specific - named.numbers
    return bool(names and own) and names.isdisjoint(own | sentence.terms)
