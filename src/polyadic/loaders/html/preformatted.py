"""Preformatted text of a page: code with its programming language, or prose."""

import re
from collections.abc import Mapping

_LANGUAGE = re.compile(r"(?:^|\s)(?:lang(?:uage)?-|brush:\s?|sourceCode\s)([\w+#-]{1,20})")
_LINE_NUMBERS = re.compile(r"[\s\d]+")
# Old pages put whole texts in <pre>; it is prose if nearly all its words are plain and it contains sentence ends.
_PLAIN_WORD = re.compile(r"[\"'“‘(]?[^\W\d_]+(?:['’-][^\W\d_]+)*[.,;:!?)\"'”’]{0,3}")
_SENTENCE_END = re.compile(r"[^\W\d_]{2}[.?!][\"'”’)]?(?:\s|$)")
_MIN_PROSE_WORDS, _MIN_PLAIN_SHARE, _MAX_SENTENCE_WORDS = 60, 0.8, 40


class Preformatted:
    """Collect the text of a ``<pre>`` element.

    Parameters
    ----------
    attributes
        Attributes of the element; a class such as ``language-python`` names the language.
    """

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self.language = _language(attributes)
        self._pieces: list[str] = []

    def add(self, text: str) -> None:
        """Add text."""
        self._pieces.append(text)

    def open_code(self, attributes: Mapping[str, str]) -> None:
        """Begin a ``<code>`` element, which may name the language."""
        self.language = self.language or _language(attributes)
        # Consecutive listings: the same code in two languages, or code line by line.
        if self._pieces and not self._pieces[-1]:
            self.break_line()

    def close_code(self) -> None:
        """End a ``<code>`` element."""
        self._pieces.append("")

    def break_line(self) -> None:
        """Add a line break where an element begins or ends that is a block outside code, unless there is one."""
        last = next(filter(None, reversed(self._pieces)), "\n")
        if not last.endswith("\n"):
            self._pieces.append("\n")

    def text(self) -> str:
        """Return the text; empty if it has only the numbers of lines."""
        lines = [line.rstrip() for line in "".join(self._pieces).replace("\r", "").split("\n")]
        text = "\n".join(lines).strip("\n")
        return "" if _LINE_NUMBERS.fullmatch(text) else text


def _language(attributes: Mapping[str, str]) -> str:
    """Return the programming language of code from its class, such as ``language-python``; empty if not given."""
    found = _LANGUAGE.search(attributes.get("class", ""))
    return found.group(1) if found else ""


def is_prose(text: str) -> bool:
    """Return whether preformatted text is prose, as in mailing list archives."""
    tokens = text.split()
    if len(tokens) < _MIN_PROSE_WORDS:
        return False
    plain_words = sum(_PLAIN_WORD.fullmatch(word) is not None for word in tokens)
    ends = sum(1 for _ in _SENTENCE_END.finditer(text))
    return plain_words >= _MIN_PLAIN_SHARE * len(tokens) and ends * _MAX_SENTENCE_WORDS >= len(tokens)
