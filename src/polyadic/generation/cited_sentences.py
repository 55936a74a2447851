"""The sentences that a citation marker may point to, with the terms that they share with claims."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from polyadic.generation.claim_terms import contains, text_terms
from polyadic.generation.context import ContextPiece
from polyadic.model.identity import normal_text
from polyadic.model.types import ItemKind, SourceSpan
from polyadic.text.headings import is_heading
from polyadic.text.language import detect_language
from polyadic.text.sentences import sentences

# A fact that many documents state has many evidence spans; only the first ones are read.
_MOST_PLACES = 24
# How much a term counts that is not in a sentence, but in its title or headings, or in the sentence before.
_OF_THE_SUBJECT, _OF_THE_SENTENCE_BEFORE = 0.8, 0.5


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of a cited item.

    ``terms`` are its own, ``subject`` those of its title and its headings, ``before`` those of the sentence before.
    """

    place: SourceSpan
    terms: frozenset[str]
    subject: frozenset[str]
    before: frozenset[str]

    @property
    def known(self) -> frozenset[str]:
        """All these terms."""
        return self.terms | self.subject | self.before

    def value(self, term: str) -> float:
        """Return how much a term counts, in [0, 1].

        A sentence need not repeat what its title or heading says. But all sentences of a section have these terms, so
        one that has a term itself is better.
        """
        if contains(self.terms, term):
            return 1.0
        if term in self.subject:
            return _OF_THE_SUBJECT
        return _OF_THE_SENTENCE_BEFORE if term in self.before else 0.0

    @property
    def in_context(self) -> str:
        """Its text after its title, because sentences often omit their subject."""
        sentence, title = normal_text(self.place.quote), self.place.title
        return sentence if not title or title.lower() in sentence.lower() else f"{title}: {sentence}"


@dataclass(frozen=True, slots=True)
class CitedItem:
    """The sentences of an item, at least one, and how many have each term."""

    sentences: tuple[CitedSentence, ...]
    holding: Counter[str]

    @classmethod
    def of(cls, piece: ContextPiece, language: str) -> "CitedItem":
        """Read the sentences of a piece; ``language`` is that of the claims, whose terms are compared with theirs.

        The text of a fact names what its sentence may leave to a pronoun, so it counts like a title.
        """
        stated = text_terms(piece.item.text, language) if piece.item.kind is ItemKind.FACT else frozenset[str]()
        places = piece.places[:_MOST_PLACES]
        found = [one for place in places for one in _sentences(place, stated, language)]
        distinct = {(one.place.document_id, one.place.span): one for one in found or [_whole(places[0], language)]}
        return cls(tuple(distinct.values()), Counter(term for one in distinct.values() for term in one.terms))

    def shares(self, weights: Mapping[str, float]) -> list[float]:
        """Return for each sentence the weighted share of some terms, in [0, 1]; rare ones weigh more.

        A term of the sentence before counts in part.
        """
        number = len(self.sentences)
        rare = {term: weight * math.log1p(number / max(1, self.holding[term])) for term, weight in weights.items()}
        total = sum(rare.values()) or 1.0
        return [sum(weight * one.value(term) for term, weight in rare.items()) / total for one in self.sentences]


def _sentences(place: SourceSpan, stated: frozenset[str], language: str) -> Iterator[CitedSentence]:
    """Split a span into sentences, without headings, which make no claims."""
    above = stated | text_terms(" ".join((place.title, *place.headings)), language)
    before: frozenset[str] = frozenset()
    for span in sentences(place.quote, detect_language(place.quote)):
        terms = text_terms(place.quote[span.start : span.end], language)
        if is_heading(place.quote, span.start, span.end):
            above, before = above | terms, frozenset()
        else:
            yield CitedSentence(place.part(span), terms, above, before)
            before = terms


def _whole(place: SourceSpan, language: str) -> CitedSentence:
    return CitedSentence(place, text_terms(place.quote, language), text_terms(place.title, language), frozenset())
