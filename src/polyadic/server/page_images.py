"""Render pages of PDFs in a process of their own, because a file may crash PDFium or keep it busy."""

import subprocess
import sys

from polyadic.server.problem_details import ProblemError

_MODULE = "polyadic.loaders.pages.page_image"


def page_image(content: bytes, number: int, seconds: float) -> bytes:
    """Render a page of a PDF as PNG.

    Parameters
    ----------
    content
        The file.
    number
        Number of the page, from 1.
    seconds
        Time limit.

    Raises
    ------
    ProblemError
        The page cannot be rendered (422), or not in time (504).
    """
    try:
        rendering = subprocess.run(
            [sys.executable, "-m", _MODULE, str(number)],
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ProblemError(504, "too-slow", f"the page was not rendered within {seconds:.0f} seconds") from None
    if rendering.returncode:
        raise ProblemError(422, "not-rendered", "the page cannot be rendered: open the file in another program")
    return rendering.stdout
