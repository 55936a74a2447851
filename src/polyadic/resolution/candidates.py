"""Pairs of entities that may be one, the likeliest first: proposed to people, and merged only where they are sure."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polyadic.model.identity import digest
from polyadic.model.resolution import DecisionKind, EntityResolution, ResolutionDecision
from polyadic.model.types import Entity
from polyadic.resolution.blocking import Pair, by_name, by_vector
from polyadic.resolution.features import ResolutionFeatures
from polyadic.resolution.grouping import groups
from polyadic.resolution.name_similarity import NameSimilarity, SimilarityKind, compare_names
from polyadic.resolution.scoring import PairScore, PairScorer, conflicting
from polyadic.storage.protocol import Reader, Vectors

SURE = 0.9
"""From this score on, pairs are merged without being looked at where somebody asks for it (docs/quality.md)."""
# Under this cosine, what is said of two entities is not alike enough for a proposal by vectors alone.
_ALIKE = 0.75
_SHOWN_DIGITS = 8


@dataclass(frozen=True, slots=True)
class CandidateEntity:
    """An entity of a pair, with one of its facts to tell it by; the fact is empty until somebody looks."""

    name: str
    type: str
    description: str
    facts: int
    fact: str = ""


@dataclass(frozen=True, slots=True)
class MergeCandidate:
    """Two entities that may be one; ``id`` names the pair, the same as long as both have their names.

    ``score`` in [0, 1] is about the share of such pairs that are one; ``why`` is for people. ``same`` is what a
    language model says, None where it was not asked or is unsure, and ``said`` its reason.
    """

    id: str
    one: CandidateEntity
    other: CandidateEntity
    score: float
    why: str
    same: bool | None = None
    said: str = ""


@dataclass(frozen=True)
class CandidatePairs:
    """All pairs worth a look among the entities of a store, by rows of a census, with what was decided before.

    ``shorts`` has the row of the short form of a pair, where one of both is short for the other.
    """

    census: ResolutionFeatures
    judged: dict[Pair, PairScore]
    shorts: dict[Pair, int]
    overlay: EntityResolution

    @classmethod
    def of(cls, reader: Reader) -> "CandidatePairs":
        """Look for pairs; the work grows about as the number of entities does."""
        census = ResolutionFeatures.of(reader)
        vectors = reader.directions(np.arange(len(census.entities)))
        signs = _signs(census, vectors)
        judge = PairScorer(census, signs)
        pairs = np.array([pair for pair, _ in signs], dtype=np.int64).reshape(-1, 2)
        together = census.together(pairs)
        cosines = np.einsum("ij,ij->i", vectors[pairs[:, 0]], vectors[pairs[:, 1]])
        overlay = reader.overlay()
        apart = {one.keys for one in overlay.decisions if one.kind is DecisionKind.APART}
        judged = {}
        for (pair, sign), met, cosine in zip(signs, together.tolist(), cosines.tolist(), strict=True):
            keys = tuple(sorted(census.entities[row].key for row in pair))
            if keys not in apart and (found := judge.judge(pair, sign, met, cosine)):
                judged[pair] = found
        shorts = {pair: pair[sign.short] for pair, sign in signs if sign.short is not None and pair in judged}
        return cls(census, judged, shorts, overlay)

    def ranked(self) -> list[Pair]:
        """The likeliest first, ties by the names of the entities; those of which one is merged already come last."""
        entities = self.census.entities
        by_score = sorted(self.judged, key=lambda p: (-self.judged[p].score, entities[p[0]].key, entities[p[1]].key))
        return sorted(by_score, key=lambda pair: self.merged(pair) is not None)

    def likely(self, least: float) -> list[Pair]:
        """The pairs of this score at least that may be merged, the likeliest first."""
        return [pair for pair in self.ranked() if self.judged[pair].score >= least and self.merged(pair) is None]

    def merged(self, pair: Pair) -> ResolutionDecision | None:
        """The merge that one of both takes part in, which has to be undone before these two can be merged."""
        keys = [self.census.entities[row].key for row in pair]
        return next((self._merges[key] for key in keys if key in self._merges), None)

    @cached_property
    def _merges(self) -> dict[str, ResolutionDecision]:
        """By the keys that they touch, of which no two have one in common."""
        return {key: one for one in self.overlay.decisions if one.kind is DecisionKind.MERGE for key in one.touched}

    def by_id(self) -> dict[str, Pair]:
        """All pairs by the identifier of their candidates."""
        return {candidate_id(*self.names(pair)): pair for pair in self.judged}

    def names(self, pair: Pair) -> tuple[str, str]:
        one, other = pair
        return self.census.entities[one].name, self.census.entities[other].name

    def candidate(self, pair: Pair) -> MergeCandidate:
        """A pair as it is shown, each of both with its fact of the highest score."""
        judgement, merged = self.judged[pair], self.merged(pair)
        first = f"; but {merged.into} is merged: undo {merged.id[:_SHOWN_DIGITS]} first" if merged else ""
        one, other = sorted(pair, key=lambda row: (-self.census.entities[row].facts, self.census.entities[row].key))
        return MergeCandidate(
            candidate_id(*self.names(pair)),
            self._about(one),
            self._about(other),
            judgement.score,
            judgement.why + first,
        )

    def sure(self) -> int:
        """How many pairs would be merged by themselves."""
        return sum(math.comb(len(decision.names), 2) for decision in self.merges(SURE))

    def merges(self, least: float, allowed: Collection[str] | None = None) -> list[ResolutionDecision]:
        """Decisions to merge whatever is sure: every two of a group have this score at least.

        Who takes part in a merge that was decided before is left as it is: that is for people to extend.

        Parameters
        ----------
        least
            The smallest score.
        allowed
            Identifiers of the candidates that may be merged; all if left out.
        """
        entities = self.census.entities
        scores = {
            pair: self.judged[pair].score
            for pair in self.likely(least)
            if allowed is None or candidate_id(*self.names(pair)) in allowed
        }
        return [_merge([entities[row] for row in group]) for group in groups(scores, least)]

    def _about(self, row: int) -> CandidateEntity:
        entity = self.census.entities[row]
        facts = self.census.facts_of(row)
        reader = self.census.reader
        best = facts[np.argsort(-reader.scores("fact", facts), kind="stable")[:1]]
        text = next((fact.text for fact in reader.facts(best)), "")
        return CandidateEntity(entity.name, entity.type, entity.description, entity.facts, text)


def candidate_id(one: str, other: str) -> str:
    """What identifies a pair of entities with these names; people say its beginning."""
    return digest("candidate", *sorted((one, other)))


def _signs(census: ResolutionFeatures, vectors: Vectors) -> list[tuple[Pair, NameSimilarity]]:
    names = census.names
    found = {pair: sign for pair in by_name(names) if (sign := compare_names(names[pair[0]], names[pair[1]]))}
    described = np.array([row for row, entity in enumerate(census.entities) if entity.description], dtype=np.int64)
    for place, other in by_vector(vectors[described], _ALIKE) if len(described) else ():
        pair = (int(described[place]), int(described[other]))
        if pair not in found and _comparable(census, pair):
            found[pair] = NameSimilarity(SimilarityKind.MEANING)
    return sorted(found.items())


def _comparable(census: ResolutionFeatures, pair: Pair) -> bool:
    """Whether nothing in names or types speaks against two entities that are alike in what is said of them."""
    one, other = (census.names[row] for row in pair)
    types = [census.entities[row].type for row in pair]
    times = one.is_time_or_number or other.is_time_or_number
    return one.numbers == other.numbers and one.qualifier == other.qualifier and not times and not conflicting(*types)


def _merge(entities: Sequence[Entity]) -> ResolutionDecision:
    """One of the name that most facts have; of as many, the longest, which tells most."""
    best = max(entities, key=lambda entity: (entity.facts, len(entity.name), entity.name))
    return ResolutionDecision(DecisionKind.MERGE, tuple(sorted(entity.name for entity in entities)), best.name)
