"""Sentences that refer to the one before."""

import pytest

from polyadic.text.dependent_sentences import leans_on_previous


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("These are the defaults.", "en"),
        ("It waits.", "en"),
        ("In this case, it waits.", "en"),
        ("Otherwise the file is kept.", "en"),
        ("However, both are kept.", "en"),
        ("For example, two are kept.", "en"),
        ("Andernfalls wird sie gelöscht.", "de"),
        ("In diesem Fall endet der Vertrag.", "de"),
        ("Sin embargo, se conserva.", "es"),
        ("Dans ce cas, il attend.", "fr"),
    ],
)
def test_sentence_leans(sentence: str, language: str) -> None:
    assert leans_on_previous(sentence, language)


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("The file is kept.", "en"),
        ("You may charge a fee.", "en"),
        ("This License ends.", "en"),
        ("This manual page describes it.", "en"),
        ("Items are kept.", "en"),
        ("Sie können kündigen.", "de"),
        ("Die Datei bleibt.", "de"),
        ("", "en"),
    ],
)
def test_sentence_stands_alone(sentence: str, language: str) -> None:
    assert not leans_on_previous(sentence, language)
