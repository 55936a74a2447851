"""Render pages of files in a process of its own, because a file may crash PDFium or Pillow, or keep them busy."""

import sys

from polyadic.concurrency.timed_subprocess import run_bounded
from polyadic.errors import UnreadableDocument
from polyadic.loaders.pages.page_image import WIDTH, Box

_MODULE = "polyadic.loaders.pages.page_image"


async def rendered_page(
    content: bytes, number: int, seconds: float, width: int = WIDTH, box: Box | None = None
) -> bytes:
    """Render a page of a PDF, or a picture, as PNG.

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
    command = [sys.executable, "-m", _MODULE, str(number), str(width), *map(str, box or ())]
    done = await run_bounded(command, content, seconds)
    if done.exit_code:
        raise UnreadableDocument("it cannot be rendered", "open the file in another program")
    return done.output
