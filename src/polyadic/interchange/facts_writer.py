"""Facts as JSON lines: one statement a line, with its entities and its place."""

import json
from collections.abc import Iterator

from polyadic.interchange.document_record import export_documents
from polyadic.interchange.document_schema import plain_entities, plain_spans
from polyadic.storage.protocol import Reader


def fact_lines(reader: Reader) -> Iterator[str]:
    """Every statement in the order of sources and of their texts, also those that name fewer than two entities."""
    for told in export_documents(reader):
        for said in (said for passage in told.passages for said in passage.evidence):
            line = {
                "text": said.text,
                "score": said.score,
                "entities": plain_entities(said),
                "source": told.document.source,
                "title": told.document.title,
                "spans": plain_spans(said),
                "extractor": said.extractor,
            }
            yield json.dumps(line, ensure_ascii=False) + "\n"
