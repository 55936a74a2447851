"""Judge whether sentences support a claim.

A cross-encoder judges claims in English. For other languages, or without it, sentences support a claim if they have its
numbers, most of its terms or a similar meaning, and do not negate it. Both stand in for the entailment by which ALCE
(Gao et al. 2023) judges a citation.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from polyadic.generation.cited_claims import CitedClaim
from polyadic.generation.cited_sentences import CitedSentence
from polyadic.generation.claim_negations import is_negated
from polyadic.generation.claim_quantities import contradicted
from polyadic.generation.claim_terms import ClaimTerms, claim_terms
from polyadic.model.identity import normal_text

# Sentences support a claim if their share of its terms, with this much of their similarity, is at least so large. They
# are then quoted for it if their coverage is, for which terms of a title or of a sentence before count in part.
ENOUGH, _SIMILARITY_OF_SUPPORT = 0.75, 0.5
# Two numbers of one sentence may be added or subtracted if they are at least so large: small ones make too many others.
_CALCULABLE = 100
# Sentences that the cross-encoder judges support a claim if its log-odds are at least so large. Less is enough if they
# have nearly all of its terms. More is needed if they lack one of its numbers, which may be converted or calculated.
_LIKELY, _LIKELY_IF_COVERED, _LIKELY_WITHOUT_NUMBERS = -2.6, -3.3, 0.5
_COVERED = 0.9

ContextAndText = tuple[str, str]


class SupportJudge(Protocol):
    """The part of a PairScorer that judges claims."""

    async def scores(self, first: str, seconds: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return the log-odds that texts in their contexts support a claim, as PairScorer.scores."""
        ...


@dataclass(frozen=True, slots=True)
class Support:
    """What sentences together have of a claim.

    ``has_numbers`` says whether its numbers are among theirs, ``is_contradicted`` whether they have another quantity of
    the same kind or negate it. ``share`` is that of its terms in the sentences or what surrounds them; in ``coverage``
    the latter count in part. ``log_odds`` is the judgement of the cross-encoder, if there is one.
    """

    has_numbers: bool
    is_contradicted: bool
    share: float
    coverage: float
    similarity: float
    log_odds: float | None

    @property
    def is_sufficient(self) -> bool:
        """Whether they support the claim."""
        if self.is_contradicted:
            return False
        if self.log_odds is None:
            return self.has_numbers and self._is_enough(self.share)
        if not self.has_numbers:
            return self.log_odds >= _LIKELY_WITHOUT_NUMBERS
        return self.log_odds >= (_LIKELY_IF_COVERED if self.share >= _COVERED else _LIKELY)

    @property
    def is_quotable(self) -> bool:
        """Whether they are quoted for the claim: they support it, and say enough of it themselves."""
        return self.is_sufficient and (self.log_odds is not None or self._is_enough(self.coverage))

    def _is_enough(self, share: float) -> bool:
        return share + _SIMILARITY_OF_SUPPORT * self.similarity >= ENOUGH


def support(
    claim: CitedClaim,
    terms: ClaimTerms,
    sentences: Sequence[CitedSentence],
    numbers: frozenset[str],
    language: str,
    similarities: Mapping[tuple[str, str], float],
    log_odds: float | None,
) -> Support:
    """Return how far sentences together support a claim.

    A number that is calculated from one of theirs and one of ``numbers``, those of all claims, counts as theirs.
    """
    known = frozenset(term for sentence in sentences for term in sentence.known)
    quotes = [normal_text(sentence.place.quote) for sentence in sentences]
    stated = [claim_terms(quote, language) for quote in quotes]
    operands = [frozenset(n for n in one.numbers if float(n) >= _CALCULABLE) for one in stated]
    pairs = [(terms.numbers & known, numbers), *zip(operands, operands, strict=True)]
    calculated = frozenset(n for n in terms.numbers - known if any(_is_calculated(n, *pair) for pair in pairs))
    claimed = [one for one in terms.quantities if one.number not in calculated]
    is_another = contradicted(claimed, {quantity for one in stated for quantity in one.quantities})
    similar = (similarities.get((claim.text, sentence.in_context), 0.0) for sentence in sentences)
    return Support(
        has_numbers=terms.numbers <= known | calculated,
        is_contradicted=is_another or any(is_negated(claim.text, quote, language) for quote in quotes),
        share=terms.share(known | calculated),
        coverage=terms.mean(lambda t: 1.0 if t in calculated else max(one.value(t) for one in sentences)),
        similarity=max(similar, default=0.0),
        log_odds=log_odds,
    )


def _is_calculated(number: str, stated: frozenset[str], numbers: frozenset[str]) -> bool:
    """Return whether a number is the sum or difference of a stated number and a different one.

    >>> _is_calculated("104", frozenset({"188"}), frozenset({"188", "84", "104"}))
    True
    >>> _is_calculated("1996", frozenset({"61"}), frozenset({"61", "1996", "1993", "3"}))
    False
    """
    wanted = Decimal(number)
    pairs = ((Decimal(a), Decimal(b)) for a in stated for b in numbers if b not in (a, number))
    return any(wanted in (a + b, abs(a - b)) for a, b in pairs)


async def log_odds(
    claim: str, texts: Iterable[ContextAndText], judge: SupportJudge | None
) -> dict[ContextAndText, float]:
    """Return the log-odds that each of some texts supports a claim; nothing without a judge."""
    distinct = list(dict.fromkeys(texts))
    if judge is None or not distinct:
        return {}
    return dict(zip(distinct, (await judge.scores(claim, distinct)).tolist(), strict=True))


def together(sentences: Sequence[CitedSentence]) -> ContextAndText:
    """Return some sentences as one text after the title and the heading of the first."""
    place = sentences[0].place
    context = ": ".join(filter(None, (place.title, *place.headings[-1:])))
    return context, " ".join(normal_text(sentence.place.quote) for sentence in sentences)
