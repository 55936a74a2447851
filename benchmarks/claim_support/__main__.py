"""Write what the cross-encoder for claims learns from: ``python -m benchmarks.claim_support DATA FOLDER``.

DATA has the public data sets that benchmarks/claim_support/pairs.py describes. FOLDER gets their pairs and those of the
invented documents, as tokens (``pairs.npz``), the embedder's weights (``weights.npz``) and the adapter of the
cross-encoder for quoted answers (``start.npz``), from which training starts, because it reads two texts already. Then
``python -m benchmarks.claim_support.training FOLDER ADAPTER`` trains, where there is torch.
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.claim_support.pairs import ClaimPair, own_pairs, public_pairs
from polyadic.embeddings.minilm.onnx_graph import ModelWeights
from polyadic.embeddings.minilm.tokenizer import WordPiece
from polyadic.embeddings.minilm.weights import find_weights
from polyadic.rerankers.pair_scoring.adapter import load_adapter
from polyadic.rerankers.pair_scoring.models import ANSWER_SELECTION, CLAIM_SUPPORT
from polyadic.rerankers.pair_scoring.pairs import PairTokenizer

_READ = ".weight", ".bias"
_AT_ONCE = 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder of the public data sets")
    parser.add_argument("folder", type=Path, help="folder to write to")
    given = parser.parse_args()
    public, own = list(public_pairs(given.data)), list(own_pairs(random.Random(0)))  # noqa: S311
    files = find_weights()
    given.folder.mkdir(parents=True, exist_ok=True)
    tokenizer = PairTokenizer(WordPiece(files.tokenizer.read_bytes()), CLAIM_SUPPORT)
    np.savez_compressed(given.folder / "pairs.npz", allow_pickle=False, **tokenized(public, own, tokenizer))
    network = ModelWeights(files.network)
    halves = {name: network.array(name).astype(np.float16) for name in network.names if name.endswith(_READ)}
    np.savez_compressed(given.folder / "weights.npz", allow_pickle=False, **halves)
    np.savez_compressed(given.folder / "start.npz", allow_pickle=False, **load_adapter(ANSWER_SELECTION.adapter))


def tokenized(
    public: Sequence[ClaimPair], own: Sequence[ClaimPair], tokenizer: PairTokenizer
) -> dict[str, NDArray[Any]]:
    """Return the arrays of all pairs.

    - ``ids``: tokens, padded by 0, shape (pairs, longest), and ``first``, how many are of the claim, shape (pairs,);
    - ``is_supported``, ``is_near``, ``is_own``: booleans, shape (pairs,);
    - ``source``: number of the document, shape (pairs,).
    """
    pairs = [*public, *own]
    parts = [
        tokenizer.pairs([(one.claim, one.context, one.text) for one in pairs[start : start + _AT_ONCE]])
        for start in range(0, len(pairs), _AT_ONCE)
    ]
    ids = np.zeros((len(pairs), max(part["input_ids"].shape[1] for part in parts)), np.uint16)
    first = np.zeros(len(pairs), np.int64)
    for start, part in zip(range(0, len(pairs), _AT_ONCE), parts, strict=True):
        rows, length = part["input_ids"].shape
        ids[start : start + rows, :length] = part["input_ids"]
        first[start : start + rows] = ((part["token_type_ids"] == 0) & (part["attention_mask"] == 1)).sum(1)
    sources = {source: number for number, source in enumerate(dict.fromkeys(one.source for one in pairs))}
    return {
        "ids": ids,
        "first": first,
        "is_supported": np.array([one.is_supported for one in pairs]),
        "is_near": np.array([one.is_near for one in pairs]),
        "is_own": np.arange(len(pairs)) >= len(public),
        "source": np.array([sources[one.source] for one in pairs]),
    }


if __name__ == "__main__":
    main()
