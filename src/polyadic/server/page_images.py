"""Images of pages, with problems for clients."""

from polyadic.errors import UnreadableDocument
from polyadic.loaders.pages.page_rendering import rendered_page
from polyadic.server.problem_details import ProblemError


async def page_image(content: bytes, number: int, seconds: float) -> bytes:
    """Render a page as :func:`rendered_page` does.

    Raises
    ------
    ProblemError
        The page cannot be rendered (422), or not in time (504).
    """
    try:
        return await rendered_page(content, number, seconds)
    except TimeoutError:
        raise ProblemError(504, "too-slow", f"the page was not rendered within {seconds:.0f} seconds") from None
    except UnreadableDocument:
        raise ProblemError(
            422, "not-rendered", "the page cannot be rendered: open the file in another program"
        ) from None
