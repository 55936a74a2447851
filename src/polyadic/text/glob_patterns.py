"""Patterns of paths as in a shell: ``*``, ``?`` and ``[...]`` within a name, ``**`` for any number of folders."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

_ANY_FOLDERS = "**"


def is_pattern(text: str) -> bool:
    """Whether a text holds anything that a pattern would match in more than one way.

    >>> is_pattern("notes/*.md"), is_pattern("notes/ada.md")
    (True, False)
    """
    return any(character in text for character in "*?[")


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern matches all of a path; the time grows with the product of their lengths at most.

    >>> matches("notes/*.md", "notes/ada.md"), matches("notes/*.md", "notes/old/ada.md")
    (True, False)
    >>> matches("**/*.md", "notes/old/ada.md"), matches("notes/**", "notes/old/ada.md")
    (True, True)
    """
    parts = pattern.split("/")
    reached = _passing(parts, {0})
    for name in path.split("/"):
        reached = _passing(parts, {after for place in reached for after in _after(parts, place, name)})
    return len(parts) in reached


def _after(parts: Sequence[str], place: int, name: str) -> tuple[int, ...]:
    """Where in the pattern a name leads to."""
    if place == len(parts):
        return ()
    if parts[place] == _ANY_FOLDERS:
        return (place,)
    return (place + 1,) if fnmatchcase(name, parts[place]) else ()


def _passing(parts: Sequence[str], places: set[int]) -> set[int]:
    """These places, and those that come after them because ``**`` may stand for no folder."""
    found = set(places)
    for place in range(len(parts)):
        if place in found and parts[place] == _ANY_FOLDERS:
            found.add(place + 1)
    return found
