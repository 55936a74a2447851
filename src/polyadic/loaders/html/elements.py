"""What HTML elements are: headings, blocks, lists; which are hidden, and which quote a message."""

import re
from collections.abc import Mapping

from polyadic.text.stopwords import words

HEADINGS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = words(
    """
    address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer
    form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu ol p pre section summary table tbody td tfoot th
    thead title tr ul
    """
)
LISTS = frozenset({"ul", "ol", "menu", "dl"})
BOLD = frozenset({"b", "strong"})
VOID = words("area base br col embed hr img input link meta source track wbr")
"""Elements that have no end tag."""
_HIDDEN = words(
    """
    annotation annotation-xml audio button canvas datalist iframe map nav noscript object rp rt script select style svg
    template textarea video
    """
)
_NOT_SHOWN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_MAIL_QUOTES = frozenset({"gmail_quote", "gmail_extra", "moz-cite-prefix", "yahoo_quoted", "protonmail_quote"})


def is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether a browser does not show an element, or shows something other than text."""
    if tag in _HIDDEN or "hidden" in attributes or attributes.get("role") == "navigation":
        return True
    return bool(_NOT_SHOWN.search(attributes.get("style", "")))


def quotes_message(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element contains the quoted message of a reply, as marked by mail programs."""
    if tag == "blockquote":
        return attributes.get("type", "").lower() == "cite"
    return tag == "div" and not _MAIL_QUOTES.isdisjoint(attributes.get("class", "").split())
