"""Tokenize a question and sentences as pairs of segments."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyadic.embeddings.minilm.tokenizer import WordPiece

_QUESTION_TOKENS, _CONTEXT_TOKENS, _SENTENCE_TOKENS = 32, 24, 60
_COLON = 1024


class PairTokenizer:
    """Tokenizer for pairs of a question and a sentence in its context.

    Longer texts are truncated: questions to 32 tokens, contexts to 24, and contexts with their sentences to 60.
    """

    def __init__(self, tokenizer: WordPiece) -> None:
        self._tokenizer = tokenizer

    def inputs(self, question: str, sentences: Sequence[tuple[str, str]]) -> dict[str, NDArray[np.int64]]:
        """Return the inputs of the graph for sentences that may answer one question; see ``pairs``."""
        return self.pairs([(question, context, sentence) for context, sentence in sentences])

    def pairs(self, pairs: Sequence[tuple[str, str, str]]) -> dict[str, NDArray[np.int64]]:
        """Return the inputs of the graph, each of shape (pairs, length).

        Parameters
        ----------
        pairs
            A question; the context of a sentence, such as titles and headings, or an empty string; and the sentence.
        """
        questions, contexts, texts = (
            self._tokenizer.ids([pair[part] for pair in pairs], most)
            for part, most in enumerate((_QUESTION_TOKENS, _CONTEXT_TOKENS, _SENTENCE_TOKENS))
        )
        seconds = [_second(context, text) for context, text in zip(contexts, texts, strict=True)]
        length = max(len(first) + len(second) for first, second in zip(questions, seconds, strict=True))
        ids = np.zeros((len(pairs), length), np.int64)
        mask, segments = np.zeros_like(ids), np.zeros_like(ids)
        for row, (first, second) in enumerate(zip(questions, seconds, strict=True)):
            end = len(first) + len(second)
            ids[row, :end] = [*first, *second]
            mask[row, :end] = 1
            segments[row, len(first) : end] = 1
        return {"input_ids": ids, "attention_mask": mask, "token_type_ids": segments}


def _second(context: Sequence[int], text: Sequence[int]) -> list[int]:
    """Return the tokens of the second segment, with the final special token."""
    before = [*context[1:-1], _COLON] if len(context) > 2 else []
    first = [*before, *text[1:-1]][:_SENTENCE_TOKENS]
    return [*first, text[-1]]
