"""Cache for the ONNX graphs of all-MiniLM-L6-v2 in the user's cache folder.

Building a graph needs the ``onnx`` package, whose import takes as long as the rest of a start.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

from polyadic.embeddings.cache_folder import cache_folder, write_whole
from polyadic.embeddings.minilm.weights import ModelFiles

# Increment whenever a change of onnx_graph.py or int8_quantization.py changes the graph; other versions are not used.
GRAPH_VERSION = 1
INT8_GRAPH_VERSION = 1
_DIGEST_LENGTH = 64


def cached_graph(weights: Path, sha256: str) -> bytes:
    """Return the serialized graph for a safetensors file with this hash, from the cache or newly built.

    The cached file begins with the hash of the rest, so an altered or damaged one is replaced.
    """

    def build() -> bytes:
        from polyadic.embeddings.minilm.onnx_graph import build_graph

        return build_graph(weights)

    return cached("minilm", f"{GRAPH_VERSION}\n{sha256}\n{weights.name}", build)


def cached_int8_graph(weights: ModelFiles, sha256: str) -> bytes:
    """Return the graph with eight-bit matrix products likewise: 11 MB, built in some seconds."""

    def build() -> bytes:
        from polyadic.embeddings.minilm.int8_quantization import build_int8_graph

        return build_int8_graph(weights)

    return cached("minilm-int8", f"{INT8_GRAPH_VERSION}\n{sha256}\n{weights.network.name}", build)


def cached(name: str, made_from: str, build: Callable[[], bytes]) -> bytes:
    """Return a graph from the cache, or build it; ``made_from`` names everything that it depends on."""
    key = hashlib.sha256(made_from.encode()).hexdigest()[:16]
    path = cache_folder() / "graphs" / f"{name}-{key}"
    try:
        content = path.read_bytes()
    except OSError:
        content = b""
    digest, graph = content[:_DIGEST_LENGTH], content[_DIGEST_LENGTH:]
    if digest == _digest(graph):
        return graph
    graph = build()
    try:
        write_whole(path, _digest(graph) + graph)
    except OSError:
        # With a read-only cache the next start builds the graph again.
        return graph
    return graph


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()
