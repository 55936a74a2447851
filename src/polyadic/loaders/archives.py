"""Archives (.docx, .pptx, .xlsx and .epub are zips): looked over before anything in them is unpacked."""

import io
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from zipfile import BadZipFile, ZipFile

from polyadic.errors import UnreadableDocument
from polyadic.loaders.file_access import byte_limit
from polyadic.loaders.optional_readers import OptionalFormat, encrypted, unreadable

MOST_ENTRIES = 20_000
"""Files in one archive."""

UNPACKED_TIMES = 4
"""How many times as large as the largest text all that is in an archive may be: pictures count as well."""

# Styles and the like are in the smallest of files.
_LEAST_MEGABYTES = 2.0
_MARKUP = (".xml", ".rels", ".opf", ".xhtml", ".html", ".htm", ".ncx", ".vml")
_ENCRYPTED_FLAG = 0x1
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PASSWORD_STREAM = "EncryptedPackage".encode("utf-16-le")


@contextmanager
def archive(data: bytes, kind: OptionalFormat, max_megabytes: float, markup_times: int = 1) -> Iterator[ZipFile]:
    """An archive that is safe to unpack.

    Parameters
    ----------
    data
        All bytes of the file.
    kind
        What it should be.
    max_megabytes
        The largest text of a document.
    markup_times
        How many times as large all the markup may be; 1 where trees are made of it, which take many times its size.

    Raises
    ------
    UnreadableDocument
        It is no archive, is encrypted, or would unpack to more than is allowed (zip bombs do).

    Notes
    -----
    zipfile unpacks no more of a file than its entry says, so that the sum of what the entries say is a bound.
    """
    if data.startswith(_OLD_OFFICE):
        raise (
            encrypted()
            if _PASSWORD_STREAM in data
            else unreadable(kind, "an old Office file", f"save it as {kind.suffix}")
        )
    try:
        opened = ZipFile(io.BytesIO(data))
    except BadZipFile as error:
        raise unreadable(kind, "no complete zip archive") from error
    with opened:
        _look_over(opened, max_megabytes, markup_times)
        yield opened


def member(opened: ZipFile, name: str) -> bytes:
    """A file in an archive by its name, or by the same name in other case; empty where there is none.

    >>> with ZipFile(io.BytesIO(), "w") as zipped:
    ...     zipped.writestr("OPS/One.xhtml", "Text.")
    ...     member(zipped, "OPS/Text/../one.xhtml"), member(zipped, "../etc/passwd")
    (b'Text.', b'')
    """
    wanted = posixpath.normpath(name).lstrip("/")
    if wanted in opened.NameToInfo:
        return opened.read(wanted)
    found = next((other for other in opened.namelist() if other.casefold() == wanted.casefold()), None)
    return opened.read(found) if found is not None else b""


def _look_over(opened: ZipFile, max_megabytes: float, markup_times: int) -> None:
    entries = opened.infolist()
    if len(entries) > MOST_ENTRIES:
        raise UnreadableDocument(f"an archive of more than {MOST_ENTRIES:,} files", "split it")
    if any(entry.flag_bits & _ENCRYPTED_FLAG for entry in entries):
        raise encrypted()
    _bounded(sum(entry.file_size for entry in entries), UNPACKED_TIMES * max_megabytes)
    markup = sum(entry.file_size for entry in entries if entry.filename.lower().endswith(_MARKUP))
    _bounded(markup, markup_times * max_megabytes)


def _bounded(size: int, max_megabytes: float) -> None:
    limit = max(_LEAST_MEGABYTES, max_megabytes)
    if size > byte_limit(limit):
        what = f"unpacks to {size / 1e6:,.6g} MB, which is over the limit of {limit:,g} MB"
        raise UnreadableDocument(what, "raise max_megabytes under [reading] in the settings, or split it")
