"""Fold accents and case, for comparing words."""

import unicodedata


def without_accents(text: str) -> str:
    """Remove accents and other combining marks; the result is decomposed (NFKD).

    >>> without_accents("Café")
    'Cafe'
    """
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def folded(text: str) -> str:
    """Fold case and accents, as the full-text index does.

    >>> folded("CAFÉ")
    'cafe'
    """
    return text.lower() if text.isascii() else without_accents(text.casefold())
