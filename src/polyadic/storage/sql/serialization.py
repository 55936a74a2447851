"""Serialization of evidence, metadata, pages, headings and decisions as JSON columns, and reading them back."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from polyadic.model.resolution import DecisionKind, EntityResolution, ResolutionDecision
from polyadic.model.types import Chunk, Document, Evidence, Heading, Participation, Span
from polyadic.storage.connection import Connection
from polyadic.storage.protocol import Fingerprint
from polyadic.storage.sql.compression import compress, decompress
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.texts import text_of

DOCUMENT = "r.id, d.source, r.title, r.metadata, r.pages"
"""Columns of a document ``d`` and its revision ``r`` from which :func:`document_of` makes a document."""
# Values of the optional fields of evidence, where they are not written.
_OPTIONAL: tuple[Any, ...] = ("", "", "", ())
# Fields of evidence and of a participant that are always written.
_FIELDS, _PARTICIPANT_FIELDS = 5, 4


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
    return compress(_dump(rows))


def load_evidence(data: bytes | None) -> tuple[Evidence, ...]:
    """Invert :func:`dump_evidence`; empty for None. Raises ValueError if the data is damaged."""
    return _evidence(_rows(data))


def load_detailed_evidence(data: bytes | None) -> tuple[Evidence, ...]:
    """Load only the evidence with any optional field, of its own or of a participant.

    >>> load_detailed_evidence(dump_evidence([Evidence("Ada wrote.", 8.0, (Participation("Ada"),), (), "sentences")]))
    ()
    """
    return _evidence(
        row for row in _rows(data) if len(row) > _FIELDS or any(len(one) > _PARTICIPANT_FIELDS for one in row[4])
    )


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


def dump_metadata(metadata: Mapping[str, str]) -> str:
    return _dump(dict(sorted(metadata.items())))


def load_metadata(text: str) -> dict[str, str]:
    metadata: dict[str, str] = json.loads(text)
    return metadata


def dump_pages(pages: Sequence[int]) -> str:
    return _dump(list(pages))


def load_pages(text: str) -> tuple[int, ...]:
    return tuple(json.loads(text))


def dump_headings(headings: Sequence[Heading]) -> str:
    """Serialize headings as JSON.

    >>> load_headings(dump_headings([Heading(0, 5, 1, "Ada")]))
    (Heading(start=0, end=5, level=1, words='Ada'),)
    """
    return _dump([[one.start, one.end, one.level, one.words] for one in headings])


def load_headings(text: str) -> tuple[Heading, ...]:
    return tuple(Heading(*fields) for fields in json.loads(text))


def stamp_of(connection: Connection, document_id: str) -> Fingerprint | None:
    """Return the fingerprint of a document's current revision; it is complete if all chunks have evidence."""
    return stamps_of(connection, [document_id]).get(document_id)


def stamps_of(connection: Connection, document_ids: Sequence[str]) -> dict[str, Fingerprint]:
    """Return the fingerprints of documents by identifier; those without a current revision are absent."""
    rows = select_in(
        connection,
        "SELECT d.digest, r.content, r.pipeline_config, r.extractor,"
        " NOT EXISTS (SELECT 1 FROM chunk c WHERE c.revision = r.id AND c.evidence IS NULL)"
        " FROM document d JOIN revision r ON r.id = d.current WHERE d.digest {any_of}",
        [*map(bytes.fromhex, document_ids)],
    )
    return {
        digest.hex(): Fingerprint(content, config, extractor, bool(complete))
        for digest, content, config, extractor, complete in rows
    }


def document_of(connection: Connection, revision: int, source: str, title: str, metadata: str, pages: str) -> Document:
    """Make a document of the columns DOCUMENT of its revision, and the text."""
    return Document(source, title, text_of(connection, revision), load_metadata(metadata), load_pages(pages))


def current_revision(connection: Connection, document_id: str) -> int | None:
    """Return the revision of a document that readers see; None if there is none."""
    row = connection.execute("SELECT current FROM document WHERE digest = ?", (bytes.fromhex(document_id),)).fetchone()
    return row[0] if row else None


def chunks_of(connection: Connection, document_id: str, revision: int) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
    """Return the chunks of a revision with their evidence, in document order."""
    text = text_of(connection, revision)
    rows = connection.execute(
        "SELECT start, stop, new_from, tokens, evidence FROM chunk WHERE revision = ? ORDER BY id", (revision,)
    )
    return [
        (Chunk(document_id, Span(start, stop), text[start:stop], tokens, new_from), load_evidence(evidence))
        for start, stop, new_from, tokens, evidence in rows
    ]


def evidence_of(connection: Connection, chunks: Sequence[int]) -> Iterator[tuple[str, tuple[Evidence, ...]]]:
    """Yield the evidence of chunks (table keys), each with the identifier of its document."""
    for digest, evidence in select_in(
        connection,
        "SELECT d.digest, c.evidence FROM chunk c JOIN revision r ON r.id = c.revision"
        " JOIN document d ON d.id = r.document WHERE c.evidence IS NOT NULL AND c.id {any_of}",
        chunks,
    ):
        yield digest.hex(), load_evidence(evidence)


def dump_decision(decision: ResolutionDecision) -> str:
    """Serialize a resolution decision as JSON.

    >>> load_decision(dump_decision(ResolutionDecision(DecisionKind.CANNOT_LINK, ("Ada", "Adam")))).names
    ('Ada', 'Adam')
    """
    return _dump([decision.kind, list(decision.names), decision.into, list(decision.documents)])


def load_decision(text: str) -> ResolutionDecision:
    """The inverse of :func:`dump_decision`."""
    kind, names, into, documents = json.loads(text)
    return ResolutionDecision(DecisionKind(kind), tuple(names), into, tuple(documents))


def resolution_of(connection: Connection) -> EntityResolution:
    """Return the entity resolution made of all stored decisions."""
    return EntityResolution.of(load_decision(text) for (text,) in connection.execute("SELECT content FROM decision"))


def _filled(*optional: Any) -> list[Any]:
    """Return the values of optional fields, without the empty ones at the end.

    >>> _filled("", "1843", "", ()), _filled("", "")
    (['', '1843'], [])
    """
    fields = list(optional)
    while fields and not fields[-1]:
        fields.pop()
    return fields


def _rows(data: bytes | None) -> list[list[Any]]:
    rows: list[list[Any]] = json.loads(decompress(data)) if data is not None else []
    return rows


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
