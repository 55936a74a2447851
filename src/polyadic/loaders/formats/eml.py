"""Read e-mail messages: text, sender, recipients and date; attachments are listed by name.

Of attachments and inline pictures, only pictures are read, if a vision model describes them.

Quoted text is kept, because the quoted message may not be available elsewhere. It can be retrieved as a passage, but
the extractor attributes no facts in it to this message (text/mail_quotes.py).
"""

import re
from collections.abc import Iterator, Sequence
from email.message import Message
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.html.charset import decode_html, known_charset
from polyadic.loaders.html.page_text import shown_page
from polyadic.loaders.ocr.captions import Captioner, Picture, captions_by_name, picture_of_file
from polyadic.loaders.third_party_parsers import (
    OptionalFormat,
    PartialDocument,
    reader,
    unreadable,
    with_problems,
)
from polyadic.model.identity import document_id
from polyadic.model.types import Document
from polyadic.text.code_fences import without_headings

EML = OptionalFormat(".eml", "e-mail message")

_EXPECTED_HEADERS = ("from", "to", "subject", "date", "message-id", "received", "mime-version")
_LONGEST_HEADER = 10_000
_LONGEST_FIELD = 20_000
_MAX_DEPTH = 50
# Header fields with parameters, which the parser handles in quadratic time.
_FIELD = re.compile(rb"(?:^|[\r\n])content-(?:type|disposition):[^\r\n]*(?:(?:\r\n?|\n)[ \t][^\r\n]*)*", re.IGNORECASE)
_NO_TEXT = "no text in this message"
# Placeholder for removed lines of binary data, which are undecodable.
_BINARY_DATA_NOTE = "[binary data left out]"
_REPLACEMENT_CHARACTER = "\ufffd"
_MIN_BINARY_SHARE = 0.15
_MIN_BINARY_LINES = 3
# Maximum number of lines between two binary lines that may look readable by chance.
_MAX_GAP = 4


@reader(EML)
def read_eml(
    path: Path, data: bytes, settings: ReadingSettings, captioner: Captioner | None = None
) -> Document | PartialDocument:
    """Read a message as one document: its plain text, or else the text of its HTML; the subject is the title."""
    from email import message_from_bytes

    if any(len(found.group()) > _LONGEST_FIELD for found in _FIELD.finditer(data)):
        raise unreadable(EML, f"a field of its header has more than {_LONGEST_FIELD:,} bytes")
    message = message_from_bytes(data)
    if not any(name in message for name in _EXPECTED_HEADERS):
        raise unreadable(EML, "it has no message header")
    parts = list(_parts(message))
    extracted = ExtractedText(settings.max_megabytes)
    for text in _plain(parts, settings.encoding) or _from_html(parts, settings.encoding):
        extracted.add(text)
    captions = captions_by_name(_pictures(parts) if captioner else {}, captioner, document_id(str(path)))
    for caption in captions.texts.values():
        extracted.add(caption)
    if not extracted.last:
        raise UnreadableDocument(_NO_TEXT, "save its attachments, and add those")
    metadata: dict[str, object] = {name: _header(message, name) for name in ("from", "to", "cc")}
    metadata["date"] = _date(_header(message, "date"))
    metadata["attachments"] = [name for part in parts if (name := _attachment(part))]
    document = extracted.document(path, _header(message, "subject"), metadata, paged=False)
    return with_problems(document, captions.problems)


def _parts(message: Message, depth: int = 0) -> Iterator[Message]:
    """Yield the parts of a message; an embedded message is an attachment and is not split."""
    if message.get_content_maintype() == "multipart" and message.is_multipart() and depth < _MAX_DEPTH:
        for part in message.get_payload():
            if isinstance(part, Message):
                yield from _parts(part, depth + 1)
    else:
        yield message


def _pictures(parts: list[Message]) -> dict[str, Picture]:
    """Return the pictures of a message, inline or attached, by the number of their part."""
    contents = (part.get_payload(decode=True) if part.get_content_maintype() == "image" else None for part in parts)
    found = ((str(number), picture_of_file(data)) for number, data in enumerate(contents) if isinstance(data, bytes))
    return {number: picture for number, picture in found if picture}


def _plain(parts: list[Message], fallback: str) -> list[str]:
    texts = (
        _text(part, fallback) for part in parts if part.get_content_type() == "text/plain" and not _attachment(part)
    )
    return [without_headings(text) for text in texts if text.strip()]


def _from_html(parts: list[Message], fallback: str) -> list[str]:
    pages = [part for part in parts if part.get_content_type() == "text/html" and not _attachment(part)]
    return [shown_page(_text(page, fallback)).text for page in pages]


def _text(part: Message, fallback: str) -> str:
    """Return the text of a part; undecodable bytes become U+FFFD, because a received message cannot be corrected.

    Lines of binary data are replaced by a placeholder.
    """
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    charset = known_charset(part.get_content_charset(""))
    if not charset and part.get_content_type() == "text/html" and data.strip():
        return decode_html(data, fallback or "latin-1")
    for encoding in filter(None, ("" if charset == "cp1252" else charset, "utf-8", fallback, charset)):
        try:
            return data.decode(encoding)
        except UnicodeError:
            continue
    return without_binary_lines(data.decode("utf-8", "replace"))


def _attachment(part: Message) -> str:
    """Return the name of an attachment; empty for a part of the message itself."""
    name = part.get_filename()
    is_attached = part.get_content_disposition() == "attachment" or part.get_content_type() == "message/rfc822"
    if not (name or is_attached):
        return ""
    return _decoded(name) if name else part.get_content_type()


def _header(message: Message, name: str) -> str:
    return " ".join(_decoded(str(message.get(name, ""))).split())


def _decoded(header: str) -> str:
    """Decode the encoded words (``=?utf-8?q?…?=``) of a header if possible."""
    from email.errors import MessageError
    from email.header import decode_header, make_header

    words = header[:_LONGEST_HEADER]
    try:
        return str(make_header(decode_header(words)))
    except (ValueError, LookupError, MessageError):
        return words


def _date(value: str) -> str:
    """Convert ``Wed, 01 May 2024 12:00:00 +0200`` to 2024-05-01 12:00:00+02:00; return empty if it is not a date."""
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(value).isoformat(" ")
    except (ValueError, OverflowError):
        return ""


def without_binary_lines(text: str) -> str:
    r"""Replace each run of mostly undecodable lines with a placeholder.

    >>> without_binary_lines("+++ b/a.png\n" + "\ufffd\ufffdP\n" * 9 + "-- \nAda")
    '+++ b/a.png\n[binary data left out]\n-- \nAda'
    """
    if _REPLACEMENT_CHARACTER not in text:
        return text
    lines = text.split("\n")
    binary = [
        index for index, line in enumerate(lines) if line.count(_REPLACEMENT_CHARACTER) > _MIN_BINARY_SHARE * len(line)
    ]
    kept: list[str] = []
    end = 0
    for first, last in _binary_runs(binary):
        kept += [*lines[end:first], _BINARY_DATA_NOTE]
        end = last + 1
    return "\n".join([*kept, *lines[end:]])


def _binary_runs(binary: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last line of each run of binary lines that is long enough, gaps included."""
    runs: list[list[int]] = []
    for index in binary:
        if runs and index - runs[-1][-1] <= _MAX_GAP + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return [(run[0], run[-1]) for run in runs if len(run) >= _MIN_BINARY_LINES]
