"""In what two names are alike, and what tells them apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.resolution.name_similarity import SimilarityKind, compare_names
from polyadic.resolution.parsed_name import ParsedName


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Qurʾān", "Quran", SimilarityKind.SPELLING),
        ("Jean-Paul Sartre", "Jean Paul Sartre", SimilarityKind.SPELLING),
        ("World Health Organisation", "World Health Organization", SimilarityKind.AMERICAN),
        ("Colour", "Color", SimilarityKind.AMERICAN),
        ("Labour Centre", "Labor Center", SimilarityKind.AMERICAN),
        ("The Old Theatre", "The New Theater", None),
        ("Acre", "Acer", None),
        ("Tour", "Tor", None),
        ("Mercury", "Mercury (planet)", SimilarityKind.QUALIFIED),
        ("Lovelace, Ada", "Ada Lovelace", SimilarityKind.ORDER),
        ("Atari, Inc.", "Atari", SimilarityKind.LEGAL),
        ("Nestlé S.A.", "Nestlé", SimilarityKind.LEGAL),
        ("F.B.I.", "Federal Bureau of Investigation", SimilarityKind.ACRONYM),
        ("N. C. Wyeth", "Newell Convers Wyeth", SimilarityKind.INITIALS),
        ("J. Smith", "John Smith", SimilarityKind.INITIALS),
        ("Henrik Angell", "Henrik August Angell", SimilarityKind.MIDDLE),
        ("Curtis", "Ian Curtis", SimilarityKind.LAST),
        ("Mahathir", "Mahathir bin Mohamad", SimilarityKind.FIRST),
        ("Hans Müller", "Hans Möller", SimilarityKind.SLIP),
        ("Lyapunovs", "Lyapunov", SimilarityKind.SLIP),
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
        ("10,000 Maniacs", "10000 Maniacs", SimilarityKind.SPELLING),
        ("RFC 2822", "RFC-2822", SimilarityKind.SPELLING),
        (".ch", "CH", None),
        ("/usr/etc", "/usr/local/etc", None),
        ("/usr/share", "/usr/share/man", None),
        ("https://example.org/books", "https://example.org/book", None),
        ("/usr/lib", "/usr/lib/", SimilarityKind.SPELLING),
        ("--connect", "CONNECT", None),
        ("!pattern", "pattern", None),
        ("¿Quién?", "Quién", SimilarityKind.SPELLING),
        ("J. Smith", "Smith", SimilarityKind.LAST),
        ("N C Wyeth", "Newell Convers Wyeth", SimilarityKind.INITIALS),
        ("README.Debian.gz", "README.policy-rc.d.gz", None),
        ("N-th SQL", "New SQL", None),
        ("Sorting With An Index", "Sorting With A Covering Index", None),
        ("AS MUST NOT", "MUST NOT", SimilarityKind.LAST),
        ("run length limited", "run-length", None),
        ("character actor", "actor", None),
        ("silent comedy drama film", "silent comedy film", None),
        ("Rome, Italy", "Italy", None),
        ("Rome, Italy", "Rome", SimilarityKind.FIRST),
        ("Danish-German", "German", None),
        ("Hungarian-born American", "American", None),
        ("Pamela Bach", "Pamela Bach-Hasselhoff", SimilarityKind.FIRST),
        ("广东", "广西", None),
        ("广东省", "广东省 ", SimilarityKind.SPELLING),
    ],
)
def test_name_pairs_are_classified(one: str, other: str, expected: SimilarityKind | None) -> None:
    found, turned = (
        compare_names(ParsedName.of(one), ParsedName.of(other)),
        compare_names(ParsedName.of(other), ParsedName.of(one)),
    )
    assert (found and found.likeness) == (turned and turned.likeness) == expected


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    found, turned = (
        compare_names(ParsedName.of(one), ParsedName.of(other)),
        compare_names(ParsedName.of(other), ParsedName.of(one)),
    )
    assert (found and found.likeness) == (turned and turned.likeness)
