"""What a model wrote, as it is shown: markers checked, reasoning apart, the same in pieces as whole."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyadic.generation.citation_parser import marked, unthought, without_markers
from tests.support.examples import examples

PARTS = [
    *(
        "Ada ",
        "did it",
        ".",
        " ",
        "\n",
        "\n\n",
        "  ",
        "(",
        ")",
        "(http://x)",
        "<",
        ">",
        "[",
        "]",
        "【",
        "】",
        "0",
        "9",
        "-",
    ),
    *(
        "[1]",
        "[2]",
        "[12]",
        "[0]",
        "[99]",
        "[1, 3]",
        "[2-4]",
        "[3–1]",
        "【2】",
        "［3］",
        "[^1]",
        "[2019]",
        "[1，3]",
        "[ 1 ]",
    ),
    *("[none]", "[None]", "[no", "ne]", "<think>", "</think>", "<thinking>", "<answer>", "</answer>", "<th", "swer>"),
    *("[1](http://x)", "[sic]", "a[1]b", "分析机", "²", "\t"),
]


@pytest.mark.parametrize(
    ("reply", "text", "numbers", "removed"),
    [
        ("Ada did it [3].", "Ada did it [1].", (3,), 0),
        ("Ada [3][1] and Bob [1][3].", "Ada [1][2] and Bob [2][1].", (3, 1), 0),
        ("Ada [1, 3]; Bob [4,3].", "Ada [1][2]; Bob [3][2].", (1, 3, 4), 0),
        ("Ada [2-4].", "Ada [1][2][3].", (2, 3, 4), 0),
        ("Ada [2–4].", "Ada [1][2][3].", (2, 3, 4), 0),
        ("艾达【2】设计了它［3］。", "艾达[1]设计了它[2]。", (2, 3), 0),
        ("Ada [^2].\n\n[^2]: notes", "Ada [1].\n\n[1]: notes", (2,), 0),
        ("Ada [99] did it [0].", "Ada did it.", (), 2),
        ("[99] Ada did it.", "Ada did it.", (), 1),
        ("Ada [2, 99] did it.", "Ada [1] did it.", (2,), 1),
        ("Ada [1-400].", "Ada [1].", (1,), 1),
        ("hydro[2]gen", "hydro[1]gen", (2,), 0),
        ("The paper of [2019] says so [1].", "The paper of [2019] says so [1].", (1,), 0),
        ("See [1](http://x) [2].", "See [1](http://x) [1].", (2,), 0),
        ("Ada [2] and [", "Ada [1] and [", (2,), 0),
        ("Ada [2] and [3", "Ada [1] and [3", (2,), 0),
        ("Ada [sic] [[2]]", "Ada [sic] [[1]]", (2,), 0),
        ("a < b > c [2]", "a < b > c [1]", (2,), 0),
    ],
)
def test_markers_are_parsed(reply: str, text: str, numbers: tuple[int, ...], removed: int) -> None:
    read = marked(reply, pieces=5)
    assert (read.text, read.numbers, read.removed) == (text, numbers, removed)
    assert not read.says_none


@pytest.mark.parametrize(
    ("reply", "text", "says_none"),
    [
        ("[none] Nobody says.", "Nobody says.", True),
        ("  [None]\nNobody says.", "Nobody says.", True),
        ("Nobody says. [none]", "Nobody says.", True),
        ("[none] When is not said; it was Ada [2].", "When is not said; it was Ada [1].", True),
        ("Ada did it [2]. [none]", "Ada did it [1].", False),
        ("[none]", "", True),
        ("None of them did [2].", "None of them did [1].", False),
    ],
)
def test_refusals_are_recognized(reply: str, text: str, says_none: bool) -> None:
    read = marked(reply, pieces=5)
    assert (read.text, read.says_none) == (text, says_none)


@pytest.mark.parametrize(
    ("reply", "thinks", "text", "reasoning"),
    [
        ("<think>Hm [2].</think><answer>Ada [2].</answer> Bye.", True, "Ada [1].", "Hm [2]."),
        ("<think>Hm.</think>\n<answer>\nAda [2].", True, "Ada [1].", "Hm."),
        ("Hm.</think> So: <answer>Ada.</answer>", True, "Ada.", "Hm. So:"),
        ("Hm.</think>Ada.", True, "Ada.", "Hm."),
        ("Hm.</think>Ada.", False, "Hm.</think>Ada.", ""),
        ("Let me see. <answer>Ada.</answer>", True, "Ada.", "Let me see."),
        ("<think>Hm.</think>Ada.", True, "Ada.", "Hm."),
        ("Ada.", True, "Ada.", ""),
        ("<think>Hm, it is", True, "", "Hm, it is"),
        ("<think>Hm. <answer>Ada.</answer>", True, "Ada.", "Hm."),
        ("<think>Hm.</think>Ada.", False, "Ada.", "Hm."),
        ("\n<Thinking>Hm.</Thinking>\n\nAda.", False, "Ada.", "Hm."),
        ("<think>Hm, it is", False, "", "Hm, it is"),
        ("<think>Hm.</think><answer>Ada.</answer>", False, "Ada.", "Hm."),
        ("The tag <answer> holds the answer.", False, "The tag <answer> holds the answer.", ""),
    ],
)
def test_reasoning_is_separated_from_the_answer(reply: str, thinks: bool, text: str, reasoning: str) -> None:
    read = marked(reply, 5, thinks)
    assert (read.text, read.reasoning) == (text, reasoning)


def test_reasoning_is_hidden_until_the_answer_begins() -> None:
    reply = "<think>Hm.</think> Let me say <answer>Ada [2].</answer>"
    shown = [marked(reply[:end], 5, thinks=True, whole=False).text for end in range(len(reply))]
    assert shown[: reply.index("Ada")] == [""] * reply.index("Ada")
    assert shown[-1] == "Ada [1]."


def test_final_marker_stays_visible() -> None:
    reply = "<answer>Ada [2-4]</answer>"
    shown = [marked(reply[:end], 5, thinks, whole=False).text for thinks in (True, False) for end in range(17, 27)]
    assert shown == (["Ada", *["Ada [1][2][3]"] * 9]) * 2


@pytest.mark.slow
@given(st.lists(st.sampled_from(PARTS), max_size=25), st.booleans(), st.data())
@settings(max_examples=1500)
def test_partial_output_is_a_prefix_of_later_output(parts: list[str], thinks: bool, data: st.DataObject) -> None:
    reply = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(reply)), max_size=8)))
    shown = [marked(reply[:cut], 5, thinks, whole=False).text for cut in cuts]
    shown.append(marked(reply, 5, thinks).text)
    for before, after in pairwise(shown):
        assert after.startswith(before)


@given(st.lists(st.sampled_from(PARTS), max_size=25), st.booleans())
@settings(max_examples=examples(500))
def test_remaining_markers_refer_to_existing_pieces(parts: list[str], thinks: bool) -> None:
    read = marked("".join(parts), 5, thinks)
    assert all(1 <= number <= 5 for number in read.numbers)
    assert len(set(read.numbers)) == len(read.numbers)
    assert all(f"[{marker}]" in read.text for marker in range(1, len(read.numbers) + 1))


def test_parsing_takes_linear_time() -> None:
    for filler in (" ", "\n", "[", "[1", "<", "<think>", "[1]", "[1, "):
        for read in (marked(filler * 50_000, 5, whole=False), marked(filler * 50_000, 5, thinks=True)):
            assert set(read.numbers) <= {1}


def test_reasoning_without_an_opening_tag_is_separated() -> None:
    assert unthought("She is Ada.\n</think>\n\nWhere?") == "Where?"
    assert unthought("<think>She is") == ""


def test_document_brackets_are_no_markers() -> None:
    text = "Built in 1843.[3] [1, 2]【4】[^5] [none] [sic] [1](http://x) [2019]"
    shown = without_markers(text)
    assert shown == "Built in 1843.(3) (1, 2)(4)(^5) (none) [sic] (1)(http://x) (2019)"
    assert marked(shown, 9).numbers == ()
