"""Look up what tests know by name."""

from collections.abc import Iterable

from polyadic.model.types import Chunk
from polyadic.query.lookup import row_of_key
from polyadic.storage.protocol import Reader


def keyed(reader: Reader, keys: Iterable[str]) -> dict[str, int]:
    """Return the rows of entities by key; unknown keys are absent."""
    return {key: row for key in keys if (row := row_of_key(reader, key)) is not None}


def chunks_of(reader: Reader, document_id: str) -> list[Chunk]:
    """Return the chunks of a document, in order."""
    return [chunk for chunk, _ in reader.records.evidence(document_id)]
