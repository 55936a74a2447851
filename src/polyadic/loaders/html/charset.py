"""Decode HTML pages: by byte order mark, by the declared charset, or like other text files."""

import re

from polyadic.loaders.decoding import checked, decode, without_surrogates

_DECLARED = re.compile(
    rb"""<meta\b[^<>]{0,200}?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})
       | ^\s*<\?xml\b[^<>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{1,40})""",
    re.IGNORECASE | re.VERBOSE,
)
_HEAD = 8_192
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
# By the HTML standard, pages that declare these charsets are decoded as windows-1252.
_ALIASES = {"iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "ascii": "cp1252", "us-ascii": "cp1252"}

# Python codecs that are not charsets of pages.
_NO_CHARSETS = {"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "utf_7"}


def decode_html(data: bytes, fallback: str = "") -> str:
    """Decode a page; bytes that are invalid in the declared charset become U+FFFD.

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
    """Return the codec for a charset name; empty if Python does not know it or it is not a charset of pages.

    >>> known_charset("ISO-8859-1"), known_charset("x-klingon"), known_charset("punycode")
    ('cp1252', '', '')
    """
    codec = _ALIASES.get(name.lower(), name.lower())
    try:
        b"a".decode(codec, "replace")
    except (LookupError, UnicodeError):
        return ""
    return "" if codec.replace("-", "_") in _NO_CHARSETS else codec


def _declared(head: bytes) -> str:
    """Return the codec for the charset that a page declares, if decoding with it is consistent with the declaration."""
    found = _DECLARED.search(head)
    if not found:
        return ""
    codec = known_charset((found.group(1) or found.group(2)).decode("ascii"))
    return codec if codec and "<" in head.decode(codec, "replace") else ""
