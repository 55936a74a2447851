"""A reader over lists, with a hierarchy and the few records that methods read."""

from collections.abc import Iterable, Sequence
from typing import cast

from polyadic.model import identity
from polyadic.model.hierarchy import Hierarchy
from polyadic.model.resolution import NO_DECISIONS, EntityResolution
from polyadic.model.types import Heading
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.record_reader import RecordReader
from polyadic.storage.records import Vectors
from polyadic.text.headings import headings, headings_of
from tests.retrieval.memory_hierarchy import MemoryHierarchyReader
from tests.support.memory_store import reader
from tests.support.memory_store.reader import Embed, ReadChunk

NO_HIERARCHY = Hierarchy()


class MemoryReader(reader.MemoryReader):
    """Reads what chunks with their evidence derive to, and a hierarchy over it."""

    def __init__(self, read: Iterable[ReadChunk], embed: Embed, hierarchy: Hierarchy = NO_HIERARCHY) -> None:
        super().__init__(read, embed)
        self._hierarchy = hierarchy

    @property
    def records(self) -> RecordReader:
        return cast(RecordReader, _Records(self._read, self._hierarchy))

    def embedded(self, text: str) -> Vectors:
        """Return the vector of a text, shape (d,)."""
        vector: Vectors = self._embed([text])[0]
        return vector

    def hierarchy_reader(self) -> HierarchyReader:
        rows = {
            node_type: {one: row for row, one in enumerate(self._ids[node_type])} for node_type in ("entity", "fact")
        }
        return MemoryHierarchyReader(self._hierarchy, rows["entity"], rows["fact"], self._embed)


class _Records:
    """The records that retrieval reads."""

    def __init__(self, read: Sequence[ReadChunk], hierarchy: Hierarchy) -> None:
        self._read = read
        self._hierarchy = hierarchy

    @property
    def version(self) -> str:
        return identity.digest("memory", *(chunk.id for _, chunk, _ in self._read))

    def headings(self, chunk_ids: Sequence[str]) -> dict[str, tuple[Heading, ...]]:
        return {
            chunk.id: headings_of(headings(document.text), chunk.span)
            for document, chunk, _ in self._read
            if chunk.id in chunk_ids
        }

    def resolution(self) -> EntityResolution:
        return NO_DECISIONS

    def hierarchy(self) -> Hierarchy:
        return self._hierarchy
