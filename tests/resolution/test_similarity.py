"""In what two names are alike, and what tells them apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.resolution.names import Name
from polyadic.resolution.similarity import Likeness, likeness


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Qurʾān", "Quran", Likeness.SPELLING),
        ("Jean-Paul Sartre", "Jean Paul Sartre", Likeness.SPELLING),
        ("Mercury", "Mercury (planet)", Likeness.QUALIFIED),
        ("Lovelace, Ada", "Ada Lovelace", Likeness.ORDER),
        ("Atari, Inc.", "Atari", Likeness.LEGAL),
        ("Nestlé S.A.", "Nestlé", Likeness.LEGAL),
        ("F.B.I.", "Federal Bureau of Investigation", Likeness.ACRONYM),
        ("N. C. Wyeth", "Newell Convers Wyeth", Likeness.INITIALS),
        ("J. Smith", "John Smith", Likeness.INITIALS),
        ("Henrik Angell", "Henrik August Angell", Likeness.MIDDLE),
        ("Curtis", "Ian Curtis", Likeness.LAST),
        ("Mahathir", "Mahathir bin Mohamad", Likeness.FIRST),
        ("Hans Müller", "Hans Möller", Likeness.SLIP),
        ("Lyapunovs", "Lyapunov", Likeness.SLIP),
        ("Razanamahasoa", "Razanamahosaa", None),
        ("Mercury (planet)", "Mercury (god)", None),
        ("World War", "World War II", None),
        ("World War One", "World War I", None),
        ("Apollo 11", "Apollo 12", None),
        ("Soyuz T-12", "Soyuz TM-12", None),
        ("March 1978", "1978", None),
        ("Oxford", "University of Oxford", None),
        ("Korea", "North Korea", None),
        ("Paul Desmarais Sr.", "Paul Desmarais Jr.", None),
        ("C++", "C#", None),
        ("15%", "15", None),
        ("广东", "广西", None),
        ("广东省", "广东省 ", Likeness.SPELLING),
    ],
)
def test_two_names(one: str, other: str, expected: Likeness | None) -> None:
    found, turned = likeness(Name.of(one), Name.of(other)), likeness(Name.of(other), Name.of(one))
    assert (found and found.likeness) == (turned and turned.likeness) == expected


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    found, turned = likeness(Name.of(one), Name.of(other)), likeness(Name.of(other), Name.of(one))
    assert (found and found.likeness) == (turned and turned.likeness)
