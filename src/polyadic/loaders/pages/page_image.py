"""Render a page of a PDF as an image: ``python -m polyadic.loaders.pages.page_image NUMBER < FILE > IMAGE``.

A process of its own protects the caller from files that crash PDFium or keep it busy.
"""

import struct
import sys
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypdfium2 import PdfBitmap

_WIDTH = 1240
"""Width of an image in pixels: 150 per inch for a page of A4."""
_MOST_HEIGHT = 16_000
_MOST_PIXELS = 4_000_000
_MOST_MEMORY = 2_000_000_000
"""Bytes of address space, besides those of the file."""
_COMPRESSION = 6
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB_OF_8_BITS = bytes([8, 2, 0, 0, 0])
_UNFILTERED = b"\0"


def render_page(content: bytes, number: int) -> bytes:
    """Render a page of a PDF as PNG, at most 1240 pixels wide, 16,000 pixels high and 4 megapixels large.

    Parameters
    ----------
    content
        The file.
    number
        Number of the page, from 1.

    Raises
    ------
    IndexError
        The file has no such page.
    pypdfium2.PdfiumError
        The file or the page cannot be read.
    """
    from pypdfium2 import PdfDocument

    opened = PdfDocument(content)
    if not 1 <= number <= len(opened):
        raise IndexError(number)
    page = opened[number - 1]
    width, height = page.get_size()
    # PDFium rounds a side of less than one pixel up, so the number of pixels alone does not bound the other side.
    scale = min(_WIDTH / width, _MOST_HEIGHT / height, (_MOST_PIXELS / (width * height)) ** 0.5)
    return _png(page.render(scale=scale, rev_byteorder=True))


def _png(bitmap: "PdfBitmap") -> bytes:
    """Encode an RGB bitmap (PNG specification, third edition)."""
    size = bitmap.width * bitmap.n_channels
    rows = memoryview(bitmap.buffer).cast("B")
    starts = range(0, bitmap.height * bitmap.stride, bitmap.stride)
    pixels = b"".join(part for start in starts for part in (_UNFILTERED, rows[start : start + size]))
    header = struct.pack(">II", bitmap.width, bitmap.height) + _RGB_OF_8_BITS
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(pixels, _COMPRESSION)), (b"IEND", b""))
    return _SIGNATURE + b"".join(part for kind, data in chunks for part in _chunk(kind, data))


def _chunk(kind: bytes, data: bytes) -> Iterator[bytes]:
    yield from (len(data).to_bytes(4, "big"), kind, data, zlib.crc32(kind + data).to_bytes(4, "big"))


def main() -> None:
    """Render the page whose number is the first argument."""
    content = sys.stdin.buffer.read()
    _limit_memory(_MOST_MEMORY + len(content))
    sys.stdout.buffer.write(render_page(content, int(sys.argv[1])))


def _limit_memory(size: int) -> None:
    """Let allocations of this process fail above a size in bytes, as a small file may contain huge images."""
    # Other systems do not have this limit, or do not apply it.
    if sys.platform == "linux":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        size = size if most == resource.RLIM_INFINITY else min(size, most)
        resource.setrlimit(resource.RLIMIT_AS, (size, most))


if __name__ == "__main__":
    main()
