"""Examples as arrays of tokens, from which the cross-encoder is trained."""

from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks.answer_selection.examples import Example
from benchmarks.answer_selection.tokens import tokenized
from polyadic.embeddings.minilm.tokenizer import WordPiece
from polyadic.embeddings.minilm.weights import find_weights
from polyadic.errors import WeightsMissing
from polyadic.rerankers.pair_scoring.models import ANSWER_SELECTION
from polyadic.rerankers.pair_scoring.pairs import PairTokenizer

RIGHT, WRONG = ("Lease : Deposit", "It is returned within 30 days."), ("", "It rained.")
PUBLIC = Example("Did it rain?", [WRONG], [RIGHT], "weather")
OWN = Example("When do I get the deposit back?", [RIGHT], [WRONG, ("", "Pets are welcome.")], "lease", 0, [WRONG])

pytestmark = pytest.mark.weights


@pytest.fixture(scope="module")
def tokenizer() -> PairTokenizer:
    try:
        return PairTokenizer(WordPiece(find_weights().tokenizer.read_bytes()), ANSWER_SELECTION)
    except WeightsMissing as missing:
        pytest.skip(str(missing))


def joined(*parts: "np.ndarray[tuple[int, ...], np.dtype[np.uint16]]") -> Sequence[int]:
    return [token for part in parts for token in part[part > 0].tolist()]


def test_question_and_sentence_together_are_what_the_cross_encoder_reads(tokenizer: PairTokenizer) -> None:
    arrays = tokenized([PUBLIC], [OWN], tokenizer)
    number = arrays["right"][1, 0]
    question = arrays["questions"][1]
    (expected,) = tokenizer.pairs([(OWN.question, *RIGHT)])["input_ids"].tolist()
    assert joined(question, arrays["sentences"][number]) == expected
    (without,) = tokenizer.pairs([(OWN.question, "", RIGHT[1])])["input_ids"].tolist()
    assert joined(question, arrays["alone"][number]) == without


def test_sentences_are_numbered_once_and_missing_ones_padded(tokenizer: PairTokenizer) -> None:
    arrays = tokenized([PUBLIC], [OWN], tokenizer)
    assert len(arrays["sentences"]) == len(arrays["alone"]) == 3
    assert arrays["wrong"].tolist() == [[arrays["right"][1, 0], -1], [arrays["right"][0, 0], 2]]
    assert arrays["elsewhere"].tolist() == [[-1], [arrays["right"][0, 0]]]
    assert arrays["is_own"].tolist() == [False, True]
