"""Cache of the trees built last, by version of the store."""

import asyncio
import threading
from collections import OrderedDict
from concurrent.futures import Future

from polyadic.config import RaptorSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.retrieval.chunk_tree import ChunkTree, build_chunk_tree
from polyadic.storage.protocol import Reader

MOST_TREES = 8

_Key = tuple[str, str, RaptorSettings]


class ChunkTreeCache:
    """Trees by version of the store, embedder and settings; the least recently used one is dropped first.

    May be used from several event loops.
    """

    def __init__(self, most: int = MOST_TREES) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._trees: OrderedDict[_Key, ChunkTree] = OrderedDict()
        self._builds: dict[_Key, Future[None]] = {}

    async def tree(self, reader: Reader, embedder: Embedder, settings: RaptorSettings) -> ChunkTree:
        """Return the tree of what the reader sees; it is built once, and other callers wait for it."""
        key = (reader.records.version, embedder.name, settings)
        while True:
            with self._lock:
                if key in self._trees:
                    self._trees.move_to_end(key)
                    return self._trees[key]
                running = self._builds.get(key)
                if running is None:
                    self._builds[key] = Future()
            if running is None:
                return await self._build(key, reader, embedder, settings)
            # If that build fails or is cancelled, the next caller builds with its own reader.
            await asyncio.shield(asyncio.wrap_future(running))

    async def _build(self, key: _Key, reader: Reader, embedder: Embedder, settings: RaptorSettings) -> ChunkTree:
        try:
            tree = await build_chunk_tree(reader, embedder, settings)
            with self._lock:
                self._trees[key] = tree
                while len(self._trees) > self._most:
                    self._trees.popitem(last=False)
            return tree
        finally:
            with self._lock:
                ended = self._builds.pop(key)
            ended.set_result(None)
