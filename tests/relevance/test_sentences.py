"""Features of sentences: of any text there are some, and they tell what they say they tell."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyadic.relevance.asked import AnswerKind, read_asked
from polyadic.relevance.sentences import COLUMNS, Sentence, sentence_features
from polyadic.relevance.stems import stem, tokens


def sentence(text: str, passage: int = 0, title: str = "", before: str = "") -> Sentence:
    return Sentence(text, title, title, before, 1.0, passage, 1.0, 0.0, 0.8)


def feature(question: str, said: list[Sentence], name: str) -> list[float]:
    found: list[float] = sentence_features(read_asked(question), said)[:, COLUMNS.index(name)].tolist()
    return found


@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=6))
def test_any_texts_have_finite_features(question: str, texts: list[str]) -> None:
    said = [sentence(text, place // 2, before=text) for place, text in enumerate(texts)]
    features = sentence_features(read_asked(question), said)
    assert features.shape == (len(texts), len(COLUMNS))
    assert np.isfinite(features).all()


@given(st.text(max_size=200))
def test_any_text_has_tokens_and_stems(text: str) -> None:
    assert all(stem(token) for token in tokens(text))


def test_a_sentence_with_the_words_of_the_question_in_another_form_covers_it() -> None:
    said = [sentence("The leader served for one year."), sentence("It rained in Spain.")]
    assert feature("Who serves as the leader?", said, "coverage") == [1.0, 0.0]


def test_a_number_of_the_question_does_not_answer_it() -> None:
    said = [sentence("TCP waits for 2 minutes."), sentence("See RFC 793.")]
    assert feature("How many minutes does RFC 793 wait?", said, "asks_number") == [1.0, 0.0]


def test_what_a_passage_about_a_name_is_called_elsewhere_is_a_bridge() -> None:
    said = [sentence("It was scored by Jo Falk.", 0, "Salt Road"), sentence("Born in Ulm.", 1, "Jo Falk")]
    question = "Where was the composer of Salt Road born?"
    assert feature(question, said, "title_is_bridge") == [0.0, 1.0]
    assert feature(question, said, "title_asked") == [1.0, 0.0]


def test_kinds_of_answers_are_told_in_several_languages() -> None:
    kinds = {
        "How many days?": AnswerKind.NUMBER,
        "Wann beginnt die Frist?": AnswerKind.DATE,
        "¿Quién firma?": AnswerKind.PERSON,
        "为什么？": AnswerKind.REASON,
        "Is it allowed?": AnswerKind.YES_NO,
        "Where is it?": AnswerKind.PLACE,
    }
    assert {question: read_asked(question).kind for question in kinds} == kinds
