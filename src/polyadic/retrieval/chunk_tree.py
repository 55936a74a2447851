"""Tree of summaries over clusters of chunks (RAPTOR, arXiv 2401.18059, section 3), built in memory and cached there.

Layer 0 consists of the chunks. Each layer is clustered by Gaussian mixtures with soft membership, and the summaries of
its clusters form the next layer, until too few members are left. A summary is extractive: it consists of the fact of
each member that is nearest to the centre of the cluster, as many as fit.
"""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np

from polyadic.clustering.soft_clustering import cluster
from polyadic.concurrency.run_in_thread import run_in_thread
from polyadic.config import RaptorSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.retrieval.similarity_hits import targets_by_source
from polyadic.storage.protocol import Reader, Rows, Vectors

FEWEST = 12
"""Layers with fewer members are not clustered: RAPTOR reduces vectors to 10 dimensions, and needs more than 11."""

MOST_TREES = 8

_Key = tuple[str, str, RaptorSettings]


@dataclass(frozen=True, slots=True)
class SummaryNode:
    """A summary: its layer from 1, the facts that it consists of, in order, and the chunks below it."""

    layer: int
    facts: tuple[int, ...]
    chunks: frozenset[int]


@dataclass(frozen=True, slots=True)
class ChunkTree:
    """The summaries of all layers, the lowest first, and their vectors, shape (n, d)."""

    summaries: tuple[SummaryNode, ...]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class _Member:
    """A chunk or a summary with the facts that may represent it, its number of tokens, and the chunks below it."""

    facts: tuple[int, ...]
    tokens: int
    chunks: frozenset[int]


async def build_chunk_tree(reader: Reader, embedder: Embedder, settings: RaptorSettings) -> ChunkTree:
    """Build the tree over all chunks of a store."""
    chunks = reader.rows("chunk")
    members, vectors = _leaves(chunks, reader), reader.directions("chunk", chunks)
    summaries: list[SummaryNode] = []
    all_vectors = [np.zeros((0, embedder.dimension), dtype=np.float32)]
    for layer in range(1, settings.layers + 1):
        if len(members) < FEWEST:
            break
        groups = await run_in_thread(_clusters, members, vectors, settings)
        nodes = [_summary(layer, [members[i] for i in group], vectors[group], settings, reader) for group in groups]
        nodes = list(dict.fromkeys(node for node in nodes if node.facts))
        if not nodes or len(nodes) >= len(members):
            break
        texts = _texts(nodes, reader)
        members, vectors = _as_members(nodes, reader), await embedder.embed(texts)
        summaries += nodes
        all_vectors.append(vectors)
    return ChunkTree(tuple(summaries), np.concatenate(all_vectors))


def _leaves(chunks: Rows, reader: Reader) -> list[_Member]:
    facts = targets_by_source(reader.links("chunk_facts", chunks))
    tokens = reader.tokens("chunk", chunks).tolist()
    return [
        _Member(tuple(facts.get(chunk, ())), count, frozenset((chunk,)))
        for chunk, count in zip(chunks.tolist(), tokens, strict=True)
    ]


def _clusters(members: Sequence[_Member], vectors: Vectors, settings: RaptorSettings) -> list[list[int]]:
    """Cluster members so that a cluster has about ``cluster_tokens`` at most; return their positions."""
    mean = sum(member.tokens for member in members) / len(members)
    most = max(2, int(settings.cluster_tokens / max(mean, 1)))
    return [list(group.members) for group in cluster(vectors, most, settings.soft_above, settings.seed)]


def _summary(
    layer: int, members: Sequence[_Member], vectors: Vectors, settings: RaptorSettings, reader: Reader
) -> SummaryNode:
    """Summarize a cluster by the best fact of each member, nearest to the centre first."""
    centre = vectors.sum(axis=0)
    facts = np.unique(np.array([fact for member in members for fact in member.facts], dtype=np.int64))
    nearness = dict(zip(facts.tolist(), reader.similarity("fact", facts, centre[None, :])[0].tolist(), strict=True))
    best = {max(member.facts, key=lambda fact: (nearness[fact], -fact)) for member in members if member.facts}
    ordered = np.array(sorted(best, key=lambda fact: (-nearness[fact], fact)), dtype=np.int64)
    within = np.cumsum(reader.tokens("fact", ordered)) <= settings.summary_tokens
    # A single long fact is still a summary.
    within[:1] = True
    chunks = frozenset[int]().union(*(member.chunks for member in members))
    return SummaryNode(layer, tuple(ordered[within].tolist()), chunks)


def _texts(nodes: Sequence[SummaryNode], reader: Reader) -> list[str]:
    rows = np.unique(np.array([fact for node in nodes for fact in node.facts], dtype=np.int64))
    texts = {row: fact.text for row, fact in zip(rows.tolist(), reader.facts(rows), strict=True)}
    return [" ".join(texts[fact] for fact in node.facts) for node in nodes]


def _as_members(nodes: Sequence[SummaryNode], reader: Reader) -> list[_Member]:
    rows = np.unique(np.array([fact for node in nodes for fact in node.facts], dtype=np.int64))
    tokens = dict(zip(rows.tolist(), reader.tokens("fact", rows).tolist(), strict=True))
    return [_Member(node.facts, sum(tokens[fact] for fact in node.facts), node.chunks) for node in nodes]


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
