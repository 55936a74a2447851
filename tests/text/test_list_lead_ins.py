"""The sentences that announce lists."""

from hypothesis import given
from hypothesis import strategies as st

from polyadic.text.list_lead_ins import LONGEST_LEAD_IN, lead_ins
from polyadic.text.sentences import sentences


def announced(text: str) -> list[tuple[str, ...]]:
    found = lead_ins(text, sentences(text, "en"))
    return [tuple(text[s.start : s.end] for s in (*above, item)) for item, above in found.items()]


def test_items_have_their_lead_in() -> None:
    text = "We sell plans. The Team plan includes:\n\n- projects\n\n- support. By phone.\n\nOther text.\n\n- loose"
    assert announced(text) == [
        ("The Team plan includes:", "- projects"),
        ("The Team plan includes:", "- support."),
    ]


def test_nested_lists_are_found() -> None:
    text = "Systems:\n\n1. Linux:\n   - Debian\n   - Arch\n2. BSD\n   - OpenBSD\n"
    assert announced(text) == [
        ("Systems:", "1. Linux:"),
        ("Systems:", "1. Linux:", "- Debian"),
        ("Systems:", "1. Linux:", "- Arch"),
        ("Systems:", "2. BSD"),
        ("Systems:", "- OpenBSD"),
    ]


def test_multi_line_items_are_found() -> None:
    text = "   Fields are:\n\n   o  op, which goes\n      on here.\n\n      More of op.\n\n   o  hops\n\n"
    text += "   The rest.\n   o  none"
    assert [item for *_, item in announced(text)] == ["o  op, which goes\n      on here.", "o  hops"]


def test_headings_and_long_sentences_are_no_lead_ins() -> None:
    assert announced("Fields are:\n\n# Head\n\n- a") == []
    assert announced("x " * LONGEST_LEAD_IN + "are:\n\n- a") == []


@given(st.lists(st.sampled_from(["Are:", "- a", "  - b:", "    - c", "Text.", "", "# H", "```", "1. x"]), max_size=40))
def test_lead_ins_come_before_their_items(lines: list[str]) -> None:
    text = "\n".join(lines)
    for item, above in lead_ins(text, sentences(text, "en")).items():
        assert 1 <= len(above) <= 2
        assert all(span.end < item.start and text[span.start : span.end].endswith(":") for span in above)
