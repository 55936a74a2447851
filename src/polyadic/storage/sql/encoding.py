"""How values are stored: identifiers as digests, structured values as JSON, long ones compressed."""

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any

from polyadic.model import identity
from polyadic.model.hierarchy import Membership, Report, ReportFinding
from polyadic.model.resolution import DecisionKind, ResolutionDecision
from polyadic.model.types import Evidence, Heading, Participation, Span
from polyadic.storage.table import Codec

_COMPRESSION_LEVEL = 3  # higher levels save next to nothing
_HEX_DIGITS = 32
# Values of the optional fields of evidence, where they are not written.
_OPTIONAL: tuple[Any, ...] = ("", "", "", ())
# Fields of evidence and of a participant that are always written.
_FIELDS, _PARTICIPANT_FIELDS = 5, 4


# Cached, as each text and key of a batch is hashed several times: for lookup, insertion and reference.
@lru_cache(maxsize=16_384)
def text_digest(text: str) -> bytes:
    """Return the digest by which a text of any length is looked up."""
    return bytes.fromhex(identity.digest("text", text))


@lru_cache(maxsize=16_384)
def entity_digest(key: str) -> bytes:
    """Return the digest of the entity with this key."""
    return bytes.fromhex(identity.entity_id(key))


def pack(ids: Iterable[str]) -> bytes:
    """Concatenate public identifiers.

    >>> unpack(pack(["00" * 16, "ff" * 16])) == ("00" * 16, "ff" * 16)
    True
    """
    return bytes.fromhex("".join(ids))


def unpack(data: bytes) -> tuple[str, ...]:
    """The inverse of :func:`pack`."""
    digits = data.hex()
    return tuple(digits[at : at + _HEX_DIGITS] for at in range(0, len(digits), _HEX_DIGITS))


def compress(text: str) -> bytes:
    """Compress a text with zlib, to about a fifth of its size.

    >>> decompress(compress("Ada met Babbage."))
    'Ada met Babbage.'
    """
    return zlib.compress(text.encode(), _COMPRESSION_LEVEL)


def decompress(data: bytes) -> str:
    """Decompress a text; raises ValueError if the data is damaged."""
    try:
        return zlib.decompress(data).decode()
    except (zlib.error, TypeError) as error:
        raise ValueError(f"not a compressed text: {error}") from error


def to_json(value: object) -> str:
    """Serialize a value as compact JSON; a record becomes the list of its fields.

    >>> to_json([Span(1, 3), {"b": "2", "a": "1"}])
    '[[1,3],{"a":"1","b":"2"}]'
    """
    return _ENCODER.encode(value)


def dump_evidence(evidence: Sequence[Evidence]) -> bytes:
    """Serialize all evidence of a chunk as one compressed JSON array.

    >>> load_evidence(dump_evidence([]))
    ()
    """
    rows = [
        [
            e.text,
            e.score,
            e.extractor,
            [[s.start, s.end] for s in e.spans],
            [[p.name, p.type, p.description, p.score, *_filled(p.role, p.value)] for p in e.participants],
            *_filled(e.unsupported, e.valid_from, e.valid_to, e.qualifiers),
        ]
        for e in evidence
    ]
    return compress(to_json(rows))


def load_evidence(data: bytes | None) -> tuple[Evidence, ...]:
    """Invert :func:`dump_evidence`; empty for None. Raises ValueError if the data is damaged."""
    return () if data is None else _evidence(json.loads(decompress(data)))


def load_detailed_evidence(data: bytes | None) -> tuple[Evidence, ...]:
    """Load only the evidence with any optional field, of its own or of a participant.

    >>> load_detailed_evidence(dump_evidence([Evidence("Ada wrote.", 8.0, (Participation("Ada"),), (), "sentences")]))
    ()
    """
    text = "" if data is None else decompress(data)
    # Only optional fields are strings at the end of an array, and parsing takes several times as long as this search.
    if '"]' not in text:
        return ()
    rows = json.loads(text)
    return _evidence(row for row in rows if len(row) > _FIELDS or any(len(one) > _PARTICIPANT_FIELDS for one in row[4]))


def _evidence(rows: Iterable[Sequence[Any]]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            text=text,
            score=score,
            extractor=extractor,
            spans=tuple(Span(start, end) for start, end in spans),
            participants=tuple(Participation(*fields) for fields in participants),
            unsupported=unsupported,
            valid_from=valid_from,
            valid_to=valid_to,
            qualifiers=tuple((name, value) for name, value in qualifiers),
        )
        for text, score, extractor, spans, participants, *filled in rows
        for unsupported, valid_from, valid_to, qualifiers in [[*filled, *_OPTIONAL[len(filled) :]]]
    )


def load_decision(text: str) -> ResolutionDecision:
    """Invert :func:`to_json` for a decision.

    >>> decision = ResolutionDecision(DecisionKind.CANNOT_LINK, ("Ada", "Adam"))
    >>> load_decision(to_json(decision)) == decision
    True
    """
    kind, names, into, documents = json.loads(text)
    return ResolutionDecision(DecisionKind(kind), tuple(names), into, tuple(documents))


def load_report(text: str) -> Report:
    """Invert :func:`to_json` for a report.

    >>> report = Report("Engines", "They count.", 7.5, (ReportFinding("One counts.", ("00" * 16,)),), "a model")
    >>> load_report(to_json(report)) == report
    True
    """
    title, summary, rating, findings, by = json.loads(text)
    return Report(title, summary, rating, tuple(ReportFinding(text, tuple(facts)) for text, facts in findings), by)


def _fields(record: Any) -> list[Any]:
    return [getattr(record, field.name) for field in fields(record)]


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=_fields)


def _filled(*optional: Any) -> list[Any]:
    """Return the values of optional fields, without the empty ones at the end.

    >>> _filled("", "1843", "", ()), _filled("", "")
    (['', '1843'], [])
    """
    values = list(optional)
    while values and not values[-1]:
        values.pop()
    return values


BOOLEAN = Codec(bool, bool)
DIGEST = Codec(bytes.fromhex, bytes.hex)
DIGESTS = Codec(pack, unpack)
METADATA = Codec(lambda metadata: to_json(dict(metadata)), json.loads)
PAGES = Codec(to_json, lambda text: tuple(json.loads(text)))
HEADINGS = Codec(to_json, lambda text: tuple(Heading(*fields) for fields in json.loads(text)))
EVIDENCE = Codec(dump_evidence, load_evidence)
REPORT = Codec(to_json, load_report)
MEMBERSHIPS = Codec(to_json, lambda text: tuple(Membership(*fields) for fields in json.loads(text)))
