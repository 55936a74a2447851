"""Read Rich Text Format files."""

import re
from collections.abc import Callable
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.loaders.document_properties import sensible_title
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.third_party_parsers import OptionalFormat, reader, unreadable
from polyadic.model.types import Document

RTF = OptionalFormat(".rtf", "RTF file", package="striprtf", module="striprtf")

_TITLE = re.compile(r"\{\\title ([^{}]{1,500})\}")
_AUTHOR = re.compile(r"\{\\author ([^{}]{1,500})\}")
# Pictures and other hexadecimal data, which the parser would skip slowly, digit by digit.
_HEXADECIMAL = re.compile(r"[0-9a-fA-F\r\n]{256,}+")
_CODE_PAGE = re.compile(r"\\ansicpg(\d{3,5})")


@reader(RTF)
def read_rtf(path: Path, data: bytes, settings: ReadingSettings) -> Document:
    """Read a file as one document: its paragraphs, with table cells separated by bars."""
    if not data.lstrip().startswith(b"{\\rtf"):
        raise unreadable(RTF, "wrong file signature")
    source = _HEXADECIMAL.sub("", data.decode("latin-1"))
    found = _CODE_PAGE.search(source)
    encoding = f"cp{found.group(1)}" if found else "cp1252"
    extracted = ExtractedText(settings.max_megabytes)
    blocks = (_row(line) if line.endswith("|") else line for line in _plain(source, encoding).split("\n"))
    extracted.add_blocks(blocks, lambda block: block.startswith("|"))
    title, author = (_property_text(pattern.search(source), encoding) for pattern in (_TITLE, _AUTHOR))
    return extracted.document(path, sensible_title(title, path), {"author": author}, paged=False)


def _row(line: str) -> str:
    """
    >>> _row("Name|Born|")
    '| Name | Born |'
    """
    return f"| {' | '.join(cell.strip() for cell in line.split('|')[:-1])} |"


def _property_text(found: re.Match[str] | None, encoding: str) -> str:
    return _plain(found.group(1), encoding).strip() if found else ""


def _plain(source: str, encoding: str) -> str:
    from striprtf.striprtf import rtf_to_text

    convert: Callable[..., str] = rtf_to_text
    return convert(source, encoding=encoding, errors="replace")
