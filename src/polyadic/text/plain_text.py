"""Text as a reader hears it: without the marks of Markdown and with white space folded."""

import re

_STRUCTURE = re.compile(r"^\s*(?:(?:#{1,6}|>|[-*+•‣]|\(?\d{1,3}[.)])\s+)+|\s+#+\s*$")
_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\s+\"[^\"]*\")?\)|\[[^\[\]]*\])")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3}|~~)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_CODE = re.compile(r"`+")
_CELLS = re.compile(r"\s*\|\s*")
_RULE = re.compile(r"^[\s|:=_~+*-]*$")
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_SPACE = re.compile(r"\s+")


def plain(sentence: str) -> str:
    """The words of a sentence, heading, list item or table row; empty for a mere rule.

    >>> plain("- **Ada** met [Charles\\n Babbage](https://example.org/cb)."), plain("| Ada | 1815 |"), plain("|---|")
    ('Ada met Charles Babbage.', 'Ada; 1815', '')
    """
    if _RULE.match(sentence) or sentence.startswith("```"):
        return ""
    text = _STRUCTURE.sub("", sentence)
    if "[" in text:
        text = _IMAGE_OR_LINK.sub(r"\1", text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    text = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", text))
    text = _CODE.sub("", text)
    if sentence.startswith("|"):
        text = _CELLS.sub("; ", text.strip(" |"))
    return _SPACE.sub(" ", text).strip()


def is_heading(sentence: str) -> bool:
    return _HEADING.match(sentence) is not None


def headings(text: str) -> list[tuple[int, str]]:
    """Where each Markdown heading of a text starts, and its words.

    >>> headings("# Ada\\nBorn 1815.\\n## Early *life*\\n")
    [(0, 'Ada'), (17, 'Early life')]
    """
    return [(match.start(), plain(match.group(1))) for match in _HEADING.finditer(text)]
