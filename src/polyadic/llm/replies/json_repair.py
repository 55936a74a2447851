"""Parse JSON in the text of a reply; broken JSON is repaired record by record."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from polyadic.llm.replies.parsed_reply import Problems

TEXT_KEYS = [
    "text",
    "fact",
    "fact_text",
    "statement",
    "sentence",
    "hyperedge",
    "hyper_edge",
    "hyper_relation",
    "hyperrelation",
    "knowledge",
    "knowledge_segment",
    "segment",
    "claim",
    "proposition",
    "content",
]
ENTITY_KEYS = ["entities", "participants", "nodes", "members", "entity", "participant", "node", "vertices", "arguments"]

_FIRST = re.compile(r"""[\[{](?=\s{0,99}(?:["'“\[{}\]]|\w{1,30}\s{0,9}:))""")
_TEXT = "|".join(key.replace("_", "[ _-]") for key in TEXT_KEYS)
_ENTITIES = "|".join(ENTITY_KEYS)
_RECORD = re.compile(
    rf"""\{{\s{{0,99}}["'“]?(?:(?:{_TEXT})["'”]?\s{{0,9}}:\s{{0,9}}(?![\s\[{{])|(?:{_ENTITIES})["'”]?\s{{0,9}}:\s{{0,9}}[\[{{])""",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*(?P<end>\"?)|[\[\]{},]", re.DOTALL)
_STRAIGHT = str.maketrans("“”„", '"""')
_DECODER = json.JSONDecoder()
# The work of json_repair grows with the square of quotes and braces in bad cases: this budget is about a second.
_MENDING = 20_000_000


@dataclass(slots=True)
class _JsonRepairer:
    """Repairs broken JSON until the work budget of a reply is used up."""

    left: int = _MENDING

    def mend(self, text: str) -> object:
        """Return the most likely value; None if there is none, or if the work would exceed the budget."""
        work = len(text) * sum(text.count(mark) for mark in "\"'“{[")
        if work > self.left:
            return None
        self.left -= work
        import json_repair

        straight = text if '"' in text else text.translate(_STRAIGHT)
        try:
            return json_repair.loads(straight, skip_json_loads=True)
        except Exception:  # json_repair accepts any text; what it may raise is not documented
            return None


def first_value(text: str) -> int | None:
    """Return the position where JSON seems to begin."""
    match = _FIRST.search(text)
    return match.start() if match else None


def values(text: str, problems: Problems, apart: bool = True) -> list[object]:
    """Parse all JSON values of a text in order, ignoring prose around them; repairs and losses are counted.

    After the first value that cannot be parsed, each record of a fact is repaired separately; with ``apart=False`` the
    rest is repaired as one value.

    >>> values('Sure: {"facts": []} Done.', Problems())
    [{'facts': []}]
    >>> values('{"title": "Ada", "findings": [{"text": "She wro', Problems(), apart=False)
    [{'title': 'Ada'}]
    """
    parsed: list[object] = []
    position = 0
    while match := _FIRST.search(text, position):
        decoded = _decoded(text, match.start())
        if decoded is None:
            rest = text[match.start() :]
            return parsed + (_repaired_records(rest, problems) if apart else _repaired(rest, problems))
        value, position = decoded
        parsed.append(value)
    return parsed


def _decoded(text: str, start: int) -> tuple[object, int] | None:
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def _repaired(text: str, problems: Problems) -> list[object]:
    """Repair a text as one value; a value that was cut off is kept up to its last complete part."""
    whole_until = _cut_off(text)
    value = _JsonRepairer().mend(text[:whole_until])
    repaired: list[object] = [value] if value and isinstance(value, dict | list) else []
    problems["reply cut off" if whole_until is not None else "reply mended" if repaired else "reply unreadable"] += 1
    return repaired


def _repaired_records(text: str, problems: Problems) -> list[object]:
    """Repair each record separately, so that a broken one does not affect the others."""
    starts = [match.start() for match in _RECORD.finditer(text)]
    repairer = _JsonRepairer()
    if not starts:
        return _repaired_record(text, repairer, problems, last=True)
    ends = [*starts[1:], len(text)]
    repaired = []
    for start, end in zip(starts, ends, strict=True):
        repaired += _repaired_record(text[start:end], repairer, problems, last=end == len(text), wrapped=starts[0] > 0)
    return repaired


def _repaired_record(
    piece: str, repairer: _JsonRepairer, problems: Problems, last: bool, wrapped: bool = False
) -> list[object]:
    """Return the record at the start of a piece, or none; repairs and losses are counted."""
    decoded = _decoded(piece, 0)
    if decoded is not None:
        value, end = decoded
        if "{" in piece[end:]:
            problems["record that cannot be read"] += 1
        if last and wrapped and not piece[end:].lstrip(" \n\t,").startswith(("]", "}")):
            problems["reply cut off"] += 1
        return [value]
    whole_until = _cut_off(piece) if last else None
    repaired = repairer.mend(piece if whole_until is None else piece[:whole_until])
    value = next((element for element in _elements(repaired) if isinstance(element, dict)), None)
    if whole_until is not None:
        complete = value is not None and (len(value) > 1 or any(isinstance(v, list | dict) for v in value.values()))
        problems["cut record mended" if complete else "reply cut off"] += 1
        return [value] if complete else []
    problems["record mended" if value else "record that cannot be read"] += 1
    return [value] if value else []


def _elements(value: object) -> Iterator[object]:
    return iter(value) if isinstance(value, list) else iter((value,))


def _cut_off(piece: str) -> int | None:
    """Return the end of the last complete value if a piece ends inside a string or brackets; else None."""
    depth, comma, open_string = 0, 0, False
    for token in _TOKEN.finditer(piece):
        mark = token[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        elif mark == ",":
            comma = token.start()
        else:
            open_string = not token["end"]
        if depth == 0:
            return None
    return comma if depth > 0 or open_string else None
