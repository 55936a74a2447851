"""Decode bytes: as UTF-8, by byte order mark, with the encoding from the settings, or with the detected encoding."""

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

# The little-endian UTF-32 mark begins with the UTF-16 mark, so test for it first.
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
    """Decode the bytes of a file, convert line ends to ``\\n`` and drop the byte order mark; change nothing else.

    Parameters
    ----------
    data
        All bytes of the file.
    encoding
        Fallback for bytes that are not UTF-8 and have no byte order mark; empty to detect the encoding.

    Raises
    ------
    UnreadableDocument
        The bytes are not text in that encoding, contain a NUL, or contain only white space.

    Notes
    -----
    UTF-8 with a few invalid bytes is decoded as UTF-8, and each of them becomes U+FFFD. Every encoding other than valid
    UTF-8 is recorded for :func:`noted_encodings`.

    >>> decode(b"\\xef\\xbb\\xbfone\\r\\ntwo")
    'one\\ntwo'
    """
    return checked(_decoded(data, encoding).replace("\r\n", "\n").replace("\r", "\n"))


def checked(text: str) -> str:
    """Return the text unchanged, or raise UnreadableDocument if it contains a NUL or only white space."""
    if "\0" in text:
        raise binary()
    if not text.strip():
        raise empty()
    return text


def empty() -> UnreadableDocument:
    """Return the error for a file without text."""
    return UnreadableDocument("empty", "add text to it, or exclude it")


@contextmanager
def noted_encodings() -> Iterator[set[str]]:
    """Collect the names of the encodings, other than UTF-8, that are used for decoding within this context."""
    noted: set[str] = set()
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)


def stream_encoding(file: BinaryIO, fallback: str) -> str:
    """Determine the encoding of a file that is too large to hold in memory, and rewind the file.

    With a ``fallback`` the whole file is read, to check that all of it is UTF-8: single lines in another encoding can
    look like UTF-8 by accident. Without one, the beginning of the file decides.
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
    """Raise ``SettingsError`` unless Python knows this text encoding; an empty name is allowed."""
    try:
        b"a".decode(encoding or UTF_8, "replace")
    except LookupError as error:
        what = f"reading.encoding is {encoding!r}, which is not a text encoding"
        raise SettingsError(what, "use for example latin-1, cp1252, shift_jis or gb18030") from error


def has_surrogates(text: str) -> bool:
    """Return whether the text contains lone surrogates, which valid UTF-8 cannot encode."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def without_surrogates(text: str) -> str:
    """Replace each lone surrogate (a JSON escape can produce one) with U+FFFD."""
    return _SURROGATE.sub("\ufffd", text) if has_surrogates(text) else text


def undecodable(error: UnicodeError, encoding: str) -> UnreadableDocument:
    """Return the error for bytes that are not text in this encoding, with the position of the first invalid byte."""
    where = ""
    if isinstance(error, UnicodeDecodeError):
        where = f" (byte 0x{error.object[error.start]:02x} at {error.start:,})"
    name = "UTF-8" if encoding == UTF_8 else encoding.upper()
    return UnreadableDocument(f"not {name} text{where}", _CONVERT)


def not_utf_8(text: str) -> UnreadableDocument:
    """Return the error for a line decoded with ``surrogateescape``; the position counts bytes of that line."""
    try:
        text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeDecodeError as error:
        return undecodable(error, UTF_8)
    raise ValueError("the line is UTF-8 text")


def binary() -> UnreadableDocument:
    """Return the error for bytes that are not text."""
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
        # UTF-16 text can be valid UTF-8, for example in Russian.
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
    """Guess the encoding of a file from its beginning; default to UTF-8."""
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
    """Return whether the whole file, read in blocks, is UTF-8 text.

    UTF-16 without a byte order mark is valid UTF-8 if all characters are ASCII, so a NUL rules out UTF-8.
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
