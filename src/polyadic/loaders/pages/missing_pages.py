"""The error for a file of which some pages cannot be read."""

from collections.abc import Mapping

from polyadic.errors import PolyadicError, UnreadableDocument
from polyadic.loaders.optional_readers import CHECK_IT

_MAX_LISTED_PAGES = 10


def missing_pages(broken: Mapping[int, Exception], pages: int) -> UnreadableDocument:
    """Return the error that names the pages that cannot be read, and the reason for the first if it is known.

    Parameters
    ----------
    broken
        Errors by number of the page, from 1.
    pages
        Number of pages of the file.

    >>> missing_pages({2: UnreadableDocument("too dark", "scan it again"), 3: ValueError()}, 12).what
    '2 of its 12 pages cannot be read: 2, 3 (too dark)'
    """
    numbers = sorted(broken)
    listed = ", ".join(map(str, numbers[:_MAX_LISTED_PAGES])) + (", …" if len(numbers) > _MAX_LISTED_PAGES else "")
    what = f"{len(numbers):,} of its {pages:,} pages cannot be read: {listed}"
    reason = broken[numbers[0]]
    if isinstance(reason, PolyadicError):
        return UnreadableDocument(f"{what} ({reason.what})", reason.next_step)
    return UnreadableDocument(what, CHECK_IT)
