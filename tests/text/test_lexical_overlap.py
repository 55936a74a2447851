"""Words that a question and a sentence have in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.text.lexical_overlap import shares_in_common


@pytest.mark.parametrize(
    ("question", "language", "right", "wrong"),
    [
        ("Wer entwarf die Brücke?", "de", "Entworfen hat die Steinbrücke Ada.", "Die Brücke ist alt."),
        ("¿Quién fundó el puerto?", "es", "El puerto fue fundado por Diego.", "El puerto es grande."),
        ("¿Quién creó el taller?", "es", "Lo creó Ana, y el taller creció.", "El taller cerró."),
        ("谁第一个走过清水桥？", "zh", "第一个走过清水桥的是赵阿福。", "清水桥有七个桥孔。"),
    ],
)
def test_answers_have_higher_overlap(question: str, language: str, right: str, wrong: str) -> None:
    shares = shares_in_common(question, [right, wrong, ""], language)
    assert shares[0] > shares[1] > shares[2] == 0.0


def test_stopwords_and_cross_word_bigrams_do_not_count() -> None:
    assert shares_in_common("Wer war der und die?", ["Der war die und wer."], "de") == [0.0]
    assert shares_in_common("为什么没有参加典礼？", ["没有参加，典礼"], "zh") == [pytest.approx(1.0)]


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=4), st.sampled_from(["de", "es", "zh", "xx"]))
def test_overlap_is_between_zero_and_one(question: str, sentences: list[str], language: str) -> None:
    shares = shares_in_common(question, sentences, language)
    assert len(shares) == len(sentences)
    assert all(0.0 <= share <= 1.0 + 1e-9 for share in shares)
