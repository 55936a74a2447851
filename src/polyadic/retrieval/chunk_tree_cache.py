"""Cache of the trees built last, by version of the store."""

from collections import OrderedDict

from polyadic.config import RaptorSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.retrieval.chunk_tree import ChunkTree, build_chunk_tree
from polyadic.storage.protocol import Reader

MOST_TREES = 8


class ChunkTreeCache:
    """Trees by version of the store, embedder and settings; the least recently used one is dropped first."""

    def __init__(self, most: int = MOST_TREES) -> None:
        self._most = most
        self._trees: OrderedDict[tuple[str, str, RaptorSettings], ChunkTree] = OrderedDict()

    async def tree(self, reader: Reader, embedder: Embedder, settings: RaptorSettings) -> ChunkTree:
        """Return the tree of what the reader sees; it is built if it is not in the cache."""
        key = (reader.records.version, embedder.name, settings)
        tree = self._trees.get(key) or await build_chunk_tree(reader, embedder, settings)
        self._trees[key] = tree
        self._trees.move_to_end(key)
        while len(self._trees) > self._most:
            self._trees.popitem(last=False)
        return tree
