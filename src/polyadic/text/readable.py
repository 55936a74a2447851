"""Make source text readable: without the marks of Markdown and reStructuredText, white space folded.

Inline code keeps its backticks, and nothing inside it changes: ``__init__`` is no emphasis.
"""

import re

from polyadic.model.identity import normal_text
from polyadic.text.plain_text import without_closing_marks

# Input is untrusted, so every pattern runs in linear time: no nested repeats.
_LITERAL = re.compile(r"``([^`\n]{1,500})``")
_ROLE = re.compile(r":[a-z][\w.+:-]{1,60}:`([^`]{1,1000})`")
_REFERENCE = re.compile(r"`([^`<]{1,500}?)\s*(?:<[^<>`]{0,500}>)?`_{1,2}")
_TITLE_OF_ROLE = re.compile(r"[!~]?([^<]{1,500}?)\s*<[^<>]{1,500}>")
_LAST_PART = re.compile(r"~(?:[\w]+\.)*(\w+)")
_ADMONITION = re.compile(
    r"^[ \t]*\.\. (note|warning|tip|hint|important|caution|danger|attention|seealso|deprecated|version\w{5,7})::[ \t]*",
    re.MULTILINE,
)
_DIRECTIVE = re.compile(r"^[ \t]*\.\. (?:[\w:.+-]{1,60}::[^\n]*|_[^\n:]{1,120}:[^\n]*)$", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE)
_QUOTE_MARK = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*[-*+•‣▪◦][ \t]+(?:\[[ xX]\][ \t]+)?", re.MULTILINE)
# Paragraphs that do not end like a sentence, such as options and their descriptions.
_OPEN_END = re.compile(r"(?<=[\w)\]>%])[ \t]*\n[ \t]*\n\s*(?=[^\s•])")
_CODE = re.compile(r"(`[^`]{1,500}`)")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:\s+\"[^\"]*\")?\)|\[[^\[\]]*\](?!\())")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)?[\w.+-]+[@/:.][^<>\s]+)>")
_TAG = re.compile(
    r"</?(?:a|abbr|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|kbd|li|ol|p|picture"
    r"|pre|s|samp|small|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul|var)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_STRONG = re.compile(r"(?<![\w*])(\*{1,3}|~~)(?=\S)([^*~]{1,400}?)(?<=\S)\1(?!\w)")
_UNDERSCORES = re.compile(r"(?<![\w_])(_{1,3})(?=\S)([^_]{1,400}?)(?<=\S)\1(?!\w)")
_IDENTIFIER = re.compile(r"[a-z]\w*")


def readable(text: str) -> str:
    """Return prose as a reader would see it, on one line.

    Links are their words, list items after the first begin with "•", emphasis, heading and quotation marks, HTML tags
    and reStructuredText roles and directives are removed.

    >>> readable("- To **remove** [it](https://example.org):\\n- delete _all_ `__x__` files\\n- or <file>")
    'To remove it: • delete all `__x__` files • or <file>'
    >>> readable(".. note:: See :ref:`the list <list>` and :class:`~a.b.Map`, `docs <https://example.org>`_.")
    'Note: See the list and Map, docs.'
    """
    if ".. " in text:
        text = _ADMONITION.sub(lambda found: f"{found[1].capitalize()}: ", text)
        text = _DIRECTIVE.sub("", text)
    if "`" in text:
        text = _ROLE.sub(lambda found: _role(found[1]), text)
        text = _LITERAL.sub(r"`\1`", _REFERENCE.sub(r"\1", text))
    text = _QUOTE_MARK.sub("", _HEADING.sub("", text)).lstrip()
    bullet = _BULLET.match(text)
    text = _OPEN_END.sub("; ", _BULLET.sub("• ", text[bullet.end() :] if bullet else text).rstrip())
    parts = _CODE.split(text)
    parts[::2] = map(_without_marks, parts[::2])
    # Links may contain code: "[`clippy`](https://example.org)".
    return normal_text(_LINK.sub(r"\1", without_closing_marks("".join(parts))))


def _role(content: str) -> str:
    """Return what is shown for a role: its title, or the last part of a name after "~"."""
    title = _TITLE_OF_ROLE.fullmatch(content)
    last = _LAST_PART.fullmatch(content)
    return title[1] if title else last[1] if last else content.removeprefix("!")


def _without_marks(prose: str) -> str:
    if "[" in prose:
        # Twice, for pictures in links.
        prose = _LINK.sub(r"\1", _LINK.sub(r"\1", prose))
    if "<" in prose:
        prose = _TAG.sub(" ", _AUTOLINK.sub(r"\1", prose))
    prose = _STRONG.sub(r"\2", _STRONG.sub(r"\2", prose))
    return _UNDERSCORES.sub(lambda found: found[0] if _is_dunder(found) else found[2], prose)


def _is_dunder(found: re.Match[str]) -> bool:
    """Return whether marks belong to a name of a program: ``__init__``, ``_x_``."""
    return len(found[1]) > 1 and _IDENTIFIER.fullmatch(found[2]) is not None
