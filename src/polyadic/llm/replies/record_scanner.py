"""Where the records of the delimiter format begin and end, and which fields they have."""

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
_NO_FIELD = ' \t\n#)*`"“”'
_LAST_OF_A_SENTENCE = tuple(".!?。！？…")


class RecordKind(StrEnum):
    """What a record is."""

    FACT = "fact"
    RELATION = "relation"
    ENTITY = "entity"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class DelimitedRecord:
    """One record: its fields after the kind. Where it is not ``whole``, the reply broke off in the last field."""

    kind: RecordKind
    fields: tuple[str, ...]
    whole: bool = True


@dataclass(frozen=True, slots=True)
class _Ended:
    """A last field without what follows the record, and that remainder."""

    text: str
    whole: bool
    rest: str = ""


def may_hold_records(text: str) -> bool:
    """Whether some spelling of the delimiters may be in a text: a quick look, which most replies in JSON do not pass.

    >>> may_hold_records('{"text": "Ada wrote."}'), may_hold_records('"Ada"{TUPLE_DELIMITER}9')
    (False, True)
    """
    return "<" in text or "|" in text or "tuple_" in text.lower()


def canonical(text: str) -> str:
    """All spellings of the delimiters as the one that was asked for.

    >>> canonical('"Ada"</|>"person"{tuple_delimiter}9{record_delimiter}<|complete|>')
    '"Ada"<|>"person"<|>9##<|COMPLETE|>'
    """
    return _COMPLETE.sub("<|COMPLETE|>", _RECORD.sub("##", _FIELD.sub(FIELD, text)))


def first_record(text: str) -> int | None:
    """Where the first record begins, in a canonical text."""
    return next((start for start, _, _ in _heads(text)), None)


def records(text: str) -> Iterator[DelimitedRecord]:
    """The records of a canonical text, whatever stands between them; a last one of no fields is one that was begun."""
    heads = list(_heads(text))
    starts = [start for start, _, _ in heads] + [len(text)]
    marks = [mark.start() for mark in re.finditer(r"<\|COMPLETE\|>", text)] + [len(text)]
    for position, (_, end, kind) in enumerate(heads):
        limit = min(starts[position + 1], marks[bisect_left(marks, end)])
        ended = None
        *fields, last = text[end:limit].split(FIELD)
        closed = limit < len(text)
        if closed and fields and not last.strip(_NO_FIELD):
            last = fields.pop()
        if last.strip() or not closed:
            ended = _ended(last, closed)
            fields.append(ended.text)
        yield DelimitedRecord(kind, tuple(fields), ended is None or ended.whole)
        if ended and not closed and _BEGUN.search(ended.rest[-100:]):
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


def _ended(last: str, closed: bool) -> _Ended:
    number = NUMBER.match(last)
    if number:
        return _Ended(number["score"], True, last[number.end() :])
    quoted = last.lstrip()[:1] in {'"', "“", "«", "'", "‘"}
    if quoted and (end := _QUOTED_END.search(last)):
        return _Ended(last[: end.start() + 1], True, last[end.end() :])
    if quoted and (ended := _to_the_last_quote(last)):
        return ended
    if end := _SEPARATED_END.search(last):
        return _Ended(last[: end.start()], True, last[end.end() :])
    return _unquoted_end(last, closed, quoted)


def _to_the_last_quote(last: str) -> _Ended | None:
    """For a quoted field without parenthesis: nothing but a new line or no words may follow the quote."""
    end = max(last.rfind(quote) for quote in "\"”“»'’")
    rest = last[end + 1 :]
    alone = end > len(last) - len(last.lstrip()) and (
        not _LETTER.search(rest) or rest.lstrip(" \t*`)").startswith(("\n", "##"))
    )
    return _Ended(last[: end + 1], True, rest) if alone else None


def _unquoted_end(last: str, closed: bool, quoted: bool) -> _Ended:
    end = max(last.rfind(closing) for closing in ")）")
    text, rest = last[:end], last[end + 1 :]
    # A parenthesis that something in the text opens belongs to the text, not to the record.
    balanced = text.count("(") + text.count("（") == text.count(")") + text.count("）")
    if end >= 0 and balanced and (not _LETTER.search(rest) or rest.lstrip(" \t*`").startswith("\n")):
        return _Ended(text, True, rest)
    bare = last.rstrip("# \t\n*`")
    return _Ended(bare, closed or (not quoted and bare.endswith(_LAST_OF_A_SENTENCE)))
