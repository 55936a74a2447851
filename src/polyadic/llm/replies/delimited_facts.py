"""Parse the delimiter formats: HyperGraphRAG's n-ary facts and GraphRAG's relationships, alone or mixed."""

from dataclasses import dataclass, field

from polyadic.llm.replies.cleaning import tidy
from polyadic.llm.replies.delimited_records import (
    NUMBER,
    DelimitedRecord,
    RecordKind,
    canonical,
    first_record,
    may_hold_records,
    records,
)
from polyadic.llm.replies.parsed_reply import Problems
from polyadic.llm.replies.scores import UNSCORED
from polyadic.llm.replies.validation import DraftEntity, DraftFact

__all__ = ["canonical", "first_record", "may_hold_records", "read_delimited"]

_TEXTS = {RecordKind.FACT: 1, RecordKind.RELATION: 3, RecordKind.ENTITY: 3}


@dataclass(slots=True)
class _OpenFact:
    """A fact that following entity records may belong to."""

    text: str
    score: object
    entities: list[DraftEntity] = field(default_factory=list)
    binary: bool = False


@dataclass(slots=True)
class _ParserState:
    """The records so far. ``known`` has all entities by key; ``alone`` the keys of those that are in no fact yet."""

    problems: Problems
    facts: list[_OpenFact] = field(default_factory=list)
    current: _OpenFact | None = None
    known: dict[str, DraftEntity] = field(default_factory=dict)
    alone: dict[str, None] = field(default_factory=dict)


def read_delimited(text: str, problems: Problems) -> tuple[list[DraftFact], bool]:
    """Parse a canonical text into facts, then entities in no fact; also return whether it is complete but empty."""
    state = _ParserState(problems)
    for record in records(text):
        _add_record(record, state)
    facts = [DraftFact(fact.text, fact.score, _described(fact, state)) for fact in state.facts]
    related = {entity.key for fact in state.facts if fact.binary for entity in fact.entities}
    alone = [_alone(state.known[key]) for key in state.alone if key not in related]
    return facts + alone, text.strip(" #\n\t") == "<|COMPLETE|>"


def _add_record(record: DelimitedRecord, state: _ParserState) -> None:
    whole = _repaired(record, state)
    if whole is None:
        state.problems["reply cut off"] += 1
    elif whole.kind is RecordKind.UNKNOWN:
        state.problems["record of an unknown kind"] += 1
    elif whole.kind is RecordKind.ENTITY:
        _add_entity(whole, state)
    else:
        _add_fact(whole, state)


def _repaired(record: DelimitedRecord, state: _ParserState) -> DelimitedRecord | None:
    """Return a record; if it was cut off, drop its last field where that is not required, else return None."""
    if record.whole:
        return record
    needed = 1 if record.kind is RecordKind.ENTITY and state.current else _TEXTS.get(record.kind, 0)
    if len(record.fields) <= needed:
        return None
    state.problems["cut record mended"] += 1
    return DelimitedRecord(record.kind, record.fields[:-1])


def _add_entity(record: DelimitedRecord, state: _ParserState) -> None:
    texts, score = _texts_and_score(record, state.problems)
    name, kind, description = (*texts, "", "", "")[:3]
    entity = DraftEntity(name, kind, description, UNSCORED if score is None else score)
    if state.current:
        state.current.entities.append(entity)
    elif not entity.key:
        state.problems["entity without a name"] += 1
        return
    elif entity.key in state.alone:
        state.problems["entity described twice"] += 1
    else:
        state.alone[entity.key] = None
    state.known[entity.key] = _merged(state.known.get(entity.key), entity)


def _add_fact(record: DelimitedRecord, state: _ParserState) -> None:
    texts, score = _texts_and_score(record, state.problems)
    if record.kind is RecordKind.RELATION and len(texts) > 1:
        # Without a strength, keywords and description can only be distinguished by length.
        text = max(texts[2:], key=len, default="") if score is None else (*texts, "")[2]
        fact = _OpenFact(text, score, [DraftEntity(texts[0]), DraftEntity(texts[1])], binary=True)
    else:
        fact = state.current = _OpenFact(texts[0], score)
    state.facts.append(fact)


def _texts_and_score(record: DelimitedRecord, problems: Problems) -> tuple[tuple[str, ...], str | None]:
    """Split off the score, the last number after the naming fields; count surplus fields."""
    expected = _TEXTS[record.kind]
    fields = list(record.fields) or [""]
    index = _last_number(fields, first=2 if record.kind is RecordKind.ENTITY else 1)
    if index is None and len(fields) > expected and " " not in fields[-1].strip():
        index = len(fields) - 1
    score = None if index is None else fields.pop(index)
    if len(fields) > expected:
        problems["extra field left out"] += len(fields) - expected
    return tuple(fields), None if score is None else _number(score) or tidy(score)


def _last_number(fields: list[str], first: int) -> int | None:
    return next((i for i in range(len(fields) - 1, first - 1, -1) if _number(fields[i])), None)


def _number(text: str) -> str | None:
    match = NUMBER.fullmatch(text)
    return match["score"] if match else None


def _merged(old: DraftEntity | None, new: DraftEntity) -> DraftEntity:
    if old is None:
        return new
    description = max(tidy(old.description), tidy(new.description), key=len)
    kind = old.type if tidy(old.type) else new.type
    return DraftEntity(old.name, kind, description, new.score if old.score is UNSCORED else old.score)


def _described(fact: _OpenFact, state: _ParserState) -> tuple[DraftEntity, ...]:
    """Return the entities of a fact; those of a relationship are described by entity records anywhere in the reply."""
    if not fact.binary:
        return tuple(fact.entities)
    found = ((entity, state.known.get(entity.key)) for entity in fact.entities)
    return tuple(
        DraftEntity(entity.name, known.type, known.description, known.score) if known else entity
        for entity, known in found
    )


def _alone(entity: DraftEntity) -> DraftFact:
    name, description = tidy(entity.name), tidy(entity.description)
    text = f"{name}: {description}" if description else name
    return DraftFact(text, UNSCORED, (entity,))
