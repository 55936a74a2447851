"""The delimiter formats: HyperGraphRAG's n-ary facts and GraphRAG's relationships, in one reply or apart."""

from dataclasses import dataclass, field

from polyadic.llm.replies.cleaning import tidy
from polyadic.llm.replies.model import Problems
from polyadic.llm.replies.record_scanner import (
    NUMBER,
    DelimitedRecord,
    RecordKind,
    canonical,
    first_record,
    may_hold_records,
    records,
)
from polyadic.llm.replies.scores import UNSCORED
from polyadic.llm.replies.validation import DraftEntity, DraftFact

__all__ = ["canonical", "first_record", "may_hold_records", "read_delimited"]

_TEXTS = {RecordKind.FACT: 1, RecordKind.RELATION: 3, RecordKind.ENTITY: 3}


@dataclass(slots=True)
class _Open:
    """A fact to which further entity records may belong."""

    text: str
    score: object
    entities: list[DraftEntity] = field(default_factory=list)
    binary: bool = False


@dataclass(slots=True)
class _Reading:
    """What has been read so far. ``known`` are all entities by key; ``alone`` the keys that no fact has yet."""

    problems: Problems
    facts: list[_Open] = field(default_factory=list)
    current: _Open | None = None
    known: dict[str, DraftEntity] = field(default_factory=dict)
    alone: dict[str, None] = field(default_factory=dict)


def read_delimited(text: str, problems: Problems) -> tuple[list[DraftFact], bool]:
    """The facts of a canonical text, then the entities that take part in none; whether it is complete but empty."""
    reading = _Reading(problems)
    for record in records(text):
        _take(record, reading)
    facts = [DraftFact(fact.text, fact.score, _described(fact, reading)) for fact in reading.facts]
    related = {entity.key for fact in reading.facts if fact.binary for entity in fact.entities}
    alone = [_alone(reading.known[key]) for key in reading.alone if key not in related]
    return facts + alone, text.strip(" #\n\t") == "<|COMPLETE|>"


def _take(record: DelimitedRecord, reading: _Reading) -> None:
    whole = _whole(record, reading)
    if whole is None:
        reading.problems["reply cut off"] += 1
    elif whole.kind is RecordKind.UNKNOWN:
        reading.problems["record of an unknown kind"] += 1
    elif whole.kind is RecordKind.ENTITY:
        _take_entity(whole, reading)
    else:
        _take_fact(whole, reading)


def _whole(record: DelimitedRecord, reading: _Reading) -> DelimitedRecord | None:
    """A record that was cut off is kept without its last field where that one is not needed."""
    if record.whole:
        return record
    needed = 1 if record.kind is RecordKind.ENTITY and reading.current else _TEXTS.get(record.kind, 0)
    if len(record.fields) <= needed:
        return None
    reading.problems["cut record mended"] += 1
    return DelimitedRecord(record.kind, record.fields[:-1])


def _take_entity(record: DelimitedRecord, reading: _Reading) -> None:
    texts, score = _texts_and_score(record, reading.problems)
    name, kind, description = (*texts, "", "", "")[:3]
    entity = DraftEntity(name, kind, description, UNSCORED if score is None else score)
    if reading.current:
        reading.current.entities.append(entity)
    elif not entity.key:
        reading.problems["entity without a name"] += 1
        return
    elif entity.key in reading.alone:
        reading.problems["entity described twice"] += 1
    else:
        reading.alone[entity.key] = None
    reading.known[entity.key] = _fuller(reading.known.get(entity.key), entity)


def _take_fact(record: DelimitedRecord, reading: _Reading) -> None:
    texts, score = _texts_and_score(record, reading.problems)
    if record.kind is RecordKind.RELATION and len(texts) > 1:
        # Without a strength there is nothing to tell keywords from the description by, but that they are shorter.
        text = max(texts[2:], key=len, default="") if score is None else (*texts, "")[2]
        fact = _Open(text, score, [DraftEntity(texts[0]), DraftEntity(texts[1])], binary=True)
    else:
        fact = reading.current = _Open(texts[0], score)
    reading.facts.append(fact)


def _texts_and_score(record: DelimitedRecord, problems: Problems) -> tuple[tuple[str, ...], str | None]:
    """The fields apart from the score, which is the last number after those that name; fields beyond are counted."""
    expected = _TEXTS[record.kind]
    fields = list(record.fields) or [""]
    place = _last_number(fields, first=2 if record.kind is RecordKind.ENTITY else 1)
    if place is None and len(fields) > expected and " " not in fields[-1].strip():
        place = len(fields) - 1
    score = None if place is None else fields.pop(place)
    if len(fields) > expected:
        problems["extra field left out"] += len(fields) - expected
    return tuple(fields), None if score is None else _number(score) or tidy(score)


def _last_number(fields: list[str], first: int) -> int | None:
    return next((i for i in range(len(fields) - 1, first - 1, -1) if _number(fields[i])), None)


def _number(text: str) -> str | None:
    match = NUMBER.fullmatch(text)
    return match["score"] if match else None


def _fuller(old: DraftEntity | None, new: DraftEntity) -> DraftEntity:
    if old is None:
        return new
    description = max(tidy(old.description), tidy(new.description), key=len)
    kind = old.type if tidy(old.type) else new.type
    return DraftEntity(old.name, kind, description, new.score if old.score is UNSCORED else old.score)


def _described(fact: _Open, reading: _Reading) -> tuple[DraftEntity, ...]:
    """Entities of a relationship are described by the entity records of their names, before it or after it."""
    if not fact.binary:
        return tuple(fact.entities)
    found = ((entity, reading.known.get(entity.key)) for entity in fact.entities)
    return tuple(
        DraftEntity(entity.name, known.type, known.description, known.score) if known else entity
        for entity, known in found
    )


def _alone(entity: DraftEntity) -> DraftFact:
    name, description = tidy(entity.name), tidy(entity.description)
    text = f"{name}: {description}" if description else name
    return DraftFact(text, UNSCORED, (entity,))
