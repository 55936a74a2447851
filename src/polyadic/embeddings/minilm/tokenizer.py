"""Tokenize texts into the word pieces of all-MiniLM-L6-v2."""

from collections.abc import Sequence
from itertools import islice

from tokenizers import Encoding, Tokenizer

from polyadic.text.encodable import encodable
from polyadic.text.tokens import split_text

_START, _END = 101, 102  # [CLS] and [SEP]
# The tokenizer needs about 100 bytes for each token of a call: these limit it to some 100 MB.
_PIECE = 20_000
_PIECES_AT_ONCE = 256
# Characters that are tokenized first when only the beginning of a text is needed: nearly always enough.
_HEAD = 4_000


class WordPiece:
    """Tokenizer from a ``tokenizer.json``, without its own truncation and padding (to 128).

    Parameters
    ----------
    definition
        Content of the file.
    """

    def __init__(self, definition: bytes) -> None:
        self._tokenizer = Tokenizer.from_buffer(definition)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without special tokens."""
        counts = [0] * len(texts)
        stream = ((row, piece) for row, text in enumerate(texts) for piece in split_text(text, _PIECE))
        while batch := list(islice(stream, _PIECES_AT_ONCE)):
            encodings = self._encode([piece for _, piece in batch])
            for (row, _), encoding in zip(batch, encodings, strict=True):
                counts[row] += len(encoding)
        return counts

    def ids(self, texts: Sequence[str], window: int) -> list[list[int]]:
        """Return the first ``window`` tokens of each text, between the two special tokens."""
        heads = [next(split_text(text, _HEAD)) for text in texts]
        rows = [encoding.ids[:window] for encoding in self._encode(heads)]
        for row, (text, head) in enumerate(zip(texts, heads, strict=True)):
            if len(head) < len(text) and len(rows[row]) < window:
                rows[row] = self._beginning(text, window)
        return [[_START, *ids, _END] for ids in rows]

    def _beginning(self, text: str, window: int) -> list[int]:
        ids: list[int] = []
        for piece in split_text(text, _PIECE):
            ids += self._encode([piece])[0].ids
            if len(ids) >= window:
                break
        return ids[:window]

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        # The tokenizer rejects lone surrogates, which a broken file may contain.
        valid = [encodable(text) for text in texts]
        return self._tokenizer.encode_batch_fast(valid, add_special_tokens=False)
