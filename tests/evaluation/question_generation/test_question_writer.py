"""Questions as models write them: read whatever stands around them, and left out where they cannot be used."""

import pytest

from polyadic.evaluation.question_generation import question_writer
from polyadic.evaluation.question_generation.fact_sampling import FactSample, FactSampling
from polyadic.evaluation.question_generation.generator import problem
from polyadic.evaluation.question_generation.question_writer import DraftQuestion
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Fact

FACTS = (
    Fact("f1", "Ada Lovelace worked with Charles Babbage.", 9.0, ("Ada Lovelace", "Charles Babbage"), 1),
    Fact("f2", "Charles Babbage was born\nin London in 1791.", 9.0, ("Charles Babbage", "London"), 1),
)
SAMPLE = FactSample(FACTS, ("Charles Babbage",), ())
GOOD = DraftQuestion("When was the colleague of Ada Lovelace born?", ("1791",), (1, 2))
WHOLE = '{"question": "When was the colleague of Ada Lovelace born?", "answers": ["1791"], "facts": [1, 2]}'


@pytest.mark.parametrize(
    ("reply", "draft"),
    [
        (WHOLE, GOOD),
        (f"<think>Perhaps {{}}</think>Here it is:\n```json\n{WHOLE}\n```", GOOD),
        (f'A draft: {{"question": "When?", "answers": ["1800"], "facts": [1]}} and better {WHOLE}', GOOD),
        (f"[{WHOLE}]", GOOD),
        (WHOLE.replace('["1791"]', "1791").replace("[1, 2]", '["1", "2"]'), GOOD),
        (WHOLE.replace("answers", "golden_answers").replace("question", "Question"), GOOD),
        (WHOLE[:-12], DraftQuestion(GOOD.question, GOOD.answers, ())),
        ('{"question": "Who?"}', None),
        ('{"question": "", "answers": ["1791"]}', None),
        ('{"question": "Who?", "answers": []}', None),
        ("I would rather not.", None),
        ("", None),
    ],
)
def test_draft_questions_are_read(reply: str, draft: DraftQuestion | None) -> None:
    assert question_writer.read(reply) == draft
    assert question_writer.is_readable(reply) == (draft is not None)


@pytest.mark.parametrize(
    ("draft", "why"),
    [
        (GOOD, ""),
        (DraftQuestion(GOOD.question, ("1791",), ()), ""),
        (DraftQuestion(GOOD.question, ("In the year", "1791"), (1, 2)), ""),
        (None, "no question could be read"),
        (DraftQuestion(GOOD.question, ("1791",), (1, 3)), "it refers to facts that were not given"),
        (DraftQuestion(GOOD.question, ("1791",), (2,)), "it does not need all the facts"),
        (DraftQuestion(GOOD.question, ("1792", "179"), (1, 2)), "its answer does not occur in the facts"),
        (
            DraftQuestion("Was the colleague of Ada Lovelace born in 1791?", ("1791",), (1, 2)),
            "it contains its own answer",
        ),
        (DraftQuestion("Who worked with ADA LOVELACE?", ("Ada Lovelace",), (1, 2)), "it contains its own answer"),
    ],
)
def test_unusable_questions_are_dropped(draft: DraftQuestion | None, why: str) -> None:
    assert problem(draft, SAMPLE, FactSampling.CHAIN) == why


def test_unrelated_facts_need_not_all_be_used() -> None:
    assert problem(DraftQuestion(GOOD.question, ("1791",), (2,)), SAMPLE, FactSampling.RANDOM) == ""


def test_only_answers_that_occur_in_the_facts_are_gold() -> None:
    draft = DraftQuestion("Who?", ("the Babbages", "Charles Babbage", "Babbage"), (1, 2))
    assert question_writer.found_answers(draft, SAMPLE) == ("Charles Babbage", "Babbage")


def test_fact_text_cannot_inject_prompt_lines() -> None:
    asked = question_writer.request(SAMPLE, PromptLibrary().get(question_writer.PROMPT))
    shown = asked.messages[-1].text.splitlines()
    assert shown == [
        "Facts",
        "",
        "[1] Ada Lovelace worked with Charles Babbage.",
        "    connects: Ada Lovelace; Charles Babbage",
        "[2] Charles Babbage was born in London in 1791.",
        "    connects: Charles Babbage; London",
    ]
    assert asked.purpose == "make-questions" and asked.schema is not None
