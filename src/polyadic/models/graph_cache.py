"""The ONNX graph of all-MiniLM-L6-v2, kept in the user's cache.

Building it takes the ``onnx`` package, whose import costs as much as all the rest of a start.
"""

import hashlib
from pathlib import Path

from polyadic.models.cache import cache_folder, write_whole

# Raise it whenever a change of onnx_graph.py changes the graph: one of another version is not used.
GRAPH_VERSION = 1
_DIGEST_LENGTH = 64


def cached_graph(weights: Path, sha256: str) -> bytes:
    """The serialised graph over a safetensors file that has this hash, from the cache or built anew.

    The cached file begins with the hash of the rest, so an altered or damaged one is not used but replaced.
    """
    key = hashlib.sha256(f"{GRAPH_VERSION}\n{sha256}\n{weights.name}".encode()).hexdigest()[:16]
    path = cache_folder() / "graphs" / f"minilm-{key}"
    try:
        content = path.read_bytes()
    except OSError:
        content = b""
    digest, graph = content[:_DIGEST_LENGTH], content[_DIGEST_LENGTH:]
    if digest == _digest(graph):
        return graph
    from polyadic.models.onnx_graph import build_graph

    graph = build_graph(weights)
    try:
        write_whole(path, _digest(graph) + graph)
    except OSError:
        # Where the cache cannot be written, the next start takes a fifth of a second longer, nothing else.
        return graph
    return graph


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()
