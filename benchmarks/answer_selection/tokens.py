"""Turn examples into arrays of tokens, which training reads without the tokenizer."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.answer_selection.examples import Example, Pair
from polyadic.rerankers.pair_scoring.pairs import PairTokenizer

_AT_ONCE = 1024
# The tokens of an empty question, which stand before those of a sentence.
_BEFORE = 2


def tokenized(public: Sequence[Example], own: Sequence[Example], tokenizer: PairTokenizer) -> dict[str, NDArray[Any]]:
    """Return the arrays of all examples; numbers are padded by -1, tokens by 0.

    - ``questions``: tokens of each example's question, shape (examples, longest question);
    - ``right``, ``wrong``, ``elsewhere``: numbers of its sentences, shape (examples, most);
    - ``is_own``: whether it is of an invented document, shape (examples,);
    - ``sentences``, ``alone``: tokens of each sentence with its context and without, shape (sentences, longest).
    """
    examples = [*public, *own]
    numbers: dict[Pair, int] = {}
    for one in examples:
        for pair in (*one.right, *one.wrong, *one.elsewhere):
            numbers.setdefault(pair, len(numbers))
    kinds = {
        "right": [one.right for one in examples],
        "wrong": [one.wrong for one in examples],
        "elsewhere": [one.elsewhere for one in examples],
    }
    questions = _tokens(((one.question, "", "") for one in examples), tokenizer)
    return {
        # The second segment ends with a token of its own, also if it is empty.
        "questions": _without_last(questions),
        "is_own": np.arange(len(examples)) >= len(public),
        "sentences": _tokens((("", *pair) for pair in numbers), tokenizer)[:, _BEFORE:],
        "alone": _tokens((("", "", text) for _, text in numbers), tokenizer)[:, _BEFORE:],
    } | {name: _numbered(pairs, numbers) for name, pairs in kinds.items()}


def _tokens(pairs: Iterable[tuple[str, str, str]], tokenizer: PairTokenizer) -> NDArray[np.uint16]:
    rows = [*pairs]
    parts = [tokenizer.pairs(rows[start : start + _AT_ONCE])["input_ids"] for start in range(0, len(rows), _AT_ONCE)]
    tokens = np.zeros((len(rows), max(part.shape[1] for part in parts)), np.uint16)
    for start, part in zip(range(0, len(rows), _AT_ONCE), parts, strict=True):
        tokens[start : start + len(part), : part.shape[1]] = part
    return tokens


def _without_last(tokens: NDArray[np.uint16]) -> NDArray[np.uint16]:
    shorter = tokens.copy()
    shorter[np.arange(len(tokens)), np.count_nonzero(tokens, axis=1) - 1] = 0
    return shorter


def _numbered(kinds: Sequence[Sequence[Pair]], numbers: dict[Pair, int]) -> NDArray[np.int32]:
    found = np.full((len(kinds), max(map(len, kinds))), -1, np.int32)
    for row, pairs in enumerate(kinds):
        found[row, : len(pairs)] = [numbers[pair] for pair in pairs]
    return found
