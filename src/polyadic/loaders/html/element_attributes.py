"""What the tag and the attributes of an HTML element say about its text."""

import re
from collections.abc import Mapping

from polyadic.text.stopwords import words

_HIDDEN = words(
    """
    annotation annotation-xml audio canvas datalist iframe map nav noscript object rp rt script select style svg
    template textarea video
    """
)
# Buttons that show and hide the answer to a question, but not those of a menu.
_OPENS_AN_ANSWER = re.compile(r"accordion|collaps|faq|question", re.IGNORECASE)
_OPENS_A_MENU = re.compile(r"menu|nav|search|share|filter|lang|theme|close", re.IGNORECASE)
_NOT_SHOWN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_MAIL_QUOTES = frozenset({"gmail_quote", "gmail_extra", "moz-cite-prefix", "yahoo_quoted", "protonmail_quote"})


def is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether a browser does not show an element, or shows something other than text."""
    if tag in _HIDDEN or "hidden" in attributes or attributes.get("role") == "navigation":
        return True
    return bool(_NOT_SHOWN.search(attributes.get("style", "")))


def opens_an_answer(attributes: Mapping[str, str]) -> bool:
    """Return whether a button shows and hides the text after it, as in a list of questions."""
    names = " ".join(attributes.get(name, "") for name in ("class", "id", "aria-controls", "aria-label", "data-target"))
    is_disclosure = "aria-expanded" in attributes and "aria-haspopup" not in attributes
    return (is_disclosure or bool(_OPENS_AN_ANSWER.search(names))) and not _OPENS_A_MENU.search(names)


def quotes_message(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element contains the quoted message of a reply, as marked by mail programs."""
    if tag == "blockquote":
        return attributes.get("type", "").lower() == "cite"
    return tag == "div" and not _MAIL_QUOTES.isdisjoint(attributes.get("class", "").split())
