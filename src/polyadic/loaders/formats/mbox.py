"""Mailboxes in mbox format: a document a message."""

import re
from collections.abc import Iterator
from dataclasses import replace
from email.parser import BytesHeaderParser
from pathlib import Path
from typing import BinaryIO

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.file_access import byte_limit, opened, too_large
from polyadic.loaders.formats.eml import read_eml
from polyadic.loaders.skipped import SkippedInput, skipped
from polyadic.model.types import Document

_BEGINS = re.compile(rb"From \S+.{0,100}\d\d:\d\d")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_LONGEST_LINE = 1 << 20
_LONGEST_HEADER = 20_000
_LONGEST_ID = 200


def read_mbox(path: Path, settings: ReadingSettings) -> Iterator[Document | SkippedInput]:
    """A document for each message; its row is its Message-ID, or its number where that is missing or not the first.

    Raises
    ------
    UnreadableDocument
        The file is not readable, is no mailbox, or was written to meanwhile (documents may have come before).
    """
    known: set[str] = set()
    with opened(path) as file:
        number = 0
        for number, (line, message) in enumerate(_messages(file, settings.max_megabytes), start=1):
            try:
                if isinstance(message, UnreadableDocument):
                    raise message
                name = _message_id(message)
                name = name if name and name not in known else str(number)
                known.add(name)
                for document in read_eml.parse(path, message, settings):
                    yield replace(document, source=f"{path}#{name}")
            except UnreadableDocument as problem:
                yield skipped(str(path), problem, line)
        if not number:
            raise UnreadableDocument("not a mailbox (no line begins a message)", "save it in mbox format, or as .eml")


def _messages(file: BinaryIO, max_megabytes: float) -> Iterator[tuple[int, bytes | UnreadableDocument]]:
    """The messages, each with the line at which it begins; one that is too large is passed over."""
    limit = byte_limit(max_megabytes)
    lines: list[bytes] = []
    begins = size = number = 0
    after_blank = starts_line = True
    while line := file.readline(_LONGEST_LINE):
        number += starts_line
        if starts_line and after_blank and _BEGINS.match(line):
            if begins:
                yield begins, _message(lines, size, max_megabytes)
            lines, size, begins = [], 0, number
        elif begins:
            size += len(line)
            if size <= limit:
                lines.append(line)
        after_blank = starts_line and not line.strip()
        starts_line = line.endswith(b"\n")
    if begins:
        yield begins, _message(lines, size, max_megabytes)


def _message(lines: list[bytes], size: int, max_megabytes: float) -> bytes | UnreadableDocument:
    if size > byte_limit(max_megabytes):
        return too_large(size, max_megabytes)
    return _QUOTED_FROM.sub(rb"\1", b"".join(lines))


def _message_id(message: bytes) -> str:
    """The Message-ID without its brackets, if it is printable ASCII and short."""
    header = re.split(rb"\r?\n\r?\n", message[:_LONGEST_HEADER], maxsplit=1)[0]
    said = str(BytesHeaderParser().parsebytes(header).get("message-id", "")).strip().strip("<>")
    return said if len(said) <= _LONGEST_ID and re.fullmatch(r"[!-~]+", said) else ""
