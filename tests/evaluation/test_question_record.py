"""Generations, and what of them is scored."""

import pytest

from polyadic.evaluation.question_record import GeneratedText, QuestionOutcome
from tests.evaluation.measures.outcomes import outcome


@pytest.mark.parametrize(
    ("text", "answer", "tagged"),
    [
        ("<think>hm</think><answer>Ada [1][2]</answer>", "Ada", True),
        ("<think>hm</think>\n<Answer>\nAda\n</Answer> Bye.", "Ada", True),
        ("<think>hm</think><answer>Ada, in 18", "Ada, in 18", True),
        ("<answer></answer>", "", True),
        ("Ada [1].", "Ada.", False),
        ("<think>hm</think> Ada", "hm\nAda", False),
        ("<think>hm, hm", "hm, hm", False),
        ("Ada in [2019]", "Ada in [2019]", False),
        ("", "", False),
    ],
)
def test_answer_is_the_tagged_part_or_the_whole_text(text: str, answer: str, tagged: bool) -> None:
    assert GeneratedText.read(text) == GeneratedText(text, answer, tagged)


def test_without_a_generation_there_is_no_answer() -> None:
    assert outcome().answer is None
    assert QuestionOutcome(outcome().question, generation=GeneratedText.read("Ada")).answer == "Ada"
