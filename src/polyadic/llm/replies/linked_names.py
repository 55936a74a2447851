"""Read the entities that a fact's text has in double square brackets, as in a wiki."""

import re

_LINK = re.compile(r"\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]|\n]{1,200}))?\]\]")
_LEFT_OVER = re.compile(r"\[\[|\]\]")


def read_links(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without brackets, and the names of the entities in them.

    ``[[Neil Armstrong|Armstrong]]`` reads Armstrong and names Neil Armstrong.

    >>> read_links("[[Neil Armstrong|Armstrong]] landed in [[1969]].")
    ('Armstrong landed in 1969.', ('Neil Armstrong', '1969'))
    """
    if "[[" not in text:
        return text, ()
    names = tuple(link[1].strip() for link in _LINK.finditer(text))
    return _LEFT_OVER.sub("", _LINK.sub(lambda link: link[2] or link[1], text)), names
