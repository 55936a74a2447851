"""Aggregate evidence into facts and entities, with their scores.

Facts and entities are a pure, order-independent function of the evidence and the resolution decisions. Evidence is
counted into tallies of integers, which add and subtract exactly, so deleting a document leaves no trace. The score of a
fact is the mean score of its evidence; the score of an entity is the mean over its participations in facts. Both stay
in the ranges of the papers, (0, 10] and (0, 100].
"""

import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from polyadic.model import identity
from polyadic.model.resolution import NO_DECISIONS, EntityResolution
from polyadic.model.types import Evidence

# Scores are summed as integer hundredths, because a sum of floats depends on the order.
SCORE_UNIT = 100
# An entity is embedded once for each of its best supported forms, up to this number.
FORMS_EMBEDDED = 8

_Counted = TypeVar("_Counted")


class Attribute(StrEnum):
    """Attribute of an entity that evidence may give in several versions; the best supported version is shown."""

    NAME = "name"
    TYPE = "type"
    DESCRIPTION = "description"
    FORM = "form"  # name and description together: what is embedded

    # Enum.__hash__ is Python code and would be called for every version counted.
    __hash__ = str.__hash__


@dataclass(slots=True)
class FactTally:
    """Counts of one fact.

    Parameters
    ----------
    text
        The text, normalized.
    arity
        Number of names that the fact connects.
    evidence
        Number of pieces of evidence.
    score
        Sum of the evidence's scores, in hundredths.
    participants
        Pieces of evidence by key of the entity that one of the names resolves to. Each count equals ``evidence``
        unless a name was split.
    """

    text: str
    arity: int
    evidence: int = 0
    score: int = 0
    participants: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class EntityTally:
    """Counts of one entity.

    Parameters
    ----------
    evidence
        Number of participations.
    score
        Sum of their scores, in hundredths.
    chunks
        Number of chunks that contain them.
    value_counts
        Number of participations by attribute and version.
    """

    evidence: int = 0
    score: int = 0
    chunks: int = 0
    value_counts: Counter[tuple[Attribute, str]] = field(default_factory=Counter)

    def ranked(self, attribute: Attribute) -> list[str]:
        """Return the values of an attribute, best supported first."""
        counts = [(-count, value) for (of, value), count in self.value_counts.items() if of is attribute]
        return [value for _, value in sorted(counts)]


@dataclass(frozen=True, slots=True)
class Tallies:
    """Counts of a set of evidence, or the difference of two such counts: facts by id, entities by key."""

    facts: dict[str, FactTally]
    entities: dict[str, EntityTally]


def mean_score(total: int, evidence: int) -> float:
    """Compute the mean score from a sum in hundredths.

    >>> mean_score(total=1750, evidence=2)
    8.75
    """
    return total / (evidence * SCORE_UNIT)


def form(name: str, description: str) -> str:
    """Return the text that is embedded for an entity with this name and description.

    >>> form("Ada Lovelace", "English mathematician"), form("Ada Lovelace", "")
    ('Ada Lovelace: English mathematician', 'Ada Lovelace')
    """
    return f"{name}: {description}" if description else name


def tally(chunks: Iterable[tuple[str, Sequence[Evidence]]], resolution: EntityResolution = NO_DECISIONS) -> Tallies:
    """Count the evidence of complete chunks; evidence that makes no fact is ignored.

    Parameters
    ----------
    chunks
        Pairs of document identifier and the evidence of one chunk.
    resolution
        Resolution decisions, which map names to entities.

    Examples
    --------
    >>> from polyadic.model.types import Participation
    >>> evidence = Evidence("Ada met Babbage.", 8.0, (Participation("Ada"), Participation("Babbage")), (), "by hand")
    >>> counts = tally([("d1", [evidence]), ("d2", [evidence])])
    >>> [(fact.text, fact.evidence) for fact in counts.facts.values()], counts.entities["ada"].chunks
    ([('Ada met Babbage.', 2)], 2)
    """
    counts = Tallies({}, {})
    for document_id, chunk in chunks:
        named = set()
        for evidence in chunk:
            fact_id = evidence.fact_id
            if fact_id is not None:
                resolved = {key: resolution.key(key, document_id) for key in evidence.keys}
                named.update(_count(counts, fact_id, evidence, resolved))
        for key in named:
            counts.entities[key].chunks += 1
    return counts


def tally_difference(new: Tallies, old: Tallies) -> Tallies:
    """Compute what must be added to ``old`` to get ``new``; entries without change are omitted.

    >>> same = tally([])
    >>> tally_difference(same, same)
    Tallies(facts={}, entities={})
    """
    if not old.facts and not old.entities:
        return new
    facts = {i: FactTally(f.text, f.arity, f.evidence, f.score, Counter(f.participants)) for i, f in new.facts.items()}
    for fact_id, removed_fact in old.facts.items():
        fact = facts.setdefault(fact_id, FactTally(removed_fact.text, removed_fact.arity))
        fact.evidence -= removed_fact.evidence
        fact.score -= removed_fact.score
        _subtract(fact.participants, removed_fact.participants)
    entities = {k: EntityTally(e.evidence, e.score, e.chunks, Counter(e.value_counts)) for k, e in new.entities.items()}
    for key, removed_entity in old.entities.items():
        entity = entities.setdefault(key, EntityTally())
        entity.evidence -= removed_entity.evidence
        entity.score -= removed_entity.score
        entity.chunks -= removed_entity.chunks
        _subtract(entity.value_counts, removed_entity.value_counts)
    return Tallies(
        {i: f for i, f in facts.items() if f.evidence or f.score or any(f.participants.values())},
        {k: e for k, e in entities.items() if e.evidence or e.score or e.chunks or any(e.value_counts.values())},
    )


def _subtract(counts: Counter[_Counted], removed: Mapping[_Counted, int]) -> None:
    """Subtract counts; ``Counter.subtract`` takes several times as long for the few values of an entity."""
    for one, times in removed.items():
        counts[one] = counts.get(one, 0) - times


def _count(counts: Tallies, fact_id: str, evidence: Evidence, resolved: Mapping[str, str]) -> set[str]:
    """Count one piece of evidence; ``resolved`` maps each of its keys to an entity. Return these entities."""
    fact = counts.facts.get(fact_id)
    if fact is None:
        fact = counts.facts[fact_id] = FactTally(identity.normal_text(evidence.text), len(resolved))
    fact.evidence += 1
    fact.score += round(evidence.score * SCORE_UNIT)
    named = set(resolved.values())
    fact.participants.update(named)
    for participant in evidence.participants:
        key = resolved.get(participant.key)
        if key is None:  # a name that consists of quotes only
            continue
        entity = counts.entities.get(key)
        if entity is None:
            entity = counts.entities[key] = EntityTally()
        entity.evidence += 1
        entity.score += round(participant.score * SCORE_UNIT)
        counter = entity.value_counts
        for version in _versions(participant.name, participant.type, participant.description):
            counter[version] = counter.get(version, 0) + 1
    return named


# A model repeats the same description of an entity from fact to fact.
@functools.lru_cache(maxsize=4_096)
def _versions(name: str, kind: str, description: str) -> tuple[tuple[Attribute, str], ...]:
    """Attribute versions that a participation gives for its entity."""
    versions = [(Attribute.NAME, name), (Attribute.FORM, form(name, description))]
    if kind:
        versions.append((Attribute.TYPE, kind))
    if description:
        versions.append((Attribute.DESCRIPTION, description))
    return tuple(versions)
