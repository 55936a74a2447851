"""What a message holds that its sender did not write in it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.text.mail_quotes import unsaid_parts


def own_text(text: str) -> str:
    for span in reversed(unsaid_parts(text)):
        text = text[: span.start] + text[span.end :]
    return " ".join(text.split())


@pytest.mark.parametrize(
    "quoted",
    [
        "On Tue, 4 Feb 2025, Ada wrote:\n> Is it ready?\n> I wait.",
        "On Tue, 4 Feb 2025 at 11:40, Ada Lovelace\n<ada@example.org> wrote:\n\n> Is it ready?",
        "Am 04.02.2025 um 11:40 schrieb Ada:\n> Ist sie fertig?",
        "-----Original Message-----\nFrom: Ada\nSent: Tuesday\n\nIs it ready?",
        "---------- Forwarded message ---------\nFrom: Ada\n\nIs it ready?",
        "From: Ada\nSent: Tuesday\nTo: Charles\nSubject: Engine\n\nIs it ready?",
        "Von: Ada\nGesendet: Dienstag\nAn: Charles\nBetreff: Maschine\n\nIst sie fertig?",
        "-- \nCharles\n1 Dorset Street",
        "--\nCharles",
    ],
)
def test_quotations_and_signatures_are_found(quoted: str) -> None:
    assert own_text(f"It is not.\n\nMoney ran out:\n\nall of it.\n\n{quoted}") == "It is not. Money ran out: all of it."


def test_answers_between_quoted_lines_are_content() -> None:
    text = "Ada wrote:\n> Is it ready?\n\nNo.\n\n> When?\nIn May.\n\n-- \nCharles\n> left over"
    assert own_text(text) == "No. In May."


@pytest.mark.parametrize("text", ["All is well.", "From: here on it is easy.\nWe walk.", "a -- b\n\n- c", ""])
def test_own_text_is_not_quoted(text: str) -> None:
    assert unsaid_parts(text) == ()


@given(st.lists(st.sampled_from(["> a", "b wrote:", "--", "", "c.", "From: x", "To: y", "Date: z"]), max_size=30))
def test_quoted_parts_are_ordered_lines(lines: list[str]) -> None:
    text = "\n".join(lines)
    parts = unsaid_parts(text)
    assert all(a.end < b.start for a, b in pairwise(parts))
    for part in parts:
        assert part.start == 0 or text[part.start - 1] == "\n"
        assert part.end == len(text) or text[part.end - 1] == "\n"
