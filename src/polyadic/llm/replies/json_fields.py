"""Read fields of JSON replies, tolerating variant key names and surrounding text."""

from collections.abc import Mapping

from polyadic.llm.replies.cleaning import cut, strip_wrappers, tidy
from polyadic.llm.replies.json_facts import plain_keys, whole_numbers
from polyadic.llm.replies.json_repair import values
from polyadic.llm.replies.parsed_reply import Problems
from polyadic.llm.replies.parser import LONGEST_REPLY

LONGEST_NAME = 200
LONGEST_TEXT = 4_000
_MOST_NUMBERS = 1_000
# Keys under which a record for a member or a fact gives its number.
_NUMBER_KEYS = ("number", "id", "member", "fact", "index")


def reply_values(reply: str, problems: Problems) -> list[object]:
    """Parse the JSON values of a reply, without reasoning and fences; broken JSON is repaired."""
    if len(reply) > LONGEST_REPLY:
        problems["reply too long, cut"] += 1
    bare, _ = strip_wrappers(reply[:LONGEST_REPLY])
    return values(bare, problems, apart=False)


def record_of(value: object) -> dict[str, object]:
    """Return a record with normalized keys; empty if the value is not a record."""
    return plain_keys(value) if isinstance(value, dict) else {}


def text_of(record: Mapping[str, object], *names: str, longest: int = LONGEST_TEXT) -> str:
    """Return the first text under one of these keys, on one line and at most ``longest`` characters; empty if none.

    >>> text_of({"title": 3, "name": ' "Ada" '}, "title", "name")
    'Ada'
    """
    texts = (value for name in names if isinstance(value := record.get(name), str))
    return next((cut(bare, longest) for text in texts if (bare := tidy(text))), "")


def list_of(record: Mapping[str, object], *names: str) -> list[object]:
    """Return the first list under one of these keys; a single value becomes a list of one."""
    value = next((record[name] for name in names if name in record), [])
    return value if isinstance(value, list) else [value]


def numbers_in(parts: list[object], names: Mapping[str, int], problems: Problems) -> tuple[int, ...]:
    """Return the distinct numbers, from 1, in a list: as numbers, in text, in records, or by name.

    Parameters
    ----------
    parts
        The elements of the list in the reply.
    names
        Names in lower case that may stand for a number.
    problems
        Counts the elements that give no number.

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
        value = next((record[key] for key in (*_NUMBER_KEYS, "name") if key in record), None)
        return None if isinstance(value, dict | list) or value is None else _numbers(value, names)
    if not isinstance(part, str):
        return None if isinstance(part, list) else whole_numbers(part)
    bare = tidy(part)[:LONGEST_NAME].lower()
    if bare in names:
        return [names[bare]]
    for label in ("members", "member", "facts", "fact"):
        bare = bare.removeprefix(label)
    return whole_numbers(bare)
