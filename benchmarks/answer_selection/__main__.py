"""Write what the cross-encoder for quoted answers learns from: ``python -m benchmarks.answer_selection DATA FOLDER``.

DATA has the public data sets that benchmarks/answer_selection/public_sets.py describes. FOLDER gets their examples and
those of the invented documents, as tokens (``examples.npz``), and the embedder's weights (``weights.npz``). Then
``python -m benchmarks.answer_selection.training FOLDER ADAPTER`` trains, where there is torch and perhaps a GPU.
"""

import argparse
import random
from pathlib import Path

import numpy as np

from benchmarks.answer_selection.examples import own_examples, with_distractors
from benchmarks.answer_selection.public_sets import public_examples
from benchmarks.answer_selection.tokens import tokenized
from polyadic.embeddings.minilm.onnx_graph import ModelWeights
from polyadic.embeddings.minilm.tokenizer import WordPiece
from polyadic.embeddings.minilm.weights import find_weights
from polyadic.rerankers.pair_scoring.models import ANSWER_SELECTION
from polyadic.rerankers.pair_scoring.pairs import PairTokenizer

_READ = ".weight", ".bias"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder of the public data sets")
    parser.add_argument("folder", type=Path, help="folder to write to")
    given = parser.parse_args()
    chance = random.Random(0)  # noqa: S311
    weights = find_weights()
    public, own = with_distractors(list(public_examples(given.data, chance)), list(own_examples(chance)))
    given.folder.mkdir(parents=True, exist_ok=True)
    tokenizer = PairTokenizer(WordPiece(weights.tokenizer.read_bytes()), ANSWER_SELECTION)
    np.savez_compressed(given.folder / "examples.npz", allow_pickle=False, **tokenized(public, own, tokenizer))
    network = ModelWeights(weights.network)
    halves = {name: network.array(name).astype(np.float16) for name in network.names if name.endswith(_READ)}
    np.savez_compressed(given.folder / "weights.npz", allow_pickle=False, **halves)


if __name__ == "__main__":
    main()
