"""Convert document metadata to short strings."""

import re
from collections.abc import Iterable, Mapping
from itertools import islice

from polyadic.loaders.decoding import without_surrogates

MOST_ENTRIES = 50
LONGEST_VALUE = 1_000
LONGEST_KEY = 100
LONGEST_TITLE = 200

_SPACE = re.compile(r"[\s\x00-\x1f]+")


def metadata_of(values: Mapping[str, object]) -> dict[str, str]:
    """Convert scalars to strings and join lists of scalars with ", "; drop nested and empty values.

    Keeps at most 50 entries, with keys of up to 100 and values of up to 1,000 characters: metadata serves display and
    filtering.

    >>> metadata_of({"year": 1843, "tags": ["engine", "notes"], "draft": False, "more": {"a": 1}})
    {'year': '1843', 'tags': 'engine, notes', 'draft': 'false'}
    """
    pairs = ((_line(key, LONGEST_KEY), _value(value)) for key, value in values.items())
    return dict(islice(((key, value) for key, value in pairs if key and value), MOST_ENTRIES))


def title_of(text: str) -> str:
    """Normalize a title to one line of at most 200 characters."""
    return _line(text, LONGEST_TITLE)


def _value(value: object) -> str:
    if isinstance(value, list):
        return _line(", ".join(_scalars(value)), LONGEST_VALUE)
    return _line(_scalar(value), LONGEST_VALUE)


def _scalars(values: Iterable[object]) -> Iterable[str]:
    """Convert values to strings, at most as many as could fit into the longest value."""
    return islice((text for text in map(_scalar, values) if text), LONGEST_VALUE)


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value[: LONGEST_VALUE + 1]
    return str(value) if isinstance(value, int | float) else ""


def _line(text: str, longest: int) -> str:
    """Put the text on one line; truncate it with an ellipsis if it is too long."""
    line = _SPACE.sub(" ", without_surrogates(text)).strip()
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
