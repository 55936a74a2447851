"""Noun phrases of sentences in any language, and in several at once."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyadic.text.named_entities import names
from polyadic.text.noun_phrases import phrases
from polyadic.text.stopwords import AFTER_A_VERB, ARTICLES_OF
from polyadic.text.vocabulary import vocabulary

LANGUAGES = ["en", "de", "es", "fr", "it", "pt", "ca", "nl", "xx"]
FUNCTION_WORDS = sorted(frozenset[str]().union(*AFTER_A_VERB.values(), *ARTICLES_OF.values()))
WORDS = st.one_of(
    st.sampled_from(FUNCTION_WORDS),
    st.sampled_from(FUNCTION_WORDS).map(str.capitalize),
    st.sampled_from(["Andes", "Ada", "universidad", "Recht", "l'Académie", "12", "2010", "U.S.", "«", "-", "!"]),
)


def found(text: str, language: str) -> list[str]:
    return [" ".join(phrase.words) for phrase in phrases(text, vocabulary(text, language))]


def test_an_article_of_another_language_is_no_phrase() -> None:
    text = "Le professeur Marie Dupont enseigne depuis 2010 à la Universidad de los Andes en Colombie."
    assert found(text, "fr") == ["professeur"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("la libertad de los pueblos", ["libertad de los pueblos"]), ("la libertad de la", ["libertad"])],
)
def test_romance_phrases_do_not_end_in_stopwords(text: str, expected: list[str]) -> None:
    assert found(text, "es") == expected


@pytest.mark.slow
@settings(max_examples=400)
@given(st.lists(WORDS, max_size=25).map(" ".join), st.sampled_from(LANGUAGES))
def test_any_words_in_any_language_are_handled(text: str, language: str) -> None:
    known = vocabulary(text, language)
    assert all(phrase.words and 0 <= phrase.start < len(text) for phrase in phrases(text, known))
    assert all(name.text in text for name in names(text, known))
