"""Export CSV tables for Neo4j's import tool (``neo4j-admin database import``), one file per node or edge type."""

import csv
import io
from collections.abc import Iterable, Iterator

from polyadic.interchange.bipartite import all_entities, all_facts, all_participations
from polyadic.interchange.document_export import export_documents
from polyadic.model.types import FactDetails
from polyadic.storage.protocol import Reader

_Row = Iterable[object]


def tables(reader: Reader) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the name and the lines of each file.

    Texts are quoted and otherwise unchanged, even if a spreadsheet would read one as a formula.
    """
    for name, header, rows in (
        (
            "entities.csv",
            (":ID", "key", "name", "type", "description", "score:double", "facts:int", ":LABEL"),
            ((e.id, e.key, e.name, e.type, e.description, e.score, e.facts, "Entity") for e in all_entities(reader)),
        ),
        (
            "facts.csv",
            (":ID", "text", "score:double", "support:int", ":LABEL"),
            ((f.id, f.text, f.score, f.support, "Fact") for f in all_facts(reader)),
        ),
        ("documents.csv", (":ID", "source", "title", "date", ":LABEL"), _documents(reader)),
        ("chunks.csv", (":ID", "text", "start:int", "end:int", "tokens:int", ":LABEL"), _chunks(reader)),
        ("takes_part_in.csv", (":START_ID", ":END_ID", ":TYPE"), _participations(reader)),
        (
            "stated_in.csv",
            (":START_ID", ":END_ID", "start:int", "end:int", "details", ":TYPE"),
            _evidence_spans(reader),
        ),
        ("part_of.csv", (":START_ID", ":END_ID", ":TYPE"), _parts(reader)),
    ):
        yield name, _lines(header, rows)


def _documents(reader: Reader) -> Iterator[_Row]:
    return ((d.id, d.source, d.title, d.metadata.get("date", ""), "Document") for d in reader.records.documents())


def _chunks(reader: Reader) -> Iterator[_Row]:
    for export in export_documents(reader):
        yield from ((c.id, c.text, c.span.start, c.span.end, c.tokens, "Chunk") for c in export.chunks)


def _participations(reader: Reader) -> Iterator[_Row]:
    for fact, entities in all_participations(reader):
        yield from ((entity.id, fact.id, "TAKES_PART_IN") for entity in entities)


def _evidence_spans(reader: Reader) -> Iterator[_Row]:
    """Yield the span of each piece of evidence of a fact, or its whole chunk if it has no span, and its details."""
    for export in export_documents(reader):
        for chunk_export in export.chunk_exports:
            places: dict[tuple[int, int, str], dict[str, None]] = {}
            for evidence in chunk_export.evidence:
                details = FactDetails.of(evidence)
                for span in evidence.spans or (chunk_export.chunk.span,):
                    if evidence.fact_id is not None:
                        known = places.setdefault((span.start, span.end, evidence.fact_id), {})
                        known |= {str(details): None} if details else {}
            for (start, end, fact), lines in sorted(places.items()):
                yield fact, chunk_export.chunk.id, start, end, "\n".join(lines), "STATED_IN"


def _parts(reader: Reader) -> Iterator[_Row]:
    for export in export_documents(reader):
        yield from ((chunk.id, export.document.id, "PART_OF") for chunk in export.chunks)


def _lines(header: _Row, rows: Iterable[_Row]) -> Iterator[str]:
    buffer = io.StringIO(newline="")
    yield ",".join(map(str, header)) + "\n"
    # Every text is quoted, so that an empty text is not read as a missing value.
    writer = csv.writer(buffer, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    for row in rows:
        writer.writerow(row)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
