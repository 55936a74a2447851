"""From bytes to text: UTF-8, what a byte order mark says, the encoding that the settings name, or the likeliest one."""

import codecs
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import BinaryIO

from polyadic.errors import SettingsError, UnreadableDocument
from polyadic.loaders.encoding_detection import detected, encoding_name, is_binary, is_nearly_utf_8

UTF_8 = "utf-8-sig"
"""UTF-8 with or without a byte order mark."""

# The mark of UTF-32 (little end first) begins with that of UTF-16, so it is looked for first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
BYTE_ORDER_MARKS = tuple(mark for mark, _ in _MARKS)
_LONGEST_MARK = 4
_BLOCK = 1 << 20
_SURROGATE = re.compile("[\ud800-\udfff]")
_DAMAGED = "UTF-8 with invalid bytes"
_noted: ContextVar[set[str] | None] = ContextVar("noted encodings", default=None)
_CONVERT = "set encoding under [reading] in the settings, or convert it: iconv -f ENCODING -t UTF-8"


def decode(data: bytes, encoding: str = "") -> str:
    """The text of a file, its line ends made ``\\n``, its byte order mark removed; nothing else is altered.

    Parameters
    ----------
    data
        All bytes of the file.
    encoding
        What to fall back on where the bytes are not UTF-8 and carry no mark; empty: the encoding is detected.

    Raises
    ------
    UnreadableDocument
        The bytes are not text in that encoding, hold a NUL, or there is nothing but white space.

    Notes
    -----
    UTF-8 with some invalid bytes stays UTF-8, each of these replaced by U+FFFD. Any encoding but valid UTF-8 is noted
    for :func:`noted_encodings`.

    >>> decode(b"\\xef\\xbb\\xbfone\\r\\ntwo")
    'one\\ntwo'
    """
    return checked(_decoded(data, encoding).replace("\r\n", "\n").replace("\r", "\n"))


def checked(text: str) -> str:
    """The text, if it is one: not empty, without NUL. Other control characters are kept as they are."""
    if "\0" in text:
        raise binary()
    if not text.strip():
        raise UnreadableDocument("empty", "")
    return text


@contextmanager
def noted_encodings() -> Iterator[set[str]]:
    """Collect the names of the encodings other than UTF-8 in which bytes are decoded within this context."""
    noted: set[str] = set()
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)


def stream_encoding(file: BinaryIO, fallback: str) -> str:
    """The encoding of a file too large to be held, which is left at its beginning.

    Only where there is a ``fallback`` must the file be read through, to learn whether it is UTF-8 as a whole:
    single lines of another encoding can look like UTF-8 by accident. Otherwise the beginning decides.
    """
    head = file.read(_LONGEST_MARK)
    marks = (*_MARKS, (codecs.BOM_UTF8, UTF_8))
    encoding = next((encoding for mark, encoding in marks if head.startswith(mark)), "")
    if not encoding and fallback:
        encoding = UTF_8 if _is_utf_8(file) else fallback
    elif not encoding:
        file.seek(0)
        encoding = _encoding_of_beginning(file.read(_BLOCK))
    file.seek(0)
    _note(encoding)
    return encoding


def require_text_encoding(encoding: str) -> None:
    """Raise ``SettingsError`` unless Python knows this encoding of text; empty is allowed."""
    try:
        b"a".decode(encoding or UTF_8, "replace")
    except LookupError as error:
        what = f"reading.encoding is {encoding!r}, which is no encoding of text"
        raise SettingsError(what, "name one such as latin-1, cp1252, shift_jis or gb18030") from error


def has_surrogates(text: str) -> bool:
    """Whether the text holds halves of surrogate pairs, which no UTF-8 file can."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def without_surrogates(text: str) -> str:
    """The text with each lone half of a surrogate pair (a JSON escape can make one) replaced by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text) if has_surrogates(text) else text


def undecodable(error: UnicodeError, encoding: str) -> UnreadableDocument:
    """The refusal of bytes that are not text in this encoding, with the first that is not."""
    where = ""
    if isinstance(error, UnicodeDecodeError):
        where = f" (byte 0x{error.object[error.start]:02x} at {error.start:,})"
    name = "UTF-8" if encoding == UTF_8 else encoding.upper()
    return UnreadableDocument(f"not {name} text{where}", _CONVERT)


def not_utf_8(text: str) -> UnreadableDocument:
    """The refusal of a line decoded with ``surrogateescape``; the place is counted in bytes of that line."""
    try:
        text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeDecodeError as error:
        return undecodable(error, UTF_8)
    raise ValueError("the line is UTF-8 text")


def binary() -> UnreadableDocument:
    """The refusal of bytes that are no text."""
    return UnreadableDocument("looks like a binary file", "convert it to text")


def _decoded(data: bytes, fallback: str) -> str:
    if not (fallback or data.startswith(BYTE_ORDER_MARKS)):
        return _decoded_as_detected(data)
    encoding = stream_encoding(io.BytesIO(data), fallback)
    try:
        return without_surrogates(data.decode(encoding))
    except UnicodeError as error:
        if encoding == UTF_8 and b"\0" in data:
            raise binary() from error
        raise undecodable(error, encoding) from error


def _decoded_as_detected(data: bytes) -> str:
    if b"\0" in data and (encoding := detected(data)):
        # Wide characters can be valid UTF-8, as those of Russian are.
        _note(encoding)
        return without_surrogates(data.decode(encoding, "replace"))
    try:
        return without_surrogates(data.decode(UTF_8))
    except UnicodeDecodeError as error:
        if data.startswith(codecs.BOM_UTF8) or is_nearly_utf_8(data):
            _note(_DAMAGED)
            return without_surrogates(data.decode(UTF_8, "replace"))
        encoding = detected(data)
        if not encoding:
            raise (binary() if b"\0" in data or is_binary(data) else undecodable(error, UTF_8)) from error
    _note(encoding)
    return without_surrogates(data.decode(encoding, "replace"))


def _encoding_of_beginning(beginning: bytes) -> str:
    """The encoding of a file that begins so; UTF-8 where nothing else is likely."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(beginning)
    except UnicodeDecodeError:
        return UTF_8 if is_nearly_utf_8(beginning) else detected(beginning) or UTF_8
    return (b"\0" in beginning and detected(beginning)) or UTF_8


def _note(encoding: str) -> None:
    noted = _noted.get()
    if noted is not None and encoding != UTF_8:
        noted.add(encoding if encoding == _DAMAGED else encoding_name(encoding))


def _is_utf_8(file: BinaryIO) -> bool:
    """Whether all of the file is UTF-8 text; read in blocks.

    UTF-16 without its mark is valid UTF-8 where all is ASCII, so NULs count against it.
    """
    file.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while block := file.read(_BLOCK):
            if b"\0" in block:
                return False
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
