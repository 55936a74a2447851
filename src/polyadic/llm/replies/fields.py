"""The fields of a reply in JSON, whatever a model calls them and whatever stands around them."""

from collections.abc import Mapping

from polyadic.llm.replies.cleaning import cut, tidy, undressed
from polyadic.llm.replies.json_records import plain_keys, whole_numbers
from polyadic.llm.replies.json_repair import values
from polyadic.llm.replies.model import Problems
from polyadic.llm.replies.parser import LONGEST_REPLY

LONGEST_NAME = 200
LONGEST_TEXT = 4_000
_MOST_NUMBERS = 1_000
# Under these, a record that stands for a member or for a fact says its number.
_NUMBER_KEYS = ("number", "id", "member", "fact", "index")


def reply_values(reply: str, problems: Problems) -> list[object]:
    """The JSON values of a reply, without thoughts and fences; mended where they are broken."""
    if len(reply) > LONGEST_REPLY:
        problems["reply too long, cut"] += 1
    bare, _ = undressed(reply[:LONGEST_REPLY])
    return values(bare, problems, apart=False)


def record_of(value: object) -> dict[str, object]:
    """A record by its keys in one spelling; what is no record has none."""
    return plain_keys(value) if isinstance(value, dict) else {}


def text_of(record: Mapping[str, object], *names: str, longest: int = LONGEST_TEXT) -> str:
    """The first text under one of these names, on one line and within bounds; empty if there is none.

    >>> text_of({"title": 3, "name": ' "Ada" '}, "title", "name")
    'Ada'
    """
    texts = (value for name in names if isinstance(value := record.get(name), str))
    return next((cut(bare, longest) for text in texts if (bare := tidy(text))), "")


def list_of(record: Mapping[str, object], *names: str) -> list[object]:
    """The first list under one of these names; a value that stands there alone is a list of one."""
    value = next((record[name] for name in names if name in record), [])
    return value if isinstance(value, list) else [value]


def numbers_in(parts: list[object], names: Mapping[str, int], problems: Problems) -> tuple[int, ...]:
    """The numbers from 1 that a list means, each once: as numbers, in text, in records, or by name.

    Parameters
    ----------
    parts
        As the reply has them.
    names
        What may stand in the place of a number, in lower case.
    problems
        Where is counted what means none.

    >>> numbers_in([2, "[3], 5-6", {"id": "1"}, "Member 2", "Ada", "?"], {"ada": 4}, Problems())
    (2, 3, 5, 6, 1, 4)
    """
    found: dict[int, None] = {}
    for part in parts[:_MOST_NUMBERS]:
        numbers = _numbers(part, names)
        if numbers is None:
            problems["not a number"] += 1
        found.update(dict.fromkeys(numbers or ()))
    return tuple(found)[:_MOST_NUMBERS]


def _numbers(part: object, names: Mapping[str, int]) -> list[int] | None:
    if isinstance(part, dict):
        record = record_of(part)
        said = next((record[key] for key in (*_NUMBER_KEYS, "name") if key in record), None)
        return None if isinstance(said, dict | list) or said is None else _numbers(said, names)
    if not isinstance(part, str):
        return None if isinstance(part, list) else whole_numbers(part)
    bare = tidy(part)[:LONGEST_NAME].lower()
    if bare in names:
        return [names[bare]]
    for label in ("members", "member", "facts", "fact"):
        bare = bare.removeprefix(label)
    return whole_numbers(bare)
