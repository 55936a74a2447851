"""Match paths against glob patterns: ``*``, ``?`` and ``[...]`` within a name, ``**`` for any number of folders."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

_ANY_FOLDERS = "**"


def is_pattern(text: str) -> bool:
    """Return whether a text contains wildcards.

    >>> is_pattern("notes/*.md"), is_pattern("notes/ada.md")
    (True, False)
    """
    return any(character in text for character in "*?[")


def matches(pattern: str, path: str) -> bool:
    """Return whether a pattern matches a whole path; the time is at most proportional to the product of both lengths.

    >>> matches("notes/*.md", "notes/ada.md"), matches("notes/*.md", "notes/old/ada.md")
    (True, False)
    >>> matches("**/*.md", "notes/old/ada.md"), matches("notes/**", "notes/old/ada.md")
    (True, True)
    """
    parts = pattern.split("/")
    states = _closure(parts, {0})
    for name in path.split("/"):
        states = _closure(parts, {after for state in states for after in _step(parts, state, name)})
    return len(parts) in states


def _step(parts: Sequence[str], state: int, name: str) -> tuple[int, ...]:
    """States of the pattern after a name."""
    if state == len(parts):
        return ()
    if parts[state] == _ANY_FOLDERS:
        return (state,)
    return (state + 1,) if fnmatchcase(name, parts[state]) else ()


def _closure(parts: Sequence[str], states: set[int]) -> set[int]:
    """Add the states reachable because ``**`` may match no folder."""
    found = set(states)
    for state in range(len(parts)):
        if state in found and parts[state] == _ANY_FOLDERS:
            found.add(state + 1)
    return found
