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
        ("Section 1.6", "Section 16", None),
        ("Table 1.14", "Table 11.4", None),
        ("10,000 Maniacs", "10000 Maniacs", Likeness.SPELLING),
        ("RFC 2822", "RFC-2822", Likeness.SPELLING),
        (".ch", "CH", None),
        ("--connect", "CONNECT", None),
        ("!pattern", "pattern", None),
        ("¿Quién?", "Quién", Likeness.SPELLING),
        ("J. Smith", "Smith", Likeness.LAST),
        ("N C Wyeth", "Newell Convers Wyeth", Likeness.INITIALS),
        ("README.Debian.gz", "README.policy-rc.d.gz", None),
        ("N-th SQL", "New SQL", None),
        ("Sorting With An Index", "Sorting With A Covering Index", None),
        ("AS MUST NOT", "MUST NOT", Likeness.LAST),
        ("run length limited", "run-length", Likeness.FIRST),
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
