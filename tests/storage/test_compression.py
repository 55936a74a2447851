"""Texts are packed into less room, and what is damaged is told from what is not."""

import pytest

from polyadic.storage.sql.encoding import compress, decompress


@pytest.mark.parametrize("text", ["", "Ada met Babbage.", "Ada né \U0001f701 寒い\n" * 1_000])
def test_compression_round_trips(text: str) -> None:
    assert decompress(compress(text)) == text


def test_repetitive_text_is_compressed_to_a_fraction() -> None:
    assert len(compress("Ada met Babbage in London. " * 400)) < 400


@pytest.mark.parametrize(
    "data", [b"", b"[]", compress("Ada met Babbage.")[:-3], "[]", compress("x" * 9)[:4] + b"....."]
)
def test_damaged_data_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a compressed text"):
        decompress(data)
