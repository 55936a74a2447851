"""Tokenize pairs of texts as sequences of two segments."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyadic.embeddings.minilm.tokenizer import WordPiece
from polyadic.rerankers.pair_scoring.models import PairModel

_COLON = 1024


class PairTokenizer:
    """Tokenizer for pairs of a text and another in its context; texts longer than the model reads are truncated."""

    def __init__(self, tokenizer: WordPiece, model: PairModel) -> None:
        self._tokenizer = tokenizer
        self._model = model

    def inputs(self, first: str, seconds: Sequence[tuple[str, str]]) -> dict[str, NDArray[np.int64]]:
        """Return the inputs of the graph for pairs with the same first text; see ``pairs``."""
        return self.pairs([(first, context, second) for context, second in seconds])

    def pairs(self, pairs: Sequence[tuple[str, str, str]]) -> dict[str, NDArray[np.int64]]:
        """Return the inputs of the graph, each of shape (pairs, length).

        Parameters
        ----------
        pairs
            The first text; the context of the second, such as titles and headings, or an empty string; and the second.
        """
        model = self._model
        firsts, contexts, texts = (
            self._tokenizer.ids([pair[part] for pair in pairs], most)
            for part, most in enumerate((model.first_tokens, model.context_tokens, model.second_tokens))
        )
        seconds = [_second(*pair, model.second_tokens) for pair in zip(contexts, texts, strict=True)]
        length = max(len(first) + len(second) for first, second in zip(firsts, seconds, strict=True))
        ids = np.zeros((len(pairs), length), np.int64)
        mask, segments = np.zeros_like(ids), np.zeros_like(ids)
        for row, (first, second) in enumerate(zip(firsts, seconds, strict=True)):
            end = len(first) + len(second)
            ids[row, :end] = [*first, *second]
            mask[row, :end] = 1
            segments[row, len(first) : end] = 1
        return {"input_ids": ids, "attention_mask": mask, "token_type_ids": segments}


def _second(context: Sequence[int], text: Sequence[int], most: int) -> list[int]:
    """Return the tokens of the second segment, with the final special token."""
    before = [*context[1:-1], _COLON] if len(context) > 2 else []
    first = [*before, *text[1:-1]][:most]
    return [*first, text[-1]]
