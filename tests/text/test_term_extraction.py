"""Terms of documents, by what the documents do with their words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.text.noun_phrases import phrases
from polyadic.text.term_extraction import Termhood, TermIndex, c_value
from polyadic.text.vocabulary import Vocabulary, vocabulary

OAUTH = (
    "The client sends an authorization code to the server. Authorization codes are short-lived, and each authorization "
    "code is used once. The server checks the code. A client keeps its tokens."
)


def terms(sentence: str, document: str = "", language: str = "en") -> dict[str, Termhood]:
    text = document or sentence
    found = TermIndex.of(text, vocabulary(text, language)).within(sentence)
    return {term.text: term.termhood for term in found}


def test_recurring_phrases_are_singular_terms() -> None:
    found = terms("Authorization codes are sent by the client.", OAUTH)
    assert found == {"authorization code": Termhood.TERM, "client": Termhood.WORD}


def test_single_occurrences_are_marked() -> None:
    assert terms("It has a basal cell carcinoma on the nose.") == {
        "basal cell carcinoma": Termhood.NONCE_PHRASE,
        "nose": Termhood.NONCE,
    }


def test_a_heading_makes_terms_of_its_words() -> None:
    document = "# Soft limit\n\nA soft limit can be exceeded."
    assert terms("A soft limit can be exceeded.", document)["soft limit"] is Termhood.TERM


@pytest.mark.parametrize(
    "said", ["N", "Ah!", "B", "!", "the", "it was so", "very quickly", "He answered, and they cried."]
)
def test_interjections_letters_verbs_and_marks_are_no_terms(said: str) -> None:
    assert terms(said) == {}


def test_common_words_alone_are_no_terms() -> None:
    assert terms("This is the way, and the time of the year.") == {}


def test_verbs_and_nouns_are_distinguished_by_context() -> None:
    assert list(terms("The daemon spawns a process group, and clients request the lock.")) == [
        "daemon",
        "process group",
        "lock",
    ]


def test_options_and_identifiers_are_terms() -> None:
    found = terms("Pass --no-sandbox or set max_connections.")
    assert found == {"--no-sandbox": Termhood.TERM, "max_connections": Termhood.TERM}


def test_addresses_are_no_terms() -> None:
    assert terms("See https://example.org/some/page and ada@example.org.") == {}


def test_german_nouns_are_terms_and_compounds_rank_higher() -> None:
    text = "Das Mietverhältnis ist ein Verhältnis. Das Verhältnis endet. Die Dauer des Mietverhältnisses ist kurz."
    found = terms("Das Verhältnis und die Dauer des Mietverhältnisses.", text, "de")
    assert found == {"Verhältnis": Termhood.WORD, "Dauer": Termhood.NONCE, "Mietverhältnis": Termhood.TERM}


def test_a_german_genitive_is_the_noun_itself() -> None:
    text = "Das Widerrufsrecht ist ein Recht. Die Dauer des Widerrufsrechts ist kurz."
    assert "Widerrufsrecht" in terms("Die Dauer des Widerrufsrechts ist kurz.", text, "de")


def test_romance_terms_may_contain_prepositions() -> None:
    text = "El período de prueba dura poco. Durante el período de prueba la empresa paga. Tras el período, nada."
    assert terms("Durante el período de prueba la empresa paga.", text, "es") == {
        "período de prueba": Termhood.TERM,
        "empresa paga": Termhood.NONCE_PHRASE,
    }


def test_a_phrase_that_occurs_only_within_another_has_no_c_value() -> None:
    assert c_value(2, 5, [5]) == 0.0 < c_value(3, 5, [])


@given(st.text(max_size=300), st.sampled_from(["en", "de", "es", "fr", "it", "pt", "ca", "nl", "ru", "zh", "xx"]))
def test_terms_of_any_text_are_words_of_it(text: str, language: str) -> None:
    known = vocabulary(text, language)
    for phrase in phrases(text, known):
        assert 0 <= phrase.start < len(text)
        assert phrase.words
    for term in TermIndex.of(text, known).within(text):
        assert term.text.strip() == term.text
        assert sum(map(str.isalnum, term.text)) > 1


@given(st.lists(st.sampled_from(["the basal cell", "a signed token", "of", "tokens", "is.", "\n\n", "The", "Ada"])))
def test_the_terms_of_a_document_do_not_depend_on_another(parts: list[str]) -> None:
    text = " ".join(parts)
    known = Vocabulary("en")
    alone = TermIndex.of(text, known).within(text)
    TermIndex.of(OAUTH, known).within(OAUTH)
    assert TermIndex.of(text, known).within(text) == alone
