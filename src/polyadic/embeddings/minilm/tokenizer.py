"""Texts as the word pieces of all-MiniLM-L6-v2."""

from collections.abc import Sequence
from itertools import islice

from tokenizers import Encoding, Tokenizer

from polyadic.text.split import split_text

_START, _END = 101, 102  # [CLS] and [SEP]
# The tokenizer keeps about 100 bytes for each token that it is given at once: these bound it to some 100 MB.
_PIECE = 20_000
_PIECES_AT_ONCE = 256
# What is read of a text at first when only its beginning counts: nearly always enough.
_HEAD = 4_000


class WordPiece:
    """The tokenizer of a ``tokenizer.json``, whose own truncation and padding (to 128) are switched off.

    Parameters
    ----------
    definition
        The content of the file.
    """

    def __init__(self, definition: bytes) -> None:
        self._tokenizer = Tokenizer.from_buffer(definition)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, special tokens not included."""
        counts = [0] * len(texts)
        stream = ((row, piece) for row, text in enumerate(texts) for piece in split_text(text, _PIECE))
        while batch := list(islice(stream, _PIECES_AT_ONCE)):
            encodings = self._encode([piece for _, piece in batch])
            for (row, _), encoding in zip(batch, encodings, strict=True):
                counts[row] += len(encoding)
        return counts

    def ids(self, texts: Sequence[str], window: int) -> list[list[int]]:
        """The first ``window`` tokens of each text, between the two special tokens."""
        heads = [next(split_text(text, _HEAD)) for text in texts]
        found = [encoding.ids[:window] for encoding in self._encode(heads)]
        for row, (text, head) in enumerate(zip(texts, heads, strict=True)):
            if len(head) < len(text) and len(found[row]) < window:
                found[row] = self._beginning(text, window)
        return [[_START, *ids, _END] for ids in found]

    def _beginning(self, text: str, window: int) -> list[int]:
        ids: list[int] = []
        for piece in split_text(text, _PIECE):
            ids += self._encode([piece])[0].ids
            if len(ids) >= window:
                break
        return ids[:window]

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        # Half a surrogate pair, which a broken file may hold, is no text to the tokenizer.
        whole = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        return self._tokenizer.encode_batch_fast(whole, add_special_tokens=False)
