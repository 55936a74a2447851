"""Read the entities that a fact's text has in double square brackets, as in a wiki."""

import re

_LINK = re.compile(r"\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]|\n]{1,200}))?\]\]")
_LEFT_OVER = re.compile(r"\[\[|\]\]")


def read_links(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a text without brackets, and for each link the name of its entity and the form of it in the text.

    >>> read_links("[[Neil Armstrong|Armstrong]] landed in [[1969]].")
    ('Armstrong landed in 1969.', (('Neil Armstrong', 'Armstrong'), ('1969', '1969')))
    """
    if "[[" not in text:
        return text, ()
    names = tuple((link[1].strip(), (link[2] or link[1]).strip()) for link in _LINK.finditer(text))
    return _LEFT_OVER.sub("", _LINK.sub(lambda link: link[2] or link[1], text)), names
