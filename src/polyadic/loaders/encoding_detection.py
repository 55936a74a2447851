"""Detect the most likely encoding of bytes that are not UTF-8 and have no byte order mark."""

import codecs
import re
from functools import lru_cache

_SAMPLE = 1 << 16
_NON_ASCII = re.compile(rb"[\x80-\xff]")
_BEFORE, _LONGEST_LINE = 400, 4_000
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f]")
_WORD_WITH_NON_ASCII = re.compile(r"[a-z]*[^\W\d_a-zA-Z]\w*")
# Symbols within or after words, and Icelandic letters in places where Turkish letters belong.
_OUT_OF_PLACE = re.compile("(?<=[a-z])[¡£¤¥¦¨¬¯±²³´¶¸¹¼¾¿ýþð]|[¡£¤¥¦¨¬¯±²³´¶¸¹¼¾þð](?=[a-z])")
_RUN = re.compile(rb"[\x80-\xff]+")
_NOT_IN_WIDE_TEXT = re.compile("[\0-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufff0-\uffff\ud800-\udfff]")
_ALPHABETS = ((0x20, 0x250), (0x370, 0x700), (0x3000, 0x3100), (0x4E00, 0xA000), (0xAC00, 0xD7A4), (0xFF00, 0xFFF0))

_MAX_CONTROL_SHARE = 0.01
_MAX_INVALID_SHARE = 0.02
_VALID_PER_INVALID = 4
_MIN_ALPHABETIC_SHARE = 0.95
# Mean length of runs of non-ASCII bytes: accented Latin letters are mostly isolated, other alphabets form long runs.
_MAX_LATIN_RUN = 1.6
_MAX_ACCENTED_SHARE = 0.3

# Encodings for languages with accented Latin letters; the words that decoding produces tell them apart.
_LATIN = {
    "cp1252": ("fr", "de", "es", "pt", "it", "nl", "sv", "da", "no", "fi"),
    "cp1250": ("pl", "cs", "sk", "hu", "hr", "sl", "ro"),
    "cp1254": ("tr",),
    "cp1257": ("lt", "lv", "et"),
    "iso8859_2": ("pl", "cs", "sk", "hu", "hr", "sl", "ro"),
}
_OTHERS = ("cp1251", "koi8_r", "cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1253", "cp1255", "cp1256")
_NAMES = {
    "cp932": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "gb18030": "GB18030",
    "big5": "Big5",
    "cp949": "EUC-KR",
    "koi8_r": "KOI8-R",
    "iso8859_2": "ISO-8859-2",
}


def detected(data: bytes) -> str:
    """Return the Python codec in which bytes are most likely text; empty if none is likely.

    >>> size = "Größe in Metern"
    >>> detected(size.encode("cp1252")), detected(size.encode("utf-16-le")), detected(bytes(range(256)))
    ('cp1252', 'utf_16_le', '')
    """
    if b"\0" in data:
        return _utf_16_or_32(data)
    if is_binary(data):
        return ""
    sample = _sample(data)
    runs = _RUN.findall(sample)
    non_ascii = sum(map(len, runs))
    if non_ascii < _MAX_LATIN_RUN * len(runs):
        encoding = _latin(sample)
    else:
        encoding = _non_latin(sample) or (_latin(sample) if non_ascii < _MAX_ACCENTED_SHARE * len(sample) else "")
    return encoding if encoding and _is_decodable(data, encoding) else ""


def encoding_name(codec: str) -> str:
    """Return the common name of a Python codec.

    >>> encoding_name("cp1252"), encoding_name("utf_16_le"), encoding_name("shift_jis")
    ('windows-1252', 'UTF-16-LE', 'SHIFT-JIS')
    """
    name = codec.lower().replace("-", "_")
    if name in _NAMES:
        return _NAMES[name]
    return f"windows-{name[2:]}" if re.fullmatch(r"cp125\d", name) else name.replace("_", "-").upper()


def is_binary(data: bytes) -> bool:
    """Return whether bytes without a NUL contain more control characters than text does."""
    sample = data[:_SAMPLE]
    return len(_CONTROL.findall(sample)) > _MAX_CONTROL_SHARE * len(sample) + 1


def is_nearly_utf_8(data: bytes) -> bool:
    """Return whether bytes are UTF-8 with a few invalid bytes, rather than text in another encoding."""
    if b"\0" in data:
        return False
    text = data.decode("utf-8", "replace")
    invalid = text.count("\ufffd")
    valid = sum(not character.isascii() for character in text) - invalid if not text.isascii() else 0
    return valid >= _VALID_PER_INVALID * invalid


def _sample(data: bytes) -> bytes:
    """Return lines with non-ASCII bytes, up to the sample size; long lines are shortened."""
    lines: list[bytes] = []
    size = end = 0
    while size < _SAMPLE and (found := _NON_ASCII.search(data, end)):
        start = max(end, found.start() - _BEFORE)
        start = max(start, data.rfind(b"\n", start, found.start()) + 1)
        end = data.find(b"\n", found.end())
        end = len(data) if end < 0 else end
        lines.append(data[start : min(end, start + _LONGEST_LINE)])
        size += len(lines[-1]) + 1
    return b"\n".join(lines)


def _utf_16_or_32(data: bytes) -> str:
    """Detect UTF-16 or UTF-32 without a byte order mark; return an empty string if it is neither."""
    sample = data[: _SAMPLE - _SAMPLE % 4]
    for encoding in ("utf_32_le", "utf_32_be", "utf_16_le", "utf_16_be"):
        text = codecs.getincrementaldecoder(encoding)("replace").decode(sample)
        known = sum(any(start <= ord(letter) < end for start, end in _ALPHABETS) or letter.isspace() for letter in text)
        spaces = sum(letter in " \n\t\u3000\u3002" for letter in text)
        if text and spaces and not _NOT_IN_WIDE_TEXT.search(text[:-1]) and known >= _MIN_ALPHABETIC_SHARE * len(text):
            return encoding
    return ""


def _non_latin(sample: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=[*_OTHERS, *_LATIN], enable_fallback=False).best()
    encoding = best.encoding if best is not None else ""
    return encoding if encoding in _OTHERS else ""


def _latin(sample: bytes) -> str:
    """Choose the Latin encoding that yields the most known words of its languages and the fewest misplaced symbols."""
    ranked = []
    for encoding, languages in _LATIN.items():
        try:
            text = sample.decode(encoding)
        except UnicodeDecodeError:
            continue
        candidate_words = _WORD_WITH_NON_ASCII.findall(text.lower())
        known = sum(word in _words(languages) for word in candidate_words)
        ranked.append((known - len(_OUT_OF_PLACE.findall(text)), encoding))
    return max(ranked, key=lambda score: score[0])[1] if ranked else "cp1252"


@lru_cache
def _words(languages: tuple[str, ...]) -> frozenset[str]:
    """Return the stop words of some languages that contain non-ASCII letters."""
    from stopwordsiso import stopwords

    return frozenset(word for word in stopwords(list(languages)) if not word.isascii())


def _is_decodable(data: bytes, encoding: str) -> bool:
    """Return whether nearly all bytes are valid in an encoding."""
    invalid = data.decode(encoding, "replace").count("\ufffd")
    return invalid <= _MAX_INVALID_SHARE * len(_NON_ASCII.findall(data))
