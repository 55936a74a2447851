"""Convert superscripts to plain text: exponents are written with ``^``, footnote marks are dropped."""

import re

_FOOTNOTE_MARK = re.compile(
    r"[\[(]\s*(?:\d{1,4}|[A-Za-z]{1,2}|(?:note|nb|n)\s*\d{1,3})\s*[\])]|[*†‡§¶]{1,3}", re.IGNORECASE
)
_NUMBER = re.compile(r"[+\-−–]?\d[\d.,/]*|[+\-−–]?[A-Za-z]|[A-Za-z0-9]{1,4}[+\-−–*/][A-Za-z0-9]{1,4}")
_ORDINAL = re.compile(
    r"(?:st|nd|rd|th|er|ers|re|res|e|es|ème|eme|nde?|d|de|o|os|a|as|r|ra|s|lle|lles|me|mes|te)\.?", re.IGNORECASE
)
_SIGNS = {"tm": "™", "sm": "℠", "(r)": "®", "r": "®"}
_SENTENCE_END = re.compile(r"[.,;:!?…\"”»’。，；：！？]$")
_BASE = re.compile(r"[^\s,.;:!?\"“”«»]+$")
_ROMAN = re.compile(r"[IVXLC]+$")


def raised(before: str, text: str) -> str:
    """Return the plain text for superscript characters.

    Parameters
    ----------
    before
        The text directly before them, on the same line.
    text
        The superscript characters.

    >>> [before + raised(before, text) for before, text in (("2", "31"), ("m", "2"), ("10", "-3"), ("the 1", "st"))]
    ['2^31', 'm^2', '10^-3', 'the 1st']
    >>> [before + raised(before, text) for before, text in (("Java", "TM"), ("so.", "4"), ("Ada", "[2]"))]
    ['Java™', 'so.', 'Ada']
    """
    words = text.strip()
    base = _BASE.search(before)
    if not words or _FOOTNOTE_MARK.fullmatch(words):
        return ""
    if base is None:
        is_note = words.isdigit() and _SENTENCE_END.search(before)
        return "" if is_note else f" {words}" if before.strip() else words
    if words.lower() in _SIGNS and len(base.group()) > 1 and words.isupper():
        return _SIGNS[words.lower()]
    if _ORDINAL.fullmatch(words) and (base.group()[-1:].isdigit() or _ROMAN.search(base.group()) or len(words) > 1):
        return words
    return f"^{words}" if _NUMBER.fullmatch(words) else f" {words}" if " " in words else f"^({words})"
