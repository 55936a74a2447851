"""Replace the escape sequences of roff by characters, and split the arguments of a request."""

import re
from collections.abc import Mapping

_GLYPHS = {
    "aq": "'", "dq": '"', "lq": "“", "rq": "”", "oq": "‘", "cq": "’", "Bq": "„", "bq": "‚", "Fo": "«", "Fc": "»",
    "co": "©", "rg": "®", "tm": "™", "em": "—", "en": "–", "hy": "-", "mi": "-", "bu": "•", "sq": "□", "dg": "†",
    "->": "→", "<-": "←", "ua": "↑", "da": "↓", "<=": "≤", ">=": "≥", "!=": "≠", "+-": "±", "mu": "×", "di": "÷",
    "de": "°", "mc": "µ", "*m": "μ", "Po": "£", "Eu": "€", "ct": "¢", "sc": "§", "ps": "¶", "ga": "`", "ha": "^",
    "ti": "~", "rs": "\\", "sl": "/", "ba": "|", "br": "|", "ul": "_", "at": "@", "sh": "#", "Do": "$", "lB": "[",
    "rB": "]", "lC": "{", "rC": "}", "la": "<", "ra": ">", "ss": "ß", "12": "½", "14": "¼", "34": "¾", ":a": "ä",
    ":o": "ö", ":u": "ü", ":A": "Ä", ":O": "Ö", ":U": "Ü", "'a": "á", "'e": "é", "'i": "í", "'o": "ó", "'u": "ú",
    "`a": "à", "`e": "è", "`u": "ù", "^a": "â", "^e": "ê", "^i": "î", "^o": "ô", "^u": "û", ",c": "ç", "~n": "ñ",
    "oa": "å", "AE": "Æ", "ae": "æ", "/O": "Ø", "/o": "ø",
}  # fmt: skip
_STRINGS = {"R": "®", "Tm": "™", "lq": "“", "rq": "”"}
_PLAIN = {"-": "-", "e": "\\", "\\": "\\", " ": "\xa0", "~": "\xa0", "0": " ", "t": "\t", "'": "´", "`": "`", ".": "."}
# Escapes in their order: a named glyph, a string, a font or another setting with an argument, a character alone.
_ESCAPE = re.compile(
    r"\\(?:\((?P<two>..)|\[(?P<glyph>[^\]\n]{1,30})\]"
    r"|\*(?:\((?P<string2>..)|\[(?P<string>[^\]\n]{1,30})\]|(?P<string1>.))"
    r"|[fFgkmMnVY](?:\(..|\[[^\]\n]{0,30}\]|[+-]?.)"
    r"|s(?:\([+-]?\d\d|[+-]?\(\d\d|\[[^\]\n]{0,10}\]|[+-]?\d)"
    r"|N'(?P<number>\d{1,7})'|[AbBCDhHlLoRSvwxXZ]'[^'\n]{0,200}'"
    r"|(?P<one>.))"
)
_COMMENT = re.compile(r"(?<!\\)\\[\"#].*")
_ARGUMENT = re.compile(r'"((?:[^"]|"")*)"?|((?:\\.|\S)+)')
_UNICODE = re.compile(r"u([0-9A-F]{4,6})")


def without_comment(line: str) -> str:
    r"""Remove the comment of a line.

    >>> without_comment(r'.B word \" a comment')
    '.B word '
    """
    return _COMMENT.sub("", line)


def unescaped(text: str, strings: Mapping[str, str]) -> str:
    r"""Replace escape sequences; fonts and sizes are dropped.

    Parameters
    ----------
    text
        Text of one line.
    strings
        Strings that the page defines, by name.

    >>> unescaped(r"\fB\-v\fR \(en don\(aqt \*(Tm", {})
    "-v – don't ™"
    """

    def character(found: re.Match[str]) -> str:
        string = found["string2"] or found["string"] or found["string1"]
        if string:
            return strings.get(string, _STRINGS.get(string, ""))
        if found["number"]:
            return _code_point(int(found["number"]))
        glyph = found["two"] or found["glyph"]
        if glyph:
            code = _UNICODE.fullmatch(glyph)
            return _code_point(int(code[1], 16)) if code else _GLYPHS.get(glyph, "")
        return _PLAIN.get(found["one"] or "", "")

    return _ESCAPE.sub(character, text)


def _code_point(number: int) -> str:
    return chr(number) if 32 <= number < 0xD800 or 0xE000 <= number < 0x110000 else ""


def arguments(text: str) -> list[str]:
    r"""Split the arguments of a request, in which quotation marks hold words together.

    >>> arguments(r'"two words" one\ more "a ""b"" c"')
    ['two words', 'one\\ more', 'a "b" c']
    """
    return [
        quoted.replace('""', '"') if found.startswith('"') else word
        for found, quoted, word in ((match[0], match[1] or "", match[2] or "") for match in _ARGUMENT.finditer(text))
    ]
