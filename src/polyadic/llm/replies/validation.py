"""Validate parsed facts of either format: limit lengths and counts, merge duplicates, normalize scores."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from polyadic.llm.replies.cleaning import cut, tidy
from polyadic.llm.replies.parsed_reply import ParsedFact, Problems
from polyadic.llm.replies.scores import UNSCORED, ScoreScale, scale_of
from polyadic.model import identity
from polyadic.model.types import Participation

FACTS_A_REPLY = 500
ENTITIES_A_FACT = 100
_LONGEST = {"name": 200, "type": 100, "description": 1_000, "text": 4_000}
_FACT_TOP, _FACT_DEFAULT = 10.0, 5.0
_ENTITY_TOP, _ENTITY_DEFAULT = 100.0, 50.0


@dataclass(frozen=True, slots=True)
class DraftEntity:
    """An entity as given in the reply, with its raw score."""

    name: str
    type: str = ""
    description: str = ""
    score: object = UNSCORED

    @property
    def key(self) -> str:
        return identity.entity_key(tidy(self.name))


@dataclass(frozen=True, slots=True)
class DraftFact:
    """A fact as given in the reply, with its raw score; ``forms`` has the words of its text for entities, by key."""

    text: str
    score: object
    entities: tuple[DraftEntity, ...] = ()
    sentences: tuple[int, ...] = ()
    forms: Mapping[str, str] = field(default_factory=dict)


class _ValidEntity(NamedTuple):
    """An entity of a fact with values within limits; ``score`` is None if it could not be read."""

    name: str
    type: str
    description: str
    score: float | None


class _CachedEntity(NamedTuple):
    """A validated entity, None without a name, and the problems to count for each occurrence."""

    named: _ValidEntity | None
    participation: Participation | None
    problems: Problems


class _Scales:
    """The score scales of a reply, and its entities validated on their scale."""

    def __init__(self, facts: Sequence[DraftFact]) -> None:
        # An entity record repeated verbatim is one draft shared by several facts (json_facts.py).
        self._distinct = {id(entity): entity for fact in facts for entity in fact.entities}
        self._bounded: dict[int, _CachedEntity] = {}
        self._entity = scale_of((entity.score for entity in self._distinct.values()), _ENTITY_TOP, _ENTITY_DEFAULT)
        self.fact = scale_of((fact.score for fact in facts), _FACT_TOP, _FACT_DEFAULT)

    def bounded(self, entity: DraftEntity) -> _CachedEntity:
        """Validate an entity of one of the facts."""
        cached = self._bounded.get(id(entity))
        if cached is None:
            problems = Problems()
            valid = _valid_entity(entity, self._entity, problems)
            cached = self._bounded[id(entity)] = _CachedEntity(valid, valid and _participation(valid), problems)
        return cached


def kept(drafts: Iterable[DraftFact], problems: Problems) -> tuple[ParsedFact, ...]:
    """Return the valid drafts as distinct facts; dropped ones are counted."""
    facts = tuple(drafts)
    scales = _Scales(facts)
    distinct: dict[tuple[str, frozenset[str]], ParsedFact] = {}
    for fact in facts[:FACTS_A_REPLY]:
        parsed = _parsed(fact, scales, problems)
        if parsed is None:
            continue
        key = identity.normal_text(parsed.text), frozenset(p.key for p in parsed.participants)
        if distinct.setdefault(key, parsed) is not parsed:
            problems["same fact twice"] += 1
    _count(f"more than {FACTS_A_REPLY} facts", len(facts) - FACTS_A_REPLY, problems)
    return tuple(distinct.values())


def _parsed(fact: DraftFact, scales: _Scales, problems: Problems) -> ParsedFact | None:
    text = _bounded("text", fact.text, problems)
    if not text:
        problems["fact without text"] += 1
        return None
    score = scales.fact.read(fact.score, problems)
    participants = _participants(fact.entities, scales, problems)
    score = scales.fact.default if score is None else score
    return ParsedFact(text, score, participants, fact.sentences, fact.forms)


def _participants(entities: tuple[DraftEntity, ...], scales: _Scales, problems: Problems) -> tuple[Participation, ...]:
    """Merge entities by key: first name and type, longest description, highest score."""
    merged: dict[str, tuple[_ValidEntity, Participation]] = {}
    for entity in entities[:ENTITIES_A_FACT]:
        new, participation, entity_problems = scales.bounded(entity)
        if entity_problems:
            problems.update(entity_problems)
        if new is None or participation is None:
            continue
        key = participation.key
        old = merged.get(key)
        if old is not None:
            problems["same entity twice in a fact"] += 1
            new = _merged(old[0], new)
            participation = _participation(new)
        merged[key] = new, participation
    _count(f"more than {ENTITIES_A_FACT} entities in a fact", len(entities) - ENTITIES_A_FACT, problems)
    return tuple(participation for _, participation in merged.values())


def _participation(entity: _ValidEntity) -> Participation:
    name, kind, description, score = entity
    return Participation(name, kind, description, _ENTITY_DEFAULT if score is None else score)


def _valid_entity(entity: DraftEntity, scale: ScoreScale, problems: Problems) -> _ValidEntity | None:
    name = _bounded("name", entity.name, problems)
    if not identity.entity_key(name):
        problems["entity without a name"] += 1
        return None
    kind = _bounded("type", entity.type, problems)
    description = _bounded("description", entity.description, problems)
    return _ValidEntity(name, kind, description, scale.read(entity.score, problems))


def _merged(old: _ValidEntity, new: _ValidEntity) -> _ValidEntity:
    scores = [score for score in (old.score, new.score) if score is not None]
    description = max(old.description, new.description, key=len)
    return _ValidEntity(old.name, old.type or new.type, description, max(scores, default=None))


def _bounded(what: str, value: str, problems: Problems) -> str:
    tidied = tidy(value)
    if len(tidied) <= _LONGEST[what]:
        return tidied
    problems[f"{what} cut, too long"] += 1
    return cut(tidied, _LONGEST[what])


def _count(reason: str, times: int, problems: Problems) -> None:
    if times > 0:
        problems[reason] += times
