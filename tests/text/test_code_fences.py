"""Fenced code: found as Markdown renders it, also in a text that begins within it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.model.types import Span
from polyadic.text.code_fences import code_blocks, fenced, unfenced, without_headings

LINES = st.lists(st.sampled_from(["```", "```sh", "````", "~~~", "~~~ js", "  ```", "# make", "text", ""]), max_size=30)


def blocks(text: str) -> list[str]:
    return [text[span.start : span.end] for span in code_blocks(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\na\n```", ["```\na\n```"]),
        ("```sh\na", ["```sh\na"]),
        ("~~~\n```\n~~~", ["~~~\n```\n~~~"]),
        ("````md\n```sh\na\n```\n````", ["````md\n```sh\na\n```\n````"]),
        ("- a\n\n  ```sh\n  b\n  ```\n- c", ["  ```sh\n  b\n  ```"]),
        ("Say ```x``` or\n``` y ` z", []),
    ],
)
def test_code_blocks_are_found(text: str, expected: list[str]) -> None:
    assert blocks(text) == expected


def test_text_starting_within_code_is_handled() -> None:
    text = "make\n```\n\nProse.\n\n```sh\nls\n```\n\nMore prose."
    assert blocks(text) == ["```sh\nls\n```"]


@given(LINES)
def test_code_blocks_are_ordered_whole_lines(lines: list[str]) -> None:
    text = "\n".join(lines)
    spans = code_blocks(text)
    assert all(a.end < b.start for a, b in pairwise(spans))
    for span in spans:
        assert span.start == 0 or text[span.start - 1] == "\n"
        assert span.end == len(text) or text[span.end] == "\n"


@given(st.text(st.sampled_from("`~ab# \n"), max_size=60), st.sampled_from(["", "python", "no word", "`"]))
def test_fenced_code_round_trips(code: str, language: str) -> None:
    block = fenced(code, language)
    assert code_blocks(block) == (Span(0, len(block)),)
    assert unfenced(block) == code
    assert blocks(f"Before.\n\n{block}\n\nAfter.") == [block]


@given(st.text(st.sampled_from("# \tab\n"), max_size=80))
def test_masking_headings_keeps_offsets(text: str) -> None:
    changed = without_headings(text)
    assert len(changed) == len(text)
    assert changed.replace("\xa0", " ") == text.replace("\t", " ") or "\t" in text
    assert without_headings(changed) == changed
