"""Write facts as JSON lines: one piece of evidence per line, with its entities and spans."""

import json
from collections.abc import Iterator

from polyadic.interchange.document_export import export_documents
from polyadic.interchange.document_schema import plain_entities, plain_optional, plain_spans
from polyadic.query.shown_source_names import SourceNames
from polyadic.storage.protocol import Reader


def fact_lines(reader: Reader, names: SourceNames | None = None) -> Iterator[str]:
    """Yield all evidence, ordered by source and position, including that with fewer than two entities."""
    for export in export_documents(reader, names):
        for evidence in (one for chunk_export in export.chunk_exports for one in chunk_export.evidence):
            line = {
                "text": evidence.text,
                "score": evidence.score,
                "entities": plain_entities(evidence),
                "source": export.document.source,
                "title": export.document.title,
                "spans": plain_spans(evidence),
                "extractor": evidence.extractor,
                **plain_optional(evidence),
            }
            yield json.dumps(line, ensure_ascii=False) + "\n"
