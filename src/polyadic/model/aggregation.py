"""Facts and entities as a pure, order-independent function of the evidence present and the decisions that hold.

*This is where scores come from.* Evidence is counted into tallies: integers that add and subtract exactly, so
what is withdrawn leaves no trace. A fact's score is the mean of the scores its evidence gave it, an entity's the
mean over the evidence that makes a fact and names it; both stay in the papers' ranges, (0, 10] and (0, 100].
"""

import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from polyadic.model import identity
from polyadic.model.resolution import NO_OVERLAY, EntityResolution
from polyadic.model.types import Evidence

# Scores are summed as integers of hundredths: sums of floats would depend on their order.
SCORE_UNIT = 100
# An entity is embedded once for each of its best supported forms, at most so many.
FORMS_EMBEDDED = 8


class Attribute(StrEnum):
    """What evidence may say of an entity in several versions, of which the best supported is shown."""

    NAME = "name"
    TYPE = "type"
    DESCRIPTION = "description"
    FORM = "form"  # name and description together: what is embedded

    # That of enumerations is Python code, and is called for every version that is counted.
    __hash__ = str.__hash__


@dataclass(slots=True)
class FactTally:
    """``evidence`` counts what states the fact, ``score`` sums its scores in hundredths.

    ``arity`` is how many names the fact connects. ``participants`` counts for each entity, by key, how much of the
    evidence means it by one of these names: all of it, unless a name was split.
    """

    text: str
    arity: int
    evidence: int = 0
    score: int = 0
    participants: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class EntityTally:
    """``evidence`` counts participations, ``chunks`` the chunks they are in, ``said`` every version of an attribute."""

    evidence: int = 0
    score: int = 0
    chunks: int = 0
    said: Counter[tuple[Attribute, str]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Tallies:
    """Counts of some evidence, or the difference of two such counts: facts by id, entities by key."""

    facts: dict[str, FactTally]
    entities: dict[str, EntityTally]


def mean_score(total: int, evidence: int) -> float:
    """The aggregated score: the mean, from a sum in hundredths.

    >>> mean_score(total=1750, evidence=2)
    8.75
    """
    return total / (evidence * SCORE_UNIT)


def form(name: str, description: str) -> str:
    """The text that is embedded for an entity with this name and description.

    >>> form("Ada Lovelace", "English mathematician"), form("Ada Lovelace", "")
    ('Ada Lovelace: English mathematician', 'Ada Lovelace')
    """
    return f"{name}: {description}" if description else name


def tally(chunks: Iterable[tuple[str, Sequence[Evidence]]], overlay: EntityResolution = NO_OVERLAY) -> Tallies:
    """Count the evidence of whole chunks; evidence that makes no fact counts for nothing here.

    Parameters
    ----------
    chunks
        For each the identifier of its document, and its evidence.
    overlay
        Which entity is meant by a name.

    Examples
    --------
    >>> from polyadic.model.types import Participation
    >>> said = Evidence("Ada met Babbage.", 8.0, (Participation("Ada"), Participation("Babbage")), (), "by hand")
    >>> counts = tally([("d1", [said]), ("d2", [said])])
    >>> [(fact.text, fact.evidence) for fact in counts.facts.values()], counts.entities["ada"].chunks
    ([('Ada met Babbage.', 2)], 2)
    """
    counts = Tallies({}, {})
    for document_id, chunk in chunks:
        named = set()
        for evidence in chunk:
            fact_id = evidence.fact_id
            if fact_id is not None:
                meant = {key: overlay.key(key, document_id) for key in evidence.keys}
                named.update(_count(counts, fact_id, evidence, meant))
        for key in named:
            counts.entities[key].chunks += 1
    return counts


def tally_difference(new: Tallies, old: Tallies) -> Tallies:
    """What must be added to ``old`` to get ``new``; what is the same in both is left out.

    >>> same = tally([])
    >>> tally_difference(same, same)
    Tallies(facts={}, entities={})
    """
    if not old.facts and not old.entities:
        return new
    facts = {i: FactTally(f.text, f.arity, f.evidence, f.score, Counter(f.participants)) for i, f in new.facts.items()}
    for fact_id, gone in old.facts.items():
        fact = facts.setdefault(fact_id, FactTally(gone.text, gone.arity))
        fact.evidence -= gone.evidence
        fact.score -= gone.score
        fact.participants.subtract(gone.participants)
    entities = {k: EntityTally(e.evidence, e.score, e.chunks, Counter(e.said)) for k, e in new.entities.items()}
    for key, less in old.entities.items():
        entity = entities.setdefault(key, EntityTally())
        entity.evidence -= less.evidence
        entity.score -= less.score
        entity.chunks -= less.chunks
        entity.said.subtract(less.said)
    return Tallies(
        {i: f for i, f in facts.items() if f.evidence or f.score or any(f.participants.values())},
        {k: e for k, e in entities.items() if e.evidence or e.score or e.chunks or any(e.said.values())},
    )


def _count(counts: Tallies, fact_id: str, evidence: Evidence, meant: Mapping[str, str]) -> set[str]:
    """Count one piece of evidence; ``meant`` has for each key the entity that it means here. Returns these entities."""
    fact = counts.facts.get(fact_id)
    if fact is None:
        fact = counts.facts[fact_id] = FactTally(identity.normal_text(evidence.text), len(meant))
    fact.evidence += 1
    fact.score += round(evidence.score * SCORE_UNIT)
    named = set(meant.values())
    fact.participants.update(named)
    for participant in evidence.participants:
        key = meant.get(participant.key)
        if key is None:  # a name of nothing but quotes
            continue
        entity = counts.entities.get(key)
        if entity is None:
            entity = counts.entities[key] = EntityTally()
        entity.evidence += 1
        entity.score += round(participant.score * SCORE_UNIT)
        said = entity.said
        for version in _versions(participant.name, participant.type, participant.description):
            said[version] = said.get(version, 0) + 1
    return named


# A model says the same of an entity in one fact after the other.
@functools.lru_cache(maxsize=4_096)
def _versions(name: str, kind: str, description: str) -> tuple[tuple[Attribute, str], ...]:
    """What a participation says of its entity."""
    said = [(Attribute.NAME, name), (Attribute.FORM, form(name, description))]
    if kind:
        said.append((Attribute.TYPE, kind))
    if description:
        said.append((Attribute.DESCRIPTION, description))
    return tuple(said)
