"""JSON in the text of a reply: what can be parsed is, what cannot is mended record by record."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from polyadic.llm.replies.model import Problems

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
# What json_repair does grows with the square of quotes and braces in bad cases: about a second for all of this.
_MENDING = 20_000_000


@dataclass(slots=True)
class _Mender:
    """Mends what is not JSON until a reply's share of work is used up."""

    left: int = _MENDING

    def mend(self, text: str) -> object:
        """The value that was most likely meant; None where there is none, or where finding it takes too long."""
        work = len(text) * sum(text.count(mark) for mark in "\"'“{[")
        if work > self.left:
            return None
        self.left -= work
        import json_repair

        straight = text if '"' in text else text.translate(_STRAIGHT)
        try:
            return json_repair.loads(straight, skip_json_loads=True)
        except Exception:  # a parser of any text whatsoever: what it may raise is not documented
            return None


def first_value(text: str) -> int | None:
    """Where JSON seems to begin."""
    match = _FIRST.search(text)
    return match.start() if match else None


def values(text: str, problems: Problems, apart: bool = True) -> list[object]:
    """All JSON values of a text, in order, with prose around and between; mended and lost ones are counted.

    From the first one on that cannot be parsed, the records of facts are mended each by itself; where not ``apart``,
    the rest is mended as one value.

    >>> values('Sure: {"facts": []} Done.', Problems())
    [{'facts': []}]
    >>> values('{"title": "Ada", "findings": [{"text": "She wro', Problems(), apart=False)
    [{'title': 'Ada'}]
    """
    found: list[object] = []
    position = 0
    while match := _FIRST.search(text, position):
        decoded = _decoded(text, match.start())
        if decoded is None:
            rest = text[match.start() :]
            return found + (_salvaged(rest, problems) if apart else _mended(rest, problems))
        value, position = decoded
        found.append(value)
    return found


def _decoded(text: str, start: int) -> tuple[object, int] | None:
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def _mended(text: str, problems: Problems) -> list[object]:
    """The one value that a text was most likely meant to be, as far as it goes."""
    whole_until = _cut_off(text)
    value = _Mender().mend(text[:whole_until])
    found: list[object] = [value] if value and isinstance(value, dict | list) else []
    problems["reply cut off" if whole_until is not None else "reply mended" if found else "reply unreadable"] += 1
    return found


def _salvaged(text: str, problems: Problems) -> list[object]:
    """One piece a record, so that what is broken in one does no harm to the others."""
    starts = [match.start() for match in _RECORD.finditer(text)]
    mender = _Mender()
    if not starts:
        return _one(text, mender, problems, last=True)
    ends = [*starts[1:], len(text)]
    found = []
    for start, end in zip(starts, ends, strict=True):
        found += _one(text[start:end], mender, problems, last=end == len(text), wrapped=starts[0] > 0)
    return found


def _one(piece: str, mender: _Mender, problems: Problems, last: bool, wrapped: bool = False) -> list[object]:
    """The one record at the start of a piece, or none; counted where it is not as it was written."""
    decoded = _decoded(piece, 0)
    if decoded is not None:
        value, end = decoded
        if "{" in piece[end:]:
            problems["record that cannot be read"] += 1
        if last and wrapped and not piece[end:].lstrip(" \n\t,").startswith(("]", "}")):
            problems["reply cut off"] += 1
        return [value]
    whole_until = _cut_off(piece) if last else None
    mended = mender.mend(piece if whole_until is None else piece[:whole_until])
    value = next((one for one in _flat(mended) if isinstance(one, dict)), None)
    if whole_until is not None:
        complete = value is not None and (len(value) > 1 or any(isinstance(v, list | dict) for v in value.values()))
        problems["cut record mended" if complete else "reply cut off"] += 1
        return [value] if complete else []
    problems["record mended" if value else "record that cannot be read"] += 1
    return [value] if value else []


def _flat(value: object) -> Iterator[object]:
    return iter(value) if isinstance(value, list) else iter((value,))


def _cut_off(piece: str) -> int | None:
    """Where the last whole value of a piece ends, if it breaks off within strings or brackets; else None."""
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
