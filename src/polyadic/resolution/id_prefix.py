"""Resolve prefixes of identifiers given by users."""

from collections.abc import Iterable

from polyadic.errors import NotFound

_MIN_DIGITS = 4
_DIGITS = frozenset("0123456789abcdef")


def resolve_id_prefix(identifiers: Iterable[str], reference: str, what: str, listed: str) -> str:
    """Return the identifier with this prefix of at least 4 digits.

    Parameters
    ----------
    identifiers
        All identifiers.
    reference
        User input.
    what
        Kind of the identified objects, for messages.
    listed
        Hint on how to list them.

    Raises
    ------
    NotFound
        No identifier, or more than one, matches.

    >>> resolve_id_prefix(["0123abcd", "0124abcd"], "0124", "decision", "")
    '0124abcd'
    """
    prefix = reference.strip().lower()
    if len(prefix) < _MIN_DIGITS or not _DIGITS.issuperset(prefix):
        raise NotFound(f"{reference!r} is not an identifier of a {what} ({_MIN_DIGITS} digits or more)", listed)
    found = [one for one in identifiers if one.startswith(prefix)]
    if not found:
        raise NotFound(f"no {what} matches {reference!r}", listed)
    if len(found) > 1:
        raise NotFound(f"{reference!r} begins {len(found)} identifiers of a {what}", "give more digits (see --json)")
    return found[0]
