"""Names of uploaded files: sanitized, with or without folders, and distinct within an upload."""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from polyadic.loaders.compression import whole_suffix
from polyadic.loaders.loader import is_readable
from polyadic.model.identity import digest

_MAX_NAME_BYTES = 120
_MAX_SUFFIX_BYTES = 40
_MAX_FOLDER_BYTES = 600
_RESERVED = ':*?"<>|#'
# Replaced by full-width forms, which look alike but have no meaning in paths and sources; so names stay distinct.
_FULL_WIDTH = str.maketrans({character: chr(ord(character) + 0xFEE0) for character in _RESERVED})
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


def sanitize_file_name(file_name: str, with_ocr: bool = False) -> str | None:
    """Sanitize a file name; return None if nothing is left or the file type is not supported, as pictures without OCR.

    >>> names = "../../etc/passwd.txt", "C:\\\\Report 1.PDF", "a.exe", "...", "Why?.md"
    >>> [sanitize_file_name(name) for name in names]
    ['passwd.txt', 'Report 1.PDF', None, None, 'Why？.md']
    """
    name = _sanitize_part(_parts(file_name)[-1])
    if not Path(name).stem or not is_readable(name, with_ocr):
        return None
    return _shortened(name)


def sanitize_file_path(file_path: str, with_ocr: bool = False) -> str | None:
    """Sanitize a file name with its folders; as for :func:`sanitize_file_name`, no part leads upwards.

    >>> names = "letters/1843/ada.md", "../../etc/passwd.txt", "C:\\\\Docs\\\\Why?.md", "docs/a.exe"
    >>> [sanitize_file_path(name) for name in names]
    ['letters/1843/ada.md', 'etc/passwd.txt', 'C：/Docs/Why？.md', None]
    """
    name = sanitize_file_name(file_path, with_ocr)
    if name is None:
        return None
    folders = "/".join(_shortened(part) for part in map(_sanitize_part, _parts(file_path)[:-1]) if part)
    if len(folders.encode()) > _MAX_FOLDER_BYTES:
        folders = f"~{digest(folders)[:8]}"
    return f"{folders}/{name}" if folders else name


def distinct(names: Sequence[str]) -> list[str]:
    """Number all but the first of equal names.

    >>> distinct(["a.md", "a.md", "a (2).md", "b.md", "a.md"])
    ['a.md', 'a (3).md', 'a (2).md', 'b.md', 'a (4).md']
    >>> distinct(["data.csv.gz", "data.csv.gz"])
    ['data.csv.gz', 'data (2).csv.gz']
    >>> distinct(["x/a.md", "y/a.md", "x/a.md"])
    ['x/a.md', 'y/a.md', 'x/a (2).md']
    """
    taken, used = set(names), set[str]()
    numbered = []
    for name in names:
        unique, number = name, 1
        while unique in used or (number > 1 and unique in taken):
            number += 1
            path = PurePosixPath(name)
            suffix = whole_suffix(path.name)
            unique = str(path.with_name(_shortened(f"{path.name.removesuffix(suffix)} ({number}){suffix}")))
        used.add(unique)
        numbered.append(unique)
    return numbered


def _parts(file_path: str) -> list[str]:
    return re.split(r"[\\/]", unicodedata.normalize("NFC", file_path))


def _sanitize_part(part: str) -> str:
    return " ".join(_FORBIDDEN.sub("_", part).translate(_FULL_WIDTH).split()).lstrip(". ")


def _shortened(name: str) -> str:
    """Shorten a long name; a digest of the whole name keeps it different from others with the same beginning.

    >>> len(_shortened("a." + "1" * 200)), _shortened("a" * 200 + ".csv.gz")[-7:]
    (120, '.csv.gz')
    """
    if len(name.encode()) <= _MAX_NAME_BYTES:
        return name
    suffixes = (whole_suffix(name), Path(name).suffix, "")
    suffix = next(one for one in suffixes if len(one.encode()) <= _MAX_SUFFIX_BYTES)
    stem, tail = name.removesuffix(suffix), f"~{digest(name)[:8]}{suffix}"
    while len(f"{stem}{tail}".encode()) > _MAX_NAME_BYTES:
        stem = stem[:-1]
    return f"{stem}{tail}"
