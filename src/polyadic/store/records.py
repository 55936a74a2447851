"""Evidence and metadata as JSON text: what a chunk's extraction said, compact and readable."""

import json
from collections.abc import Mapping, Sequence

from polyadic.knowledge import Evidence, Participation, Span


def dump_evidence(evidence: Sequence[Evidence]) -> str:
    """One JSON array for all evidence of a chunk.

    >>> load_evidence(dump_evidence([]))
    ()
    """
    return _dump(
        [
            [
                e.text,
                e.score,
                e.extractor,
                [[s.start, s.end] for s in e.spans],
                [[p.name, p.type, p.description, p.score] for p in e.participants],
            ]
            for e in evidence
        ]
    )


def load_evidence(text: str) -> tuple[Evidence, ...]:
    """The inverse of :func:`dump_evidence`."""
    return tuple(
        Evidence(
            text=statement,
            score=score,
            extractor=extractor,
            spans=tuple(Span(start, end) for start, end in spans),
            participants=tuple(Participation(*fields) for fields in participants),
        )
        for statement, score, extractor, spans, participants in json.loads(text)
    )


def dump_metadata(metadata: Mapping[str, str]) -> str:
    return _dump(dict(sorted(metadata.items())))


def load_metadata(text: str) -> dict[str, str]:
    metadata: dict[str, str] = json.loads(text)
    return metadata


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
