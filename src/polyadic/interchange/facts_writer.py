"""Write facts as JSON lines: one statement per line, with its entities and spans."""

import json
from collections.abc import Iterator

from polyadic.interchange.document_record import export_documents
from polyadic.interchange.document_schema import plain_entities, plain_optional, plain_spans
from polyadic.query.shown_source_names import SourceNames
from polyadic.storage.protocol import Reader


def fact_lines(reader: Reader, names: SourceNames | None = None) -> Iterator[str]:
    """Yield every statement, ordered by source and position, including those with fewer than two entities."""
    for export in export_documents(reader, names):
        for statement in (statement for passage in export.passages for statement in passage.evidence):
            line = {
                "text": statement.text,
                "score": statement.score,
                "entities": plain_entities(statement),
                "source": export.document.source,
                "title": export.document.title,
                "spans": plain_spans(statement),
                "extractor": statement.extractor,
                **plain_optional(statement),
            }
            yield json.dumps(line, ensure_ascii=False) + "\n"
