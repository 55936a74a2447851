"""C-Rec, C-ERec and A-Rel: shares of tokens and of capitalized words."""

import pytest

from polyadic.evaluation.measures.token_overlap import (
    AnswerRelevance,
    ContextEntityRecall,
    ContextRecall,
    capitalized_words,
    token_set,
)
from tests.evaluation.measures.outcomes import outcome


@pytest.mark.parametrize(
    ("answer", "golds", "expected"),
    [
        ("one two three four", ["one two three four"], 100),
        # "one" at the beginning is another token than " one" after a blank.
        ("one two", ["one two three four"], 50),
        ("two one", ["one two three four"], 0),
        ("one two", ["five", "one three"], 50),
        ("", ["one"], 0),
        ("one", [""], None),
        ("one", [], None),
        (None, ["one"], None),
    ],
)
def test_context_recall_is_the_share_of_the_gold_tokens(
    answer: str | None, golds: list[str], expected: float | None
) -> None:
    assert ContextRecall().score(outcome(answer, golds)) == expected


@pytest.mark.parametrize(
    ("answer", "golds", "expected"),
    [
        ("Lovelace, of London", ["Ada Lovelace of London"], 200 / 3),
        ("ada lovelace", ["Ada Lovelace"], 0),
        ("Ada", ["in 1843", "Ada Lovelace"], 50),
        ("Ada", ["in 1843"], None),
        ("Ólafur", ["Ólafur Élie"], 50),
        (None, ["Ada"], None),
    ],
)
def test_context_entity_recall_is_the_share_of_the_gold_names(
    answer: str | None, golds: list[str], expected: float | None
) -> None:
    found = ContextEntityRecall().score(outcome(answer, golds))
    assert found == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("answer", "question", "expected"),
    [
        ("Who wrote it", "Who wrote it", 100),
        ("Ada wrote that", "Who wrote it", 100 / 3),
        ("Ada", "Who wrote it", 0),
        ("Ada", "", None),
        (None, "Who", None),
    ],
)
def test_answer_relevance_is_the_share_of_the_tokens_of_the_question(
    answer: str | None, question: str, expected: float | None
) -> None:
    found = AnswerRelevance().score(outcome(answer, ["anything"], question))
    assert found == (None if expected is None else pytest.approx(expected))


def test_tokens_of_long_texts_and_any_script() -> None:
    assert token_set("word " * 300_000) == token_set("word word ")
    assert token_set("长江流经武汉") and not capitalized_words("长江流经武汉 2024 été")
