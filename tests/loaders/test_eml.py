"""Binary data in messages."""

import random
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.loaders.formats.eml import without_binary_lines
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Document


def test_a_binary_patch_in_a_message_is_left_out_with_a_note(tmp_path: Path) -> None:
    drawn = random.Random(1)
    picture = b"\n".join(bytes(drawn.randrange(256) for _ in range(60)) for _ in range(40)).replace(b"\r", b"")
    head = b"From: a@example.org\nSubject: Patch\nContent-Type: text/plain; charset=utf-8\n\n"
    path = tmp_path / "a.eml"
    path.write_bytes(head + b"--- /dev/null\n+++ b/a.png\n" + picture + b"\n-- \nAda\n")
    (document,) = read_documents([path], ReadingSettings())
    assert isinstance(document, Document)
    assert document.text == "--- /dev/null\n+++ b/a.png\n[binary data left out]\n--\nAda"


def test_words_with_undecodable_letters_are_kept() -> None:
    text = "\n".join(["Viele Gr\ufffd\ufffde aus M\ufffdnchen"] * 5)
    assert without_binary_lines(text) == text


def test_single_damaged_line_is_kept() -> None:
    text = "One.\n\ufffd\ufffd\ufffd\nTwo."
    assert without_binary_lines(text) == text
