"""Features of sentences: of any text there are some, and they tell what they say they tell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyadic.retrieval.relevance.linked_sentences import linked_by_title
from polyadic.retrieval.relevance.question_coverage import RARE_COVERAGE, rare_coverage
from polyadic.retrieval.relevance.question_features import AnswerKind, read_asked
from polyadic.retrieval.relevance.sentence_features import (
    COLUMNS,
    SentenceFeatures,
    read_sentences,
    sentence_features,
)
from polyadic.retrieval.relevance.stemming import stem, tokens


def sentence(text: str, passage: int = 0, title: str = "", before: str = "", fact_text: str = "") -> SentenceFeatures:
    return SentenceFeatures(
        text,
        fact_text=fact_text or text,
        title=title,
        context=title,
        before=before,
        is_item=False,
        is_code=False,
        cosine=1.0,
        passage=passage,
        passage_score=1.0,
        strength=0.0,
        completeness=0.8,
    )


def features_of(question: str, said: list[SentenceFeatures]) -> NDArray[np.float64]:
    asked = read_asked(question)
    return sentence_features(asked, read_sentences(asked, said))


def feature(question: str, said: list[SentenceFeatures], name: str) -> list[float]:
    found: list[float] = features_of(question, said)[:, COLUMNS.index(name)].tolist()
    return found


@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=6))
def test_features_are_finite_for_any_text(question: str, texts: list[str]) -> None:
    said = [sentence(text, place // 2, before=text) for place, text in enumerate(texts)]
    features = features_of(question, said)
    assert features.shape == (len(texts), len(COLUMNS))
    assert np.isfinite(features).all()


@given(st.text(max_size=200))
def test_any_text_can_be_tokenized_and_stemmed(text: str) -> None:
    assert all(stem(token, language) for token in tokens(text) for language in ("en", "de", "zh", "xx"))


@pytest.mark.parametrize(
    ("question", "is_nameless"),
    [
        ("When does the lease end?", True),
        ("Am I allowed to keep a dog?", True),
        ("When did Ada leave?", False),
        ("what changed in 2019?", False),
        ("土地什么时候归还？", False),
    ],
)
def test_a_question_without_capitals_or_years_is_nameless(question: str, is_nameless: bool) -> None:
    assert read_asked(question).is_nameless is is_nameless
    cosines = feature(question, [sentence("The contract runs until May.")], "cosine x nameless")
    assert cosines == [float(is_nameless)]


def test_inflected_question_words_count_as_covered() -> None:
    said = [sentence("The leader served for one year."), sentence("It rained in Spain.")]
    assert feature("Who serves as the leader?", said, "coverage") == [1.0, 0.0]


def test_irregular_forms_and_nominalizations_match() -> None:
    said = [sentence("She died in Ulm."), sentence("It rained in Ulm.")]
    covered = feature("What was the place of her death?", said, "coverage")
    assert covered[0] > covered[1] == 0.0


def test_parts_of_german_compounds_match() -> None:
    said = [sentence("Hundehaltung ist untersagt."), sentence("Der Erholungsurlaub beträgt 24 Tage.")]
    assert feature("Darf ich einen Hund halten?", said, "coverage")[0] > 0
    assert feature("Wie viel Urlaub gibt es?", said, "coverage")[1] > 0


def test_table_rows_match_with_column_names() -> None:
    said = [sentence("hose; 24.90", fact_text="Item: hose; Price: 24.90"), sentence("rake; 14.00")]
    assert feature("price of the hose", said, "coverage") == [1.0, 0.0]


def test_word_absent_from_all_passages_counts_as_missing() -> None:
    asked = read_asked("How fast is the skylark?")
    read = read_sentences(asked, [sentence("A skylark is a bird.")])
    rare = dict(
        zip(RARE_COVERAGE, rare_coverage(read, dict.fromkeys(asked.content, 1.0), frozenset({"speed"})), strict=True)
    )
    assert rare["unknown_words"] == 1 / len(asked.content)
    assert rare["rare_in_passage"] == 1 / len(asked.content)


def test_embedded_when_does_not_ask_for_a_date() -> None:
    assert read_asked("When was it built?").kind is AnswerKind.DATE
    assert read_asked("Is it slow when nothing goes wrong?").kind is AnswerKind.YES_NO


def test_number_from_the_question_is_no_answer() -> None:
    said = [sentence("TCP waits for 2 minutes."), sentence("See RFC 793.")]
    assert feature("How many minutes does RFC 793 wait?", said, "asks_number") == [1.0, 0.0]


def test_alternative_name_of_a_topic_is_a_bridge() -> None:
    said = [sentence("It was scored by Jo Falk.", 0, "Salt Road"), sentence("Born in Ulm.", 1, "Jo Falk")]
    question = "Where was the composer of Salt Road born?"
    assert feature(question, said, "title_is_bridge") == [0.0, 1.0]
    assert feature(question, said, "title_asked") == [1.0, 0.0]


def test_answer_types_are_detected_in_several_languages() -> None:
    kinds = {
        "How many days?": AnswerKind.NUMBER,
        "Wann beginnt die Frist?": AnswerKind.DATE,
        "¿Quién firma?": AnswerKind.PERSON,
        "为什么？": AnswerKind.REASON,
        "Is it allowed?": AnswerKind.YES_NO,
        "Where is it?": AnswerKind.PLACE,
    }
    assert {question: read_asked(question).kind for question in kinds} == kinds


def test_sentences_are_linked_by_a_title_that_the_question_lacks() -> None:
    said = [
        sentence("The film was directed by Oskar Lund.", 0, title="Tide and Timber"),
        sentence("He was born in Malmo.", 1, title="Oskar Lund (director)"),
        sentence("Tide and Timber was shown in Oslo.", 2, title="Oslo"),
    ]
    linked = linked_by_title(read_asked("Where was the director of Tide and Timber born?"), said)
    assert linked.tolist() == [[False, True, False], [True, False, False], [False, False, False]]
