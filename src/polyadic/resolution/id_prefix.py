"""What a person types to name one of several things: the beginning of its identifier."""

from collections.abc import Iterable

from polyadic.errors import NotFound

_FEWEST_DIGITS = 4
_DIGITS = frozenset("0123456789abcdef")


def resolve_id_prefix(identifiers: Iterable[str], reference: str, what: str, listed: str) -> str:
    """The identifier that begins like this; 4 digits or more.

    Parameters
    ----------
    identifiers
        All there are.
    reference
        What was typed.
    what
        The kind of thing that they identify.
    listed
        What to do to see them.

    Raises
    ------
    NotFound
        There is none, or more than one.

    >>> resolve_id_prefix(["0123abcd", "0124abcd"], "0124", "decision", "")
    '0124abcd'
    """
    prefix = reference.strip().lower()
    if len(prefix) < _FEWEST_DIGITS or not _DIGITS.issuperset(prefix):
        raise NotFound(f"{reference!r} is no identifier of a {what} ({_FEWEST_DIGITS} digits or more)", listed)
    found = [one for one in identifiers if one.startswith(prefix)]
    if not found:
        raise NotFound(f"no {what} matches {reference!r}", listed)
    if len(found) > 1:
        raise NotFound(f"{reference!r} begins {len(found)} identifiers of a {what}", "say more digits (--json has all)")
    return found[0]
