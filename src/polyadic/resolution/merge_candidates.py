"""Candidate pairs for merging, ranked by score: proposed for review, or merged automatically if the score is high."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polyadic.model.identity import digest
from polyadic.model.resolution import DecisionKind, EntityResolution, ResolutionDecision
from polyadic.model.types import Entity
from polyadic.resolution.blocking import Pair, by_name, by_vector
from polyadic.resolution.features import ResolutionFeatures
from polyadic.resolution.name_similarity import NameSimilarity, SimilarityKind, compare_names
from polyadic.resolution.scoring import PairScore, PairScorer, conflicting
from polyadic.storage.protocol import Reader, Vectors

CERTAIN = 0.9
"""Minimum score for automatic merging (docs/quality.md)."""
# Minimum cosine similarity of descriptions for a proposal by vectors alone.
_MIN_COSINE = 0.75
# Minimum share of common words in two descriptions for such a proposal.
_MIN_SHARED_WORDS = 0.5
_SHOWN_DIGITS = 8


@dataclass(frozen=True, slots=True)
class CandidateEntity:
    """An entity of a candidate pair, with one of its facts as an example; empty if it has none."""

    name: str
    type: str
    description: str
    facts: int
    fact: str = ""


@dataclass(frozen=True, slots=True)
class MergeCandidate:
    """Two entities that may be the same.

    Parameters
    ----------
    id
        Identifier of the pair, stable as long as both keep their names.
    one, other
        The entities.
    score
        Approximate share of such pairs that are the same entity, in [0, 1].
    why
        Explanation for users.
    same
        Verdict of a language model; None if it was not asked or is unsure.
    reason
        Reason given by the language model.
    """

    id: str
    one: CandidateEntity
    other: CandidateEntity
    score: float
    why: str
    same: bool | None = None
    reason: str = ""


@dataclass(frozen=True)
class CandidatePairs:
    """All candidate pairs of a store, as rows of ``census``, with the current decisions.

    ``judged`` has the scores of the pairs. ``shorts`` has the row of the short form, for pairs of a short and a long
    form.
    """

    census: ResolutionFeatures
    judged: dict[Pair, PairScore]
    shorts: dict[Pair, int]
    resolution: EntityResolution

    @classmethod
    def of(cls, reader: Reader) -> "CandidatePairs":
        """Find candidate pairs; the cost grows about linearly with the number of entities."""
        census = ResolutionFeatures.of(reader)
        vectors = reader.directions("entity", census.entity_rows)
        signs = _similarities(census, vectors)
        resolution = reader.records.resolution()
        judge = PairScorer(census, signs, resolution.kept)
        pairs = np.array([pair for pair, _ in signs], dtype=np.int64).reshape(-1, 2)
        together = census.together(pairs)
        cosines = np.einsum("ij,ij->i", vectors[pairs[:, 0]], vectors[pairs[:, 1]])
        cannot_linked = {one.keys for one in resolution.decisions if one.kind is DecisionKind.CANNOT_LINK}
        judged = {}
        for (pair, sign), cooccur, cosine in zip(signs, together.tolist(), cosines.tolist(), strict=True):
            keys = tuple(sorted(census.entities[row].key for row in pair))
            if keys in cannot_linked or not census.values.isdisjoint(pair):
                continue
            if found := judge.judge(pair, sign, cooccur, cosine):
                judged[pair] = found
        shorts = {pair: pair[sign.short] for pair, sign in signs if sign.short is not None and pair in judged}
        return cls(census, judged, shorts, resolution)

    def ranked(self) -> list[Pair]:
        """Rank pairs by score, ties by entity names; pairs with an entity that is merged already come last."""
        entities = self.census.entities
        by_score = sorted(self.judged, key=lambda p: (-self.judged[p].score, entities[p[0]].key, entities[p[1]].key))
        return sorted(by_score, key=lambda pair: self.merged(pair) is not None)

    def likely(self, least: float) -> list[Pair]:
        """Return the pairs with at least this score that may be merged, the most likely first."""
        return [pair for pair in self.ranked() if self.judged[pair].score >= least and self.merged(pair) is None]

    def uncertain(self) -> list[Pair]:
        """Return the pairs below ``CERTAIN`` that may be merged, the most likely first: those for a model to judge."""
        return [pair for pair in self.ranked() if self.judged[pair].score < CERTAIN and self.merged(pair) is None]

    def merged(self, pair: Pair) -> ResolutionDecision | None:
        """Return the merge that involves either entity; it has to be undone before the pair can be merged."""
        keys = [self.census.entities[row].key for row in pair]
        return next((self._merges[key] for key in keys if key in self._merges), None)

    @cached_property
    def _merges(self) -> dict[str, ResolutionDecision]:
        """Merge decisions by entity key; no key occurs in two merges."""
        return {key: one for one in self.resolution.decisions if one.kind is DecisionKind.MERGE for key in one.touched}

    def by_id(self) -> dict[str, Pair]:
        """Return all pairs by candidate identifier."""
        return {candidate_id(*self.names(pair)): pair for pair in self.judged}

    def names(self, pair: Pair) -> tuple[str, str]:
        one, other = pair
        return self.census.entities[one].name, self.census.entities[other].name

    def candidate(self, pair: Pair) -> MergeCandidate:
        """Describe a pair for review; each entity comes with its fact of the highest score."""
        judgement, merged = self.judged[pair], self.merged(pair)
        hint = f"; but {merged.into} is merged: undo {merged.id[:_SHOWN_DIGITS]} first" if merged else ""
        one, other = sorted(pair, key=lambda row: (-self.census.entities[row].facts, self.census.entities[row].key))
        return MergeCandidate(
            candidate_id(*self.names(pair)),
            self._about(one),
            self._about(other),
            judgement.score,
            judgement.why + hint,
        )

    def certain(self) -> int:
        """Count the pairs that would be merged automatically."""
        return sum(math.comb(len(decision.names), 2) for decision in self.merges(CERTAIN))

    def merges(self, least: float, allowed: Collection[str] | None = None) -> list[ResolutionDecision]:
        """Propose merge decisions for groups in which every pair has at least this score.

        Entities of earlier merges are left out; only users extend those.

        Parameters
        ----------
        least
            Minimum score.
        allowed
            Identifiers of the candidates that may be merged; by default all.
        """
        entities = self.census.entities
        scores = {
            pair: self.judged[pair].score
            for pair in self.likely(least)
            if allowed is None or candidate_id(*self.names(pair)) in allowed
        }
        return [_merge_decision([entities[row] for row in group]) for group in groups(scores, least)]

    def _about(self, row: int) -> CandidateEntity:
        entity = self.census.entities[row]
        fact = self.census.best_fact(row)
        return CandidateEntity(entity.name, entity.type, entity.description, entity.facts, fact)


def candidate_id(one: str, other: str) -> str:
    """Return the identifier of a pair of entities with these names; users may give a prefix."""
    return digest("candidate", *sorted((one, other)))


def _similarities(census: ResolutionFeatures, vectors: Vectors) -> list[tuple[Pair, NameSimilarity]]:
    names = census.names
    found = {pair: sign for pair in by_name(names) if (sign := compare_names(names[pair[0]], names[pair[1]]))}
    for pair in census.descriptions.stated_aliases():
        found.setdefault(pair, NameSimilarity(SimilarityKind.STATED))
    described = np.array([row for row, entity in enumerate(census.entities) if entity.description], dtype=np.int64)
    alike = [(int(described[a]), int(described[b])) for a, b in by_vector(vectors[described], _MIN_COSINE)]
    together = census.together(np.array(alike, dtype=np.int64).reshape(-1, 2)).tolist()
    for pair, cooccur in zip(alike, together, strict=True):
        # Two unlike names within one sentence are two entities, unless the sentence says otherwise.
        if pair not in found and not cooccur and _are_described_as_one(census, pair):
            found[pair] = NameSimilarity(SimilarityKind.MEANING)
    return sorted(found.items())


def _are_described_as_one(census: ResolutionFeatures, pair: Pair) -> bool:
    """Return whether names and types allow two similarly described entities to match, and no third one fits.

    A document rarely uses two unlike names for one entity, so within one document the descriptions have to be equal.
    """
    one, other = (census.names[row] for row in pair)
    types = [census.entities[row].type for row in pair]
    if one.numbers != other.numbers or one.qualifier != other.qualifier or conflicting(*types):
        return False
    if one.has_digits and other.has_digits:
        return False
    return census.descriptions.single_out(*pair, 1.0 if census.share_a_document(*pair) else _MIN_SHARED_WORDS)


def _merge_decision(entities: Sequence[Entity]) -> ResolutionDecision:
    """Merge under the name with most facts, ties by length."""
    best = max(entities, key=lambda entity: (entity.facts, len(entity.name), entity.name))
    return ResolutionDecision(DecisionKind.MERGE, tuple(sorted(entity.name for entity in entities)), best.name)


def groups(scores: Mapping[Pair, float], least: float) -> list[tuple[int, ...]]:
    """Group by complete linkage, starting with the highest scores; each group is sorted and has at least two members.

    Parameters
    ----------
    scores
        Scores of pairs, the smaller index first.
    least
        Minimum score of every pair within a group.

    Examples
    --------
    >>> chain = {(0, 1): 0.99, (1, 2): 0.95}
    >>> groups(chain, 0.9), groups(chain | {(0, 2): 0.92}, 0.9)
    ([(0, 1)], [(0, 1, 2)])
    """
    group_of: dict[int, frozenset[int]] = defaultdict(frozenset)
    for pair in _best_first(scores, least):
        one, other = (group_of[row] or frozenset((row,)) for row in pair)
        if one is other:
            continue
        new_pairs = [(min(a, b), max(a, b)) for a in one for b in other]
        if all(scores.get(each, 0.0) >= least for each in new_pairs):
            for row in one | other:
                group_of[row] = one | other
    return sorted({tuple(sorted(group)) for group in group_of.values() if len(group) > 1})


def _best_first(scores: Mapping[Pair, float], least: float) -> Iterable[Pair]:
    ordered = [(-score, pair) for pair, score in scores.items() if score >= least]
    return [pair for _, pair in sorted(ordered)]
