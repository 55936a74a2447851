"""A cross-encoder whose logits a test decides."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyadic.embeddings.minilm.weights import ModelFiles
from polyadic.rerankers.pair_scoring.models import ANSWER_SELECTION
from polyadic.rerankers.pair_scoring.scorer import PairScorer


class ScriptedSelector(PairScorer):
    """Gives these sentences their logits and all others ``others``; ``calls`` has what was judged."""

    def __init__(self, logits: Mapping[str, float], others: float = 0.0) -> None:
        super().__init__(ModelFiles(Path("no tokenizer"), Path("no weights")), ANSWER_SELECTION)
        self.calls: list[list[tuple[str, str]]] = []
        self._logits, self._others = logits, others

    async def scores(self, first: str, seconds: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        self.calls.append(list(seconds))
        return np.array([self._logits.get(text, self._others) for _, text in seconds])
