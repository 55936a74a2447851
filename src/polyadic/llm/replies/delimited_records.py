"""Split text in the delimiter format into records and fields."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

FIELD = "<|>"
_FIELD = re.compile(
    r"<\s?[/\\]?\s?\|[/#|]{0,2}\|?\s?>|&lt;\|&gt;|[{<]\|?tuple_delimiter\|?[}>]|<SEP>"
    r"|(?<=[\"”'’])\|>|<\|(?=[ ]?[\"“\d])|(?<=[\"”])[ ]?\|[ ]?(?=[\"“\d])",
    re.IGNORECASE,
)
_RECORD = re.compile(r"[{<]\|?record_delimiter\|?[}>]", re.IGNORECASE)
_COMPLETE = re.compile(r"<\|\s?complete\b[|>]{0,2}|[{<]\|?completion_delimiter\|?[}>]", re.IGNORECASE)
_SPELLINGS = (
    r"hyper[\s_-]?relation(?:ship)?s?|hyper[\s_-]?edges?|facts?|relation(?:ship)?s?|edges?|entity|entities|nodes?"
)
_HEAD = re.compile(
    rf"""(?P<open>[(\[{{（])\s{{0,5}}(?P<quote>["'“‘`*]{{0,3}})(?P<kind>\w[\w -]{{0,40}})["'”’“`*]{{0,3}}\s{{0,5}}<\|>
    |(?:^|\#\#|[)\]}}）])[ \t*•\d.-]*["'“‘`*]{{0,3}}(?P<bare>{_SPELLINGS})["'”’“`*]{{0,3}}\s{{0,5}}<\|>""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
NUMBER = re.compile(
    r"\s*[\"'“‘(\[]{0,2}\s{0,3}(?P<score>[+-]?\d{1,12}(?:[.,]\d{1,12})?(?:\s?/\s?\d{1,6}|\s?%)?)"
    r"\s{0,3}[\"'”’“]{0,2}[ \t]{0,9}"
    r"(?=[)\]}）>*`<]|##|[.,;]?[ \t]{0,9}(?:\n|\Z))"
)
_QUOTED_END = re.compile(r"[\"”“»'’]\s{0,9}[)\]}）][ \t]{0,9}[`*.,;]{0,3}[ \t]{0,9}(?=##|\n|\Z)")
_SEPARATED_END = re.compile(r"[)\]}）]\s{0,9}##")
_BEGUN = re.compile(r"[(（]\s{0,3}[\"'“]?[\w -]{0,40}[\"'”]?[<|]{0,2}\s{0,9}\Z")
_LETTER = re.compile(r"[^\W\d_]")
_EMPTY_FIELD = ' \t\n#)*`"“”'
_SENTENCE_ENDS = tuple(".!?。！？…")


class RecordKind(StrEnum):
    """The kind of a record."""

    FACT = "fact"
    RELATION = "relation"
    ENTITY = "entity"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class DelimitedRecord:
    """A record with its fields after the kind; if not ``whole``, the reply was cut off in the last field."""

    kind: RecordKind
    fields: tuple[str, ...]
    whole: bool = True


@dataclass(frozen=True, slots=True)
class _LastField:
    """A last field, whether it is complete, and the text after the record."""

    text: str
    whole: bool
    rest: str = ""


def may_hold_records(text: str) -> bool:
    """Return whether a text may contain delimiters: a fast check, which most JSON replies fail.

    >>> may_hold_records('{"text": "Ada wrote."}'), may_hold_records('"Ada"{TUPLE_DELIMITER}9')
    (False, True)
    """
    return "<" in text or "|" in text or "tuple_" in text.lower()


def canonical(text: str) -> str:
    """Replace variant spellings of the delimiters by the requested one.

    >>> canonical('"Ada"</|>"person"{tuple_delimiter}9{record_delimiter}<|complete|>')
    '"Ada"<|>"person"<|>9##<|COMPLETE|>'
    """
    return _COMPLETE.sub("<|COMPLETE|>", _RECORD.sub("##", _FIELD.sub(FIELD, text)))


def first_record(text: str) -> int | None:
    """Return the position of the first record in a canonical text."""
    return next((start for start, _, _ in _heads(text)), None)


def records(text: str) -> Iterator[DelimitedRecord]:
    """Yield the records of a canonical text, ignoring text in between; a final empty record is one that was begun."""
    heads = list(_heads(text))
    starts = [start for start, _, _ in heads] + [len(text)]
    marks = [mark.start() for mark in re.finditer(r"<\|COMPLETE\|>", text)] + [len(text)]
    for position, (_, end, kind) in enumerate(heads):
        limit = min(starts[position + 1], marks[bisect_left(marks, end)])
        last_field = None
        *fields, last = text[end:limit].split(FIELD)
        closed = limit < len(text)
        if closed and fields and not last.strip(_EMPTY_FIELD):
            last = fields.pop()
        if last.strip() or not closed:
            last_field = _last_field(last, closed)
            fields.append(last_field.text)
        yield DelimitedRecord(kind, tuple(fields), last_field is None or last_field.whole)
        if last_field and not closed and _BEGUN.search(last_field.rest[-100:]):
            yield DelimitedRecord(RecordKind.UNKNOWN, (), whole=False)


def _heads(text: str) -> Iterator[tuple[int, int, RecordKind]]:
    for match in _HEAD.finditer(text):
        kind = _kind(match["kind"] or match["bare"])
        inside = match["bare"] and text[max(0, match.start() - 9) : match.start()].rstrip().endswith(FIELD)
        if inside or (kind is RecordKind.UNKNOWN and not match["quote"]):
            continue
        yield match.start(), match.end(), kind


def _kind(spelling: str) -> RecordKind:
    plain = re.sub(r"[\W_]+", "", spelling.lower())
    if plain.startswith(("hyperrelation", "hyperedge")) or plain in {"fact", "facts"}:
        return RecordKind.FACT
    if plain in {"relation", "relations", "relationship", "relationships", "edge", "edges"}:
        return RecordKind.RELATION
    return RecordKind.ENTITY if plain in {"entity", "entities", "node", "nodes"} else RecordKind.UNKNOWN


def _last_field(last: str, closed: bool) -> _LastField:
    number = NUMBER.match(last)
    if number:
        return _LastField(number["score"], True, last[number.end() :])
    quoted = last.lstrip()[:1] in {'"', "“", "«", "'", "‘"}
    if quoted and (end := _QUOTED_END.search(last)):
        return _LastField(last[: end.start() + 1], True, last[end.end() :])
    if quoted and (field := _up_to_last_quote(last)):
        return field
    if end := _SEPARATED_END.search(last):
        return _LastField(last[: end.start()], True, last[end.end() :])
    return _unquoted_end(last, closed, quoted)


def _up_to_last_quote(last: str) -> _LastField | None:
    """Return a quoted field without parenthesis; only a new line or text without letters may follow the quote."""
    end = max(last.rfind(quote) for quote in "\"”“»'’")
    rest = last[end + 1 :]
    alone = end > len(last) - len(last.lstrip()) and (
        not _LETTER.search(rest) or rest.lstrip(" \t*`)").startswith(("\n", "##"))
    )
    return _LastField(last[: end + 1], True, rest) if alone else None


def _unquoted_end(last: str, closed: bool, quoted: bool) -> _LastField:
    end = max(last.rfind(closing) for closing in ")）")
    text, rest = last[:end], last[end + 1 :]
    # A parenthesis opened in the text belongs to the text, not to the record.
    balanced = text.count("(") + text.count("（") == text.count(")") + text.count("）")
    if end >= 0 and balanced and (not _LETTER.search(rest) or rest.lstrip(" \t*`").startswith("\n")):
        return _LastField(text, True, rest)
    bare = last.rstrip("# \t\n*`")
    return _LastField(bare, closed or (not quoted and bare.endswith(_SENTENCE_ENDS)))
