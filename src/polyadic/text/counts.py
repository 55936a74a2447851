"""Counts with their nouns."""


def count(number: int, noun: str, plural: str = "") -> str:
    """Format a number with its noun in singular or plural.

    >>> count(1, "fact"), count(2500, "fact"), count(2, "entity", "entities")
    ('1 fact', '2,500 facts', '2 entities')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
