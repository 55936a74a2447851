"""Parse facts in JSON replies, tolerating variant key names."""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from types import NoneType
from typing import Any

from polyadic.llm.replies.cleaning import printable, tidy
from polyadic.llm.replies.json_repair import ENTITY_KEYS, TEXT_KEYS, values
from polyadic.llm.replies.parsed_reply import Problems
from polyadic.llm.replies.validation import DraftEntity, DraftFact

_LIST_KEYS = [
    "facts",
    "hyperedges",
    "hyper_edges",
    "hyper_relations",
    "hyperrelations",
    "statements",
    "results",
    "result",
    "relations",
    "knowledge",
    "claims",
    "items",
    "records",
    "data",
    "output",
    "response",
    "fact_list",
]
_NAME_KEYS = ["name", "entity_name", "entity", "title", "label", "id"]
_TYPE_KEYS = ["type", "entity_type", "category", "kind", "class", "label"]
_DESCRIPTION_KEYS = ["description", "entity_description", "desc", "summary", "details"]
_SCORE_KEYS = [
    "score",
    "importance",
    "key_score",
    "weight",
    "completeness",
    "completeness_score",
    "importance_score",
    "confidence",
    "strength",
    "rating",
]
_SENTENCE_KEYS = ["sentences", "sentence_ids", "sentence_numbers", "sentence_indices", "sources", "sentence"]
_RECORD_KEYS = frozenset((*TEXT_KEYS, *ENTITY_KEYS))
_ENTITY_FIELD_KEYS = frozenset((*_NAME_KEYS, *_TYPE_KEYS, *_DESCRIPTION_KEYS, *_SCORE_KEYS))
# Keys that are already in normalized spelling, as nearly all are.
_KNOWN_KEYS = frozenset((*_LIST_KEYS, *_RECORD_KEYS, *_ENTITY_FIELD_KEYS, *_SENTENCE_KEYS))
_SIMPLE = frozenset((str, int, float, NoneType))
_DEPTH = 4
_MOST_SENTENCES = 200
_LARGEST_NUMBER = 10**9
_NOT_IN_KEYS = re.compile(r"[\s-]+")
_NUMBERS = re.compile(r"[\s\[\](){}sS#,;.–\d-]*")
_FACT_LINE = re.compile(r"(?P<sentences>[\s\[\]\d,–-]*)\|\s*(?P<score>[\d.]{1,6})\s*\|\s*(?P<text>.*\S)", re.DOTALL)
_RANGE = re.compile(r"(\d{1,9})(?:\s?[–-]\s?[sS]?(\d{1,9}))?")

_LINK = re.compile(r"\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]|\n]{1,200}))?\]\]")
_LEFT_OVER = re.compile(r"\[\[|\]\]")


def _text(value: object, problems: Problems) -> str:
    """Convert a value to text: strings, numbers and lists of strings; other types are counted as a problem."""
    if value is None or isinstance(value, str):
        return printable(value or "")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _written(value)
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return printable(", ".join(value))
    problems["value of a wrong kind"] += 1
    return ""


def _written(number: float) -> str:
    try:
        return str(number)
    except ValueError:  # Python does not format integers of more than 4,300 digits
        return ""


def _sentences(value: object, problems: Problems) -> tuple[int, ...]:
    """Return the distinct whole numbers in a value, as numbers or in text ("1, 3-5")."""
    numbers: dict[int, None] = {}
    for part in value if isinstance(value, list) else [value]:
        found = whole_numbers(part)
        if found is None:
            problems["sentence not a number"] += 1
        numbers.update(dict.fromkeys(found or ()))
    if len(numbers) > _MOST_SENTENCES:
        problems[f"more than {_MOST_SENTENCES} sentences"] += 1
    return tuple(numbers)[:_MOST_SENTENCES]


def whole_numbers(part: object) -> list[int] | None:
    """Return the numbers that one element of a list gives, as a number or in text; None for anything else.

    >>> whole_numbers(3.0), whole_numbers("[1, 3-5]"), whole_numbers("Ada")
    ([3], [1, 3, 4, 5], None)
    """
    if part is None:
        return []
    if isinstance(part, str) and part.strip() and _NUMBERS.fullmatch(part[:_MOST_SENTENCES]):
        ends = [(int(first), int(last or first)) for first, last in _RANGE.findall(part[:_MOST_SENTENCES])]
        return [number for first, last in ends for number in range(first, min(last, first + _MOST_SENTENCES) + 1)]
    if (
        isinstance(part, int | float)
        and not isinstance(part, bool)
        and abs(part) < _LARGEST_NUMBER
        and part == int(part)
    ):
        return [int(part)]
    return None


class _Entities:
    """The entities of the facts of one reply; identical records are parsed once."""

    def __init__(self) -> None:
        self._read: dict[Hashable, tuple[DraftEntity, ...]] = {}

    def of(self, value: object, problems: Problems) -> Iterator[DraftEntity]:
        """Yield entities from a list, a single entity, a mapping by name, or names in one string."""
        if value is None:
            return
        if isinstance(value, str):
            problems["entities not in a list"] += 1
            names = re.split("[;\n]" if re.search("[;\n]", value) else ",", value)
            value = [{"name": name} for name in names if name.strip()]
        for part in value if isinstance(value, list) else [value]:
            yield from self._of_part(part, problems)

    def _of_part(self, part: object, problems: Problems) -> tuple[DraftEntity, ...]:
        key = _record_key(part)
        cached = None if key is None else self._read.get(key)
        if cached is not None:
            return cached
        entities = tuple(_entity(plain, problems) for plain in _one_or_more(part))
        if key is not None:
            self._read[key] = entities
        return entities


def _record_key(part: object) -> Hashable | None:
    """Return a key for records that parse without problems; None for others, whose problems are counted each time.

    Types are part of the key: 1, 1.0 and True are equal, but formatted differently.
    """
    if not isinstance(part, dict):
        return None
    kinds = tuple(map(type, part.values()))
    return (kinds, *part.items()) if _SIMPLE.issuperset(kinds) else None


def _one_or_more(part: object) -> Iterator[dict[str, object]]:
    if isinstance(part, dict):
        plain = plain_keys(part)
        if plain.keys() & _ENTITY_FIELD_KEYS or not plain:
            yield plain
        else:
            for name, value in part.items():
                yield {**plain_keys(value), "name": name} if isinstance(value, dict) else {"name": name, "desc": value}
    elif isinstance(part, list):
        yield dict(zip(("name", "type", "description", "score"), part, strict=False))
    else:
        yield _entity_fields(part) if isinstance(part, str) and "|" in part else {"name": part}


def _entity_fields(line: str) -> dict[str, object]:
    """Read ``name | type | description | score``, of which all but the name may be missing.

    >>> _entity_fields("Osk | place | town on the Ile | 50")
    {'name': 'Osk', 'type': 'place', 'description': 'town on the Ile', 'score': '50'}
    """
    name, *fields = (field.strip() for field in line.split("|"))
    score = {"score": fields.pop()} if fields and _NUMBERS.fullmatch(fields[-1]) else {}
    return {"name": name, "type": "".join(fields[:1]), "description": " | ".join(fields[1:]), **score}


def plain_keys(record: Mapping[Any, object]) -> dict[str, object]:
    """Normalize the keys of a record ("Hyper-Relation" becomes hyper_relation) and drop those without a value."""
    return {key if key in _KNOWN_KEYS else _plain_key(key): value for key, value in record.items() if value is not None}


def _plain_key(key: object) -> str:
    text = str(key)
    return (
        text if text.isascii() and text.isidentifier() and text.islower() else _NOT_IN_KEYS.sub("_", tidy(text).lower())
    )


def _first(record: Mapping[str, object], keys: Iterable[str]) -> object:
    """Return the value under the first of these keys that a record has; None if it has none."""
    for key in keys:
        if key in record:
            return record[key]
    return None


def read_json(text: str, problems: Problems) -> tuple[list[DraftFact], bool]:
    """Parse the facts of a JSON reply; also return whether it states that there are none.

    Entities may stand in their facts, or once beside all facts, whose texts then have their names in double brackets.

    >>> read_json('{"facts": [{"fact": "Ada wrote.", "score": 7}]}', Problems())
    ([DraftFact(text='Ada wrote.', score=7, entities=(), sentences=(), forms={})], False)
    """
    parsed = values(text, problems)
    entities, beside = _Entities(), list[object]()
    lists = [records for value in parsed if (records := _records(value, beside)) is not None]
    described = {entity.key: entity for listed in beside for entity in entities.of(listed, problems)}
    unused = dict(described)
    drafts = []
    for record in (record for records in lists for record in records):
        if draft := _draft(record, entities, described, problems):
            drafts.append(draft)
            for entity in draft.entities:
                unused.pop(entity.key, None)
    if unused:
        problems["entity outside a fact"] += len(unused)
    return drafts, bool(lists) and not any(lists) and not problems


def _records(value: object, beside: list[object], depth: int = _DEPTH) -> list[object] | None:
    """Return the list of records that a value is or contains; None if it contains none.

    Lists of entities beside the records are added to ``beside``.
    """
    if isinstance(value, list):
        return value
    if not isinstance(value, dict) or not depth:
        return None
    plain = plain_keys(value)
    if any(isinstance(plain.get(key), str) for key in TEXT_KEYS):
        return [plain]
    inner = list(plain.values())
    if inner and all(isinstance(value, dict) and plain_keys(value).keys() & _RECORD_KEYS for value in inner):
        return inner
    return _nested_records(plain, beside, depth)


def _nested_records(plain: dict[str, object], beside: list[object], depth: int) -> list[object] | None:
    """Return the lists under known keys, or else under any key."""
    lists = {key: value for key, value in plain.items() if isinstance(value, dict | list)}
    beside += [lists.pop(key) for key in list(lists) if key in ENTITY_KEYS]
    keys = [key for key in lists if key in _LIST_KEYS] or list(lists)
    found = [records for key in keys if (records := _records(lists[key], beside, depth - 1)) is not None]
    return [record for records in found for record in records] if found else None


def _draft(
    record: object, read: _Entities, described: Mapping[str, DraftEntity], problems: Problems
) -> DraftFact | None:
    plain = plain_keys(record) if isinstance(record, dict) else _fact_fields(record)
    if not plain.keys() & _RECORD_KEYS:
        problems["record of an unknown kind"] += 1
        return None
    text, links = _read_links(_text(_first(plain, TEXT_KEYS), problems))
    listed = tuple(read.of(_first(plain, ENTITY_KEYS), problems))
    listed_keys = {entity.key for entity in listed}
    linked = {entity.key: (entity, form) for entity, form in ((DraftEntity(name), form) for name, form in links)}
    given = (*listed, *(entity for key, (entity, _) in linked.items() if key not in listed_keys))
    entities = tuple(entity if entity.type else described.get(entity.key, entity) for entity in given)
    sentences = _sentences(_first(plain, _SENTENCE_KEYS), problems)
    forms = {key: form for key, (_, form) in linked.items()}
    return DraftFact(text, _first(plain, _SCORE_KEYS), entities, sentences, forms)


def _fact_fields(record: object) -> dict[str, object]:
    """Read a fact in one line, ``sentences | score | text``; empty for anything else.

    >>> _fact_fields("1, 2 | 9 | [[Ada]] met [[Babbage]].")
    {'sentences': '1, 2 ', 'score': '9', 'text': '[[Ada]] met [[Babbage]].'}
    """
    line = _FACT_LINE.fullmatch(record.strip()) if isinstance(record, str) else None
    return {key: value for key, value in line.groupdict().items() if value.strip()} if line else {}


def _entity(plain: Mapping[str, object], problems: Problems) -> DraftEntity:
    return DraftEntity(
        _text(_first(plain, _NAME_KEYS), problems),
        _text(_first(plain, _TYPE_KEYS), problems),
        _text(_first(plain, _DESCRIPTION_KEYS), problems),
        _first(plain, _SCORE_KEYS),
    )


def _read_links(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a text without brackets, and for each link the name of its entity and the form of it in the text.

    >>> _read_links("[[Neil Armstrong|Armstrong]] landed in [[1969]].")
    ('Armstrong landed in 1969.', (('Neil Armstrong', 'Armstrong'), ('1969', '1969')))
    """
    if "[[" not in text:
        return text, ()
    names = tuple((link[1].strip(), (link[2] or link[1]).strip()) for link in _LINK.finditer(text))
    return _LEFT_OVER.sub("", _LINK.sub(lambda link: link[2] or link[1], text)), names
