"""Which characters the bytes of an HTML page are: by their mark, by what the page declares, or as other text files."""

import re

from polyadic.loaders.decoding import checked, decode, without_surrogates

_DECLARED = re.compile(
    rb"""<meta\b[^<>]{0,200}?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})
       | ^\s*<\?xml\b[^<>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{1,40})""",
    re.IGNORECASE | re.VERBOSE,
)
_HEAD = 8_192
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
# What pages declare by these names is, by the standard of HTML, what Windows made of them.
_MEANT = {"iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "ascii": "cp1252", "us-ascii": "cp1252"}

# Encodings of Python that are not for text at large.
_NO_CHARSETS = {"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "utf_7"}


def decode_html(data: bytes, fallback: str = "") -> str:
    """The text of a page; single bytes that are not of the declared charset become U+FFFD.

    Raises
    ------
    UnreadableDocument
        The page declares no charset and is not UTF-8, is binary, or is empty.

    >>> decode_html('<meta charset="iso-8859-1"><p>Café'.encode("latin-1"))
    '<meta charset="iso-8859-1"><p>Café'
    """
    declared = "" if data.startswith(_MARKS) else _declared(data[:_HEAD])
    if not declared:
        return decode(data, fallback)
    return checked(without_surrogates(data.decode(declared, "replace")).replace("\r\n", "\n").replace("\r", "\n"))


def known_charset(name: str) -> str:
    """The charset that is meant by this name; empty where Python knows none, or it is no charset of pages.

    >>> known_charset("ISO-8859-1"), known_charset("x-klingon"), known_charset("punycode")
    ('cp1252', '', '')
    """
    meant = _MEANT.get(name.lower(), name.lower())
    try:
        b"a".decode(meant, "replace")
    except (LookupError, UnicodeError):
        return ""
    return "" if meant.replace("-", "_") in _NO_CHARSETS else meant


def _declared(head: bytes) -> str:
    """The charset that a page says it has, if the page, read so, can have said it."""
    found = _DECLARED.search(head)
    if not found:
        return ""
    meant = known_charset((found.group(1) or found.group(2)).decode("ascii"))
    return meant if meant and "<" in head.decode(meant, "replace") else ""
