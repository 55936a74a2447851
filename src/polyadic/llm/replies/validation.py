"""From what a reply says of facts, in either format, to statements within bounds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from polyadic.llm.replies.cleaning import cut, tidy
from polyadic.llm.replies.model import ParsedStatement, Problems
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
    """An entity as the reply has it; its score is still what was written."""

    name: str
    type: str = ""
    description: str = ""
    score: object = UNSCORED

    @property
    def key(self) -> str:
        return identity.entity_key(tidy(self.name))


@dataclass(frozen=True, slots=True)
class DraftFact:
    """A fact as the reply has it; its score is still what was written."""

    text: str
    score: object
    entities: tuple[DraftEntity, ...] = ()
    sentences: tuple[int, ...] = ()


class _Named(NamedTuple):
    """An entity of a fact, its values within bounds; ``score`` is None where none could be read."""

    name: str
    type: str
    description: str
    score: float | None


class _Bounded(NamedTuple):
    """What is kept of an entity, None where it has no name, with what is counted each time that it comes up."""

    named: _Named | None
    participation: Participation | None
    problems: Problems


class _Scales:
    """On which scales the facts of a reply and their entities are scored, and the entities as they are on theirs."""

    def __init__(self, facts: Sequence[DraftFact]) -> None:
        # What a reply says in the same words again is one draft in several facts (json_records.py).
        self._distinct = {id(entity): entity for fact in facts for entity in fact.entities}
        self._bounded: dict[int, _Bounded] = {}
        self._entity = scale_of((entity.score for entity in self._distinct.values()), _ENTITY_TOP, _ENTITY_DEFAULT)
        self.fact = scale_of((fact.score for fact in facts), _FACT_TOP, _FACT_DEFAULT)

    def bounded(self, entity: DraftEntity) -> _Bounded:
        """An entity of one of the facts, its values within bounds."""
        known = self._bounded.get(id(entity))
        if known is None:
            problems = Problems()
            named = _named(entity, self._entity, problems)
            known = self._bounded[id(entity)] = _Bounded(named, named and _participation(named), problems)
        return known


def kept(drafts: Iterable[DraftFact], problems: Problems) -> tuple[ParsedStatement, ...]:
    """The drafts that say something, each once, their values within bounds; the rest is counted."""
    facts = tuple(drafts)
    scales = _Scales(facts)
    distinct: dict[tuple[str, frozenset[str]], ParsedStatement] = {}
    for fact in facts[:FACTS_A_REPLY]:
        stated = _stated(fact, scales, problems)
        if stated is None:
            continue
        same = identity.normal_text(stated.text), frozenset(p.key for p in stated.participants)
        if distinct.setdefault(same, stated) is not stated:
            problems["same fact twice"] += 1
    _count(f"more than {FACTS_A_REPLY} facts", len(facts) - FACTS_A_REPLY, problems)
    return tuple(distinct.values())


def _stated(fact: DraftFact, scales: _Scales, problems: Problems) -> ParsedStatement | None:
    text = _bounded("text", fact.text, problems)
    if not text:
        problems["fact without text"] += 1
        return None
    score = scales.fact.read(fact.score, problems)
    participants = _participants(fact.entities, scales, problems)
    return ParsedStatement(text, scales.fact.default if score is None else score, participants, fact.sentences)


def _participants(entities: tuple[DraftEntity, ...], scales: _Scales, problems: Problems) -> tuple[Participation, ...]:
    """Distinct by key: the first name and type, the longest description, the highest score given."""
    found: dict[str, tuple[_Named, Participation]] = {}
    for entity in entities[:ENTITIES_A_FACT]:
        new, participation, found_wanting = scales.bounded(entity)
        if found_wanting:
            problems.update(found_wanting)
        if new is None or participation is None:
            continue
        key = participation.key
        old = found.get(key)
        if old is not None:
            problems["same entity twice in a fact"] += 1
            new = _merged(old[0], new)
            participation = _participation(new)
        found[key] = new, participation
    _count(f"more than {ENTITIES_A_FACT} entities in a fact", len(entities) - ENTITIES_A_FACT, problems)
    return tuple(participation for _, participation in found.values())


def _participation(named: _Named) -> Participation:
    name, kind, description, score = named
    return Participation(name, kind, description, _ENTITY_DEFAULT if score is None else score)


def _named(entity: DraftEntity, scale: ScoreScale, problems: Problems) -> _Named | None:
    name = _bounded("name", entity.name, problems)
    if not identity.entity_key(name):
        problems["entity without a name"] += 1
        return None
    kind = _bounded("type", entity.type, problems)
    description = _bounded("description", entity.description, problems)
    return _Named(name, kind, description, scale.read(entity.score, problems))


def _merged(old: _Named, new: _Named) -> _Named:
    scores = [score for score in (old.score, new.score) if score is not None]
    description = max(old.description, new.description, key=len)
    return _Named(old.name, old.type or new.type, description, max(scores, default=None))


def _bounded(what: str, value: str, problems: Problems) -> str:
    tidied = tidy(value)
    if len(tidied) <= _LONGEST[what]:
        return tidied
    problems[f"{what} cut, too long"] += 1
    return cut(tidied, _LONGEST[what])


def _count(reason: str, times: int, problems: Problems) -> None:
    if times > 0:
        problems[reason] += times
