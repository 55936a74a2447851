"""Which entities are dates, amounts and numbers, by the type that a model gives, or by name without one."""

import pytest

from polyadic.model.value_entities import is_value


@pytest.mark.parametrize(
    "name",
    [
        "20 July 1969",
        "October 1957",
        "between 995 and 997",
        "late sixteenth century",
        "mid-1950s",
        "2nd century AD",
        "Monday",
        "two and a half hours",
        "more than 40 films",
        "Nineteen years",
        "three",
        "twice",
        "half a century",
        "an hour",
        "£73 million",
        "8 de mayo de 1990",
        "12. Mai 1945",
        "17",
    ],
)
def test_untyped_dates_amounts_and_numbers_are_values(name: str) -> None:
    assert is_value(name)


@pytest.mark.parametrize(
    "name",
    [
        "Apollo 11",
        "STS-41-B",
        "X15",
        "Mercury Seven",
        "Seven Samurai",
        "Two Sides of the Moon",
        "May",
        "April",
        "Late Night",
        "Hour",
        "1984 (novel)",
        "1970 coup",
        "12-bar blues",
        "two-stroke engine",
        "one of the crew",
        "first cosmonaut group",
        "The The",
        "船",
        "",
    ],
)
def test_names_with_numbers_are_not_values(name: str) -> None:
    assert not is_value(name)


@pytest.mark.parametrize(
    ("name", "entity_type", "expected"),
    [
        ("1984", "novel", False),
        ("Friday the 13th", "film", False),
        ("Middle Ages", "Date", True),
        ("the day of the landing", "launch date", True),
        ("its birth", "date of birth", True),
        ("a great deal", "amounts", True),
        ("$10", "money (dollars)", True),
        ("Bay Area", "area", False),
        ("50 hectares", "area", True),
        ("April", "person", False),
        ("number theory", "field", False),
    ],
)
def test_type_decides_if_there_is_one(name: str, entity_type: str, expected: bool) -> None:
    assert is_value(name, entity_type) is expected
