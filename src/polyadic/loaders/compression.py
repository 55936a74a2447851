"""Read compressed files (.gz, .bz2, .xz): unpack them into a temporary file, within limits, for the reader of it."""

import tempfile
import zlib
from bz2 import BZ2File
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from gzip import BadGzipFile, GzipFile
from lzma import FORMAT_XZ, LZMADecompressor, LZMAError
from pathlib import Path, PurePath
from typing import BinaryIO

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.archives import UNPACKED_TIMES
from polyadic.loaders.file_access import RAISE_THE_LIMIT, byte_limit, opened, unreadable_from
from polyadic.loaders.skipped import SkippedInput
from polyadic.model.types import Document

ARCHIVE_SUFFIXES = frozenset((".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".zip", ".7z", ".rar"))
"""Suffixes of archives of several files, which are not read."""

ROW_SUFFIXES = frozenset((".jsonl", ".ndjson", ".csv", ".tsv", ".mbox"))
"""Suffixes of files with one document per row, which may be of any size if they are not compressed."""

_BLOCK = 1 << 18
# Unpacking what xz -9 packs takes 65 MB of memory; a file may demand 4 GB.
_MOST_XZ_MEMORY = 128 << 20
# What liblzma says of a file that demands more.
_MEMORY_LIMIT = "Memory usage limit exceeded"
_Read = Callable[[Path, ReadingSettings], Iterable[Document | SkippedInput]]


def uncompressed_name(name: str) -> str:
    """Return a file name or path without the suffix of a compression; unchanged if it has none.

    >>> [uncompressed_name(name) for name in ("tar.1.gz", "data.csv.XZ", "notes.txt", ".gz")]
    ['tar.1', 'data.csv', 'notes.txt', '.gz']
    """
    path = PurePath(name)
    is_compressed = path.suffix.lower() in _BLOCKS and path.stem.strip(".")
    return name[: -len(path.suffix)] if is_compressed else name


def whole_suffix(name: str) -> str:
    """Return the suffix of a file name, of a compressed file with the suffix that it has without compression.

    >>> [whole_suffix(name) for name in ("data.csv.gz", "changelog.gz", "app.log.2.gz", "notes.v2.txt")]
    ['.csv.gz', '.gz', '.2.gz', '.txt']
    """
    inner = uncompressed_name(name)
    return PurePath(inner).suffix + name[len(inner) :]


def is_archive(name: str) -> bool:
    """Return whether a file name, or its suffix alone, is that of an archive of several files.

    >>> [is_archive(name) for name in ("docs.tar.gz", "docs.TGZ", ".tar.xz", "docs.csv.gz")]
    [True, True, True, False]
    """
    return uncompressed_name(f"a{name}").lower().endswith(tuple(ARCHIVE_SUFFIXES))


def has_rows(name: str) -> bool:
    """Return whether a file of this name, compressed or not, may have one document per row.

    >>> has_rows("data.csv"), has_rows("data.csv.gz"), has_rows("notes.txt")
    (True, True, False)
    """
    return PurePath(uncompressed_name(name)).suffix.lower() in ROW_SUFFIXES


@dataclass(frozen=True, slots=True)
class CompressedReader:
    """Reader of compressed files: ``read`` reads them unpacked, and sources are those of the compressed file.

    The whole file is unpacked first, so a damaged one yields no document.
    """

    read: _Read

    def __call__(self, path: Path, settings: ReadingSettings) -> Iterator[Document | SkippedInput]:
        times = UNPACKED_TIMES if has_rows(path.name) else 1
        with _unpacked(path, times * settings.max_megabytes) as copy:
            for item in self.read(copy, settings):
                yield _of_file(item, str(copy), str(path))


def beginning(path: Path, size: int) -> bytes:
    """Return the first bytes of the content of a file, unpacked if it is compressed; fewer if it is damaged.

    Raises
    ------
    UnreadableDocument
        The file cannot be opened or read.
    """
    with opened(path) as file:
        if uncompressed_name(path.name) == path.name:
            return file.read(size)
        head = b""
        try:
            for block in _blocks(path.name, file):
                head += block
                if len(head) >= size:
                    break
        except UnreadableDocument:
            # The reader reports it.
            pass
    return head[:size]


@contextmanager
def _unpacked(path: Path, max_megabytes: float) -> Iterator[Path]:
    """Unpack a file into a temporary folder, which is removed at the end; yield the path of the copy."""
    with tempfile.TemporaryDirectory(prefix="polyadic-") as folder:
        copy = Path(folder) / uncompressed_name(path.name)
        with opened(path) as file:
            _write(copy, _blocks(path.name, file), max_megabytes)
        yield copy


def _write(copy: Path, blocks: Iterator[bytes], max_megabytes: float) -> None:
    size = 0
    try:
        with copy.open("xb") as file:
            for block in blocks:
                size += len(block)
                if size > byte_limit(max_megabytes):
                    what = f"unpacks to more than the limit of {max_megabytes:,g} MB"
                    raise UnreadableDocument(what, RAISE_THE_LIMIT)
                file.write(block)
    except OSError as error:
        what = f"cannot be unpacked into {copy.parent.parent} ({unreadable_from(error).what})"
        raise UnreadableDocument(what, "free space there, or set TMPDIR to another folder") from error


def _blocks(name: str, file: BinaryIO) -> Iterator[bytes]:
    """Yield the unpacked content in blocks; raise UnreadableDocument if it is damaged or cannot be read."""
    suffix = PurePath(name).suffix.lower()
    if not file.read(1):
        return
    file.seek(0)
    try:
        yield from _BLOCKS[suffix](file)
    except EOFError as error:
        raise UnreadableDocument("the compressed data ends too early", "copy or compress it again") from error
    except (BadGzipFile, zlib.error, LZMAError) as error:
        raise (_too_much_memory() if _MEMORY_LIMIT in str(error) else _damaged(suffix)) from error
    except OSError as error:
        # bz2 raises a bare OSError for damaged data; that of the operating system has a number.
        raise (unreadable_from(error) if error.errno else _damaged(suffix)) from error


def _damaged(suffix: str) -> UnreadableDocument:
    return UnreadableDocument(f"not valid {suffix} data", "check it, and compress it again")


def _too_much_memory() -> UnreadableDocument:
    what = f"unpacking it needs more than {_MOST_XZ_MEMORY / 1e6:,.0f} MB of memory"
    return UnreadableDocument(what, "compress it again, with xz -9 or lower")


def _gzip_blocks(file: BinaryIO) -> Iterator[bytes]:
    return iter(partial(GzipFile(fileobj=file).read, _BLOCK), b"")


def _bzip2_blocks(file: BinaryIO) -> Iterator[bytes]:
    return iter(partial(BZ2File(file).read, _BLOCK), b"")


def _xz_blocks(file: BinaryIO) -> Iterator[bytes]:
    """Unpack the streams of an xz file, whose padding consists of zeros, in bounded memory (lzma.open has no bound)."""
    data = file.read(_BLOCK)
    while data:
        decompressor = LZMADecompressor(FORMAT_XZ, _MOST_XZ_MEMORY)
        while True:
            yield decompressor.decompress(data, _BLOCK)
            if decompressor.eof:
                break
            data = file.read(_BLOCK) if decompressor.needs_input else b""
            if decompressor.needs_input and not data:
                raise EOFError
        data = (decompressor.unused_data or file.read(_BLOCK)).lstrip(b"\0")


_BLOCKS: dict[str, Callable[[BinaryIO], Iterator[bytes]]] = {
    ".gz": _gzip_blocks,
    ".bz2": _bzip2_blocks,
    ".xz": _xz_blocks,
}


def _of_file(item: Document | SkippedInput, copy: str, path: str) -> Document | SkippedInput:
    """Replace the path of the copy by that of the compressed file."""
    source = path + item.source.removeprefix(copy)
    if isinstance(item, Document):
        return replace(item, source=source, note=item.note.replace(copy, path))
    reason, next_step = (text.replace(copy, path) for text in (item.reason, item.next_step))
    return replace(item, source=source, reason=reason, next_step=next_step)
