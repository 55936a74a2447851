"""What a sentence says what it is, and where a text turns to another subject."""

import pytest

from polyadic.text.definitions import defined, turns


@pytest.mark.parametrize(
    ("opening", "language", "name"),
    [
        ("The Last Coupon (1932) is a British comedy film.", "en", "The Last Coupon"),
        ("Etan B. Boritzer (born 1950) is a writer.", "en", "Etan B. Boritzer"),
        ("Waylon Smith Jr. is a clerk.", "en", "Waylon Smith Jr."),
        ("Rhirid Flaidd (or Rhirid ap Gwrgenau) (fl. 1160) was a lord.", "en", "Rhirid Flaidd"),
        ("Anthemis cotula, also known as mayweed, is a plant.", "en", ""),
        ("Anthemis, also known as mayweed, is a plant.", "en", "Anthemis"),
        ("Abdul Aziz bin Majid was a governor.", "en", "Abdul Aziz bin Majid"),
        ('"Not If You Were the Last" is a song.', "en", "Not If You Were the Last"),
        ('He said "no" and was gone.', "en", ""),
        ("Additionally, he was a poet.", "en", ""),
        ("It rained. Ada was a poet.", "en", ""),
        ("Johanna Kessler, geborene Brandt, war eine Ingenieurin.", "de", "Johanna Kessler"),
        ("Ludwig van Falk est un peintre.", "fr", "Ludwig van Falk"),
        ("Ada Falk olla runoilija.", "fi", ""),
    ],
)
def test_definitions_are_found(opening: str, language: str, name: str) -> None:
    assert defined(opening, language, "") == name


def test_subject_changes_at_a_definition() -> None:
    stated = ["Falk was a friend.", "The harbour burnt.", "Jonas Brandt was a sailor.", "Brandt was a Dane.", "Ada is."]
    assert list(turns(enumerate(stated), "en", "Ada Falk")) == [(2, "Jonas Brandt")]
    assert list(turns(enumerate(stated[:1]), "en")) == [(0, "Falk")]
