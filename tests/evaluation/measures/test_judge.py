"""Reading judges: what is unclear is nothing, never a number."""

import time

import pytest

from polyadic.evaluation.measures.judge import read_mark, read_winners

CRITERIA = ("comprehensiveness", "diversity", "empowerment", "overall")


@pytest.mark.parametrize(
    ("reply", "mark"),
    [
        ("<score>8</score><explanation>Good.</explanation>", 8),
        ("My verdict:\n<SCORE>\n 0 \n</SCORE>\nNothing is right.", 0),
        ("<score>**10**</score>", 10),
        ("<score>7/10</score>", 7),
        ("<score>7 out of 10</score>", 7),
        ("<score>7.0</score>", 7),
        ("<score>7", 7),
        ("<think><score>1</score> at first</think><score>6</score>", 6),
        ("<score>6</score> As I said: <score>6</score>", 6),
        ('Here you are: ```json\n{"score": 9, "explanation": "well"}\n```', 9),
        ("{'Score': '9'}", 9),
        ("<score>11</score>", None),
        ("<score>-1</score>", None),
        ("<score>100</score>", None),
        ("<score>7.5</score>", None),
        ("<score>7-8</score>", None),
        ("<score>seven</score>", None),
        ("<score></score>", None),
        ("<score>6</score> or rather <score>8</score>", None),
        ('{"score": null}', None),
        ('{"score": true}', None),
        ('{"mark": 8}', None),
        ("[8]", None),
        ("I would say 8 of 10.", None),
        ("I cannot judge this.", None),
        ("", None),
    ],
)
def test_scores_are_read(reply: str, mark: int | None) -> None:
    assert read_mark(reply) == mark


def winners(*names: str) -> str:
    return ", ".join(f'"{c}": {{"winner": "{n}", "reason": "x"}}' for c, n in zip(CRITERIA, names, strict=True))


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("{" + winners("Answer 1", "Answer 2", "Answer 1", "Answer 2") + "}", (1, 2, 1, 2)),
        ("Let me see {both}.\n```json\n{" + winners(*["Answer 2"] * 4) + "}\n``` So much for that.", (2, 2, 2, 2)),
        ("<think>{" + winners(*["Answer 2"] * 4) + "}</think>{" + winners(*["Answer 1"] * 4) + "}", (1, 1, 1, 1)),
        (
            '{"Comprehensiveness": {"Winner": "Answer 1"}, "Overall Winner": {"Winner": "Answer 2"}}',
            (1, None, None, 2),
        ),
        ('{"overall_winner": "answer 2", "diversity": "1", "empowerment": 2}', (None, 1, 2, 2)),
        ("{" + winners("**Answer 1**", "The Answer 2.", "answer_1", "[Answer 2]") + "}", (1, 2, 1, 2)),
        ("{" + winners("tie", "both", "Answer 1 and Answer 2", "Answer 3") + "}", (None,) * 4),
        ("{" + winners("", "12", "neither", "null") + "}", (None,) * 4),
        ("{" + winners(*["Answer 1"] * 4)[:-40], (1, 1, 1, None)),
        ("Answer 1 is better in every respect.", (None,) * 4),
        ('["Answer 1"]', (None,) * 4),
        ("", (None,) * 4),
    ],
)
def test_winners_are_read(reply: str, expected: tuple[int | None, ...]) -> None:
    assert read_winners(reply, CRITERIA) == expected


@pytest.mark.parametrize("piece", ["{", '{"', '{"a":', "<score>", "<score>{", "\n*"])
def test_parsing_takes_linear_time(piece: str) -> None:
    start = time.perf_counter()
    assert read_mark(piece * 10_000) is None
    assert read_winners(piece * 10_000, CRITERIA) == (None,) * 4
    assert time.perf_counter() - start < 10
