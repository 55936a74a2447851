"""Names in sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.text.names import Sort, Vocabulary, names, vocabulary


def found(sentence: str, language: str = "en", document: str = "") -> list[str]:
    return [name.text for name in names(sentence, vocabulary(document or sentence, language))]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("In 1843 Ada Lovelace's notes appeared.", ["1843", "Ada Lovelace"]),
        ("J. K. Rowling was born in St. Ives.", ["J. K. Rowling", "St. Ives"]),
        ("The Bishop of Elmham met Boso the Elder.", ["Bishop of Elmham", "Elmham", "Boso the Elder"]),
        ("They gave Ada the Gold Medal.", ["Ada", "Gold Medal"]),
        ("Charles de Gaulle and Ludwig van Beethoven", ["Charles de Gaulle", "Ludwig van Beethoven"]),
        ("He won at the 2006 Winter Olympics.", ["2006 Winter Olympics", "2006"]),
        ("She died on 12 May 1843 or May 13, 1843.", ["12 May 1843", "May 13, 1843"]),
        ("It appeared on 1843-05-12, in the 1840s.", ["1843-05-12", "1840s"]),
        ('He sang "Changed It" and “The Raven,” she said.', ["Changed It", "The Raven"]),
        ('"I never said that," said Ada.', ["Ada"]),
        ("However, Bill Gates and U.S. Army men left.", ["Bill Gates", "U.S. Army"]),
        ("In New York, New South Wales and the New World.", ["New York", "New South Wales", "New World"]),
        ("Dunkin' Brands owns the Beatles' records.", ["Dunkin' Brands", "Beatles"]),
        ("St. Mary's Abbey is near O'Brien's house.", ["St. Mary's Abbey", "O'Brien"]),
        ("He and I met them; It was She.", []),
        ("it is https://Example.org/Ada and Ada@Example.org", []),
        ("ALL OF THIS IS SHOUTED IN 1843.", ["1843"]),
        ("Apollo 11, the B-52 and R&B", ["Apollo 11", "B-52", "R&B"]),
        ("", []),
    ],
)
def test_english(sentence: str, expected: list[str]) -> None:
    assert found(sentence) == expected


def test_a_word_that_the_document_has_in_lower_case_is_no_name_at_the_start_of_a_sentence() -> None:
    assert found("Notes were taken.", document="Notes were taken. She wrote notes.") == []
    assert found("Babbage took notes.", document="Babbage took notes.") == ["Babbage"]


def test_a_german_noun_that_follows_a_determiner_is_no_name() -> None:
    sentence = "Der Lehrer sah Goethe und die Schule in Weimar."
    assert found(sentence, "de") == ["Goethe", "Weimar"]


def test_french_elisions_are_not_part_of_a_name() -> None:
    assert found("Il est membre de l'Académie française.", "fr") == ["Académie"]


def test_chinese_titles_dates_and_what_recurs() -> None:
    text = "1843年，巴贝奇写了《机器》。后来巴贝奇去了 London。巴贝奇老了。"
    assert found("1843年，巴贝奇写了《机器》。", "zh", text) == ["1843年", "巴贝奇", "机器"]
    assert found("后来巴贝奇去了 London。", "zh", text) == ["巴贝奇", "London"]


def test_katakana() -> None:
    assert "チャールズ・バベッジ" in found("機械はチャールズ・バベッジによって作られた。", "ja")


def test_sorts() -> None:
    sorts = {name.text: name.sort for name in names("Ada had 12 books on 12 May 1843.", Vocabulary("en"))}
    assert sorts == {"Ada": Sort.NAME, "12": Sort.NUMBER, "12 May 1843": Sort.DATE}


@given(st.text(max_size=200), st.sampled_from(["en", "de", "fr", "zh", "xx"]))
def test_names_are_words_of_the_sentence_and_each_once(sentence: str, language: str) -> None:
    listed = names(sentence, vocabulary(sentence, language))
    assert all(name.text and name.text in sentence for name in listed)
    assert len({name.text.casefold() for name in listed}) == len(listed)
    assert [name.start for name in listed] == sorted(name.start for name in listed)
