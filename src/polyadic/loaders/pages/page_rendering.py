"""Render a page of a PDF or picture, or part of a page of a PDF, in a process of its own.

``python -m polyadic.loaders.pages.page_rendering NUMBER WIDTH [LEFT BOTTOM RIGHT TOP] < FILE > IMAGE``

The process protects the caller from files that crash PDFium or Pillow, or keep them busy.
"""

import math
import struct
import sys
import zlib
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from polyadic.errors import UnreadableDocument

if TYPE_CHECKING:
    from PIL.Image import Image
    from pypdfium2 import PdfBitmap

WIDTH = 1240
"""Width of an image to look at in pixels: 150 per inch for a page of A4."""
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")
PICTURE_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP")
"""Formats of pictures that are read, by Pillow's names, and their suffixes."""
Box = tuple[float, float, float, float]
"""Part of a page of a PDF: left, bottom, right and top in the points of its coordinates."""
_MOST_HEIGHT = 16_000
_MOST_PIXELS = 2.6
"""Most pixels of an image, in squares of its width: 4 million for :data:`WIDTH`."""
_PDF = b"%PDF-"
_PDF_RANGE = 1_024
_MOST_MEMORY = 2_000_000_000
"""Bytes of address space, besides those of the file."""
_COMPRESSION = 6
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB_OF_8_BITS = bytes([8, 2, 0, 0, 0])
_UNFILTERED = b"\0"

_MODULE = "polyadic.loaders.pages.page_rendering"


async def rendered_page(
    content: bytes, number: int, seconds: float, width: int = WIDTH, box: Box | None = None
) -> bytes:
    """Render a page of a PDF, or a picture, as PNG, in another process.

    Parameters
    ----------
    content
        The file.
    number
        Number of the page, from 1.
    seconds
        Time limit.
    width
        Width of the image in pixels.
    box
        Part of the page of a PDF to render; None: all of it.

    Raises
    ------
    UnreadableDocument
        The page cannot be rendered.
    TimeoutError
        It is not rendered in time.
    """
    # Imported here, because the process that renders does not need it.
    from polyadic.concurrency.timed_subprocess import run_bounded

    command = [sys.executable, "-m", _MODULE, str(number), str(width), *map(str, box or ())]
    done = await run_bounded(command, content, seconds)
    if done.exit_code:
        raise UnreadableDocument("it cannot be rendered", "open the file in another program")
    return done.output


def render_page(content: bytes, number: int, width: int = WIDTH, box: Box | None = None) -> bytes:
    """Render a page of a PDF, or a picture, as PNG: at most 16,000 pixels high and 2.6 times its width squared large.

    Parameters
    ----------
    content
        The file.
    number
        Number of the page, from 1. The pages of a picture are its frames.
    width
        Width of the image in pixels; smaller pictures are not enlarged.
    box
        Part of the page of a PDF to render; None: all of it.

    Raises
    ------
    IndexError
        The file has no such page.
    Exception
        The file or the page cannot be read.
    """
    if _PDF in content[:_PDF_RANGE]:
        return _pdf_page(content, number, width, box)
    return _picture(content, number, width)


def _pdf_page(content: bytes, number: int, width: int, box: Box | None) -> bytes:
    from pypdfium2 import PdfDocument

    opened = PdfDocument(content)
    if not 1 <= number <= len(opened):
        raise IndexError(number)
    page = opened[number - 1]
    if box:
        page.set_cropbox(*box)
    page_width, page_height = page.get_size()
    return _png(page.render(scale=_scale(page_width, page_height, width), rev_byteorder=True))


def _picture(content: bytes, number: int, width: int) -> bytes:
    from PIL import Image, ImageOps

    with Image.open(BytesIO(content), formats=PICTURE_FORMATS) as opened:
        try:
            opened.seek(number - 1)
        except EOFError:
            raise IndexError(number) from None
        upright = ImageOps.exif_transpose(opened)
        scale = min(1.0, _scale(upright.width, upright.height, width))
        size = max(1, round(upright.width * scale)), max(1, round(upright.height * scale))
        image = BytesIO()
        _on_white(upright).resize(size).save(image, "PNG")
    return image.getvalue()


def _on_white(image: "Image") -> "Image":
    """Put an image on white, which its transparent parts, if there are any, were meant to show."""
    from PIL import Image

    ground = Image.new("RGBA", image.size, "white")
    ground.alpha_composite(image.convert("RGBA"))
    return ground.convert("RGB")


def _scale(page_width: float, page_height: float, width: int) -> float:
    # PDFium rounds a side of less than one pixel up, so the number of pixels alone does not bound the other side.
    by_pixels = width * math.sqrt(_MOST_PIXELS / (page_width * page_height))
    return min(width / page_width, _MOST_HEIGHT / page_height, by_pixels)


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
    """Render the page whose number is the first argument, as wide as the second; four more are part of it."""
    content = sys.stdin.buffer.read()
    _limit_memory(_MOST_MEMORY + len(content))
    number, width, *box = sys.argv[1:]
    sys.stdout.buffer.write(render_page(content, int(number), int(width), _box(box)))


def _box(sides: Sequence[str]) -> Box | None:
    if not sides:
        return None
    left, bottom, right, top = map(float, sides)
    return left, bottom, right, top


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
