"""Answers of lists of frequently asked questions are quoted so that they are understood; questions are not quoted."""

from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.generation.answered_question import ANSWER_FOUND
from polyadic.model.types import Answer
from polyadic.workspace import Workspace

HASHING = Settings(embedding=EmbeddingSettings(model="hashing"))
POOL = """# The pool

## Can I bring my dog?

No.

## How much is a season ticket?

A season ticket costs 84 euros.

## Is the pool open on Sundays?

Yes, until 6 pm. In winter it closes at 4 pm.

## Why is the water green?

The water is green for several reasons. Algae grow fast. They need light. The filter is old. It is replaced in May.
"""
PLOTS = """Plots

Q: Can I rent a plot?
A: No.

Q: No light in the tool shed
A: Call the caretaker of the plots.
"""
LIBRARY = """# Library

**Can I eat in the reading room?**
No.

1. **Is there a fine?** Yes, 20 cents a day.

Where are the toilets?
: On the first floor.
"""


def ask(tmp_path: Path, text: str, question: str) -> Answer:
    (tmp_path / "faq.md").write_text(text)
    with Workspace(tmp_path / "kb", HASHING) as workspace:
        workspace.index([tmp_path / "faq.md"])
        return workspace.query(question)


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (POOL, "Can I bring my dog?", 'Can I bring my dog? "No." [1]'),
        (POOL, "How much is a season ticket?", '"A season ticket costs 84 euros." [1]'),
        (
            POOL,
            "Is the pool open on Sundays?",
            'Is the pool open on Sundays? "Yes, until 6 pm. In winter it closes at 4 pm." [1]',
        ),
        (PLOTS, "Can I rent a plot?", 'Can I rent a plot? "No." [1]'),
        (PLOTS, "No light in the tool shed", 'No light in the tool shed "Call the caretaker of the plots." [1]'),
        (LIBRARY, "Can I eat in the reading room?", 'Can I eat in the reading room? "No." [1]'),
        (LIBRARY, "Is there a fine?", 'Is there a fine? "Yes, 20 cents a day." [1]'),
        (LIBRARY, "Where are the toilets?", 'Where are the toilets? "On the first floor." [1]'),
    ],
)
def test_answer_is_quoted_with_its_question_if_it_needs_that(
    tmp_path: Path, text: str, question: str, answer: str
) -> None:
    found = ask(tmp_path, text, question)
    assert found.text.splitlines()[0] == answer
    assert (found.confidence or 0) >= ANSWER_FOUND
    place = found.citations[0].place
    assert text[place.span.start : place.span.end] == place.quote and "?" not in place.quote


def test_longer_answer_is_judged_as_other_text_is(tmp_path: Path) -> None:
    found = ask(tmp_path, POOL, "Why is the water green?")
    assert found.confidence != ANSWER_FOUND
    assert found.answered and all(citation.place.quote.count(".") < 4 for citation in found.citations)


@pytest.mark.parametrize("question", ["Is there light in the tool shed of the plots?", "Which plot can I rent?"])
def test_questions_are_not_quoted(tmp_path: Path, question: str) -> None:
    quotes = [citation.place.quote for citation in ask(tmp_path, PLOTS, question).citations]
    assert not any("Q:" in quote for quote in quotes)


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("faq.csv", "question,answer\nDo children pay?,Half the price.\n", 'Do children pay? "Half the price." [1]'),
        (
            "faq.md",
            "# Ferry\n\n| Question | Answer |\n|---|---|\n| Do children pay? | Half the price. |\n| Dogs? | No. |\n",
            '"Ferry: Question: Do children pay?; Answer: Half the price" [1]',
        ),
    ],
)
def test_questions_of_tables_are_answered(tmp_path: Path, name: str, text: str, answer: str) -> None:
    (tmp_path / name).write_text(text)
    with Workspace(tmp_path / "kb", HASHING) as workspace:
        workspace.index([tmp_path / name])
        assert workspace.query("Do children pay?").text == answer
