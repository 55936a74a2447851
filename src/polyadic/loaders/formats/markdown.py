"""Markdown files: YAML front matter and headings."""

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from polyadic.config import ReadingSettings
from polyadic.loaders.decoding import checked, decode
from polyadic.loaders.file_access import read_whole
from polyadic.loaders.metadata import metadata_of, title_of
from polyadic.model.types import Document
from polyadic.text.code_fences import code_blocks
from polyadic.text.plain_text import without_closing_marks

LONGEST_FRONT_MATTER = 64_000
"""Characters; what is longer is taken for text."""

_OPENING = re.compile(r"---[ \t]*\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*$\n?", re.MULTILINE)
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_OPENS_OTHER = re.compile(r"\s{4}|\s*(?:[-*+>|]|\d+[.)])(?:\s|$)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_MARKUP = re.compile(r"\*+|`+|(?<!\w)_+|(?<!_)_++(?!\w)")
_NULLS = {"", "~", "null", "Null", "NULL"}


def read_markdown(path: Path, settings: ReadingSettings) -> Iterator[Document]:
    """The one document of a Markdown file; its text begins after the front matter, and lacks the comments.

    Raises
    ------
    UnreadableDocument
        The file is not readable, too large, or not text.
    """
    values, body = split_front_matter(decode(read_whole(path, settings.max_megabytes), settings.encoding))
    text = checked(without_comments(body))
    metadata = metadata_of(values)
    title = title_of(metadata.pop("title", "")) or markdown_title(text)
    yield Document(str(path), title, text, metadata)


def split_front_matter(text: str) -> tuple[dict[str, object], str]:
    """What YAML front matter says, and the text after it; all of it is text where the front matter is broken.

    Scalars stay the strings that were written (``1.10``, ``2024-05-01``, ``yes``).

    >>> split_front_matter("---\\ntitle: Notes\\nversion: 1.10\\n---\\nText.")
    ({'title': 'Notes', 'version': '1.10'}, 'Text.')
    >>> split_front_matter("---\\ntitle: [broken\\n---\\nText.")
    ({}, '---\\ntitle: [broken\\n---\\nText.')
    """
    opening = _OPENING.match(text)
    closing = opening and _CLOSING.search(text, opening.end(), opening.end() + LONGEST_FRONT_MATTER)
    if not opening or not closing:
        return {}, text
    values = _mapping(text[opening.end() : closing.start()])
    return ({}, text) if values is None else (values, text[closing.end() :])


def without_comments(text: str) -> str:
    """A text without the comments of HTML, which are not shown; in code they stay.

    >>> without_comments("One.\\n\\n<!-- to do -->\\nTwo: `<!-- x -->`.")
    'One.\\n\\n\\nTwo: `<!-- x -->`.'
    """
    if "<!--" not in text:
        return text
    parts: list[str] = []
    start = 0
    for code in code_blocks(text):
        parts += [*_shown(text[start : code.start]), text[code.start : code.end]]
        start = code.end
    return "".join([*parts, *_shown(text[start:])])


def _shown(text: str) -> Iterator[str]:
    """What stands between the comments; one that is never closed, or stands in code, is none."""
    start = 0
    opening = text.find("<!--")
    while opening >= 0 and (end := text.find("-->", opening)) >= 0:
        if text[opening - 1 : opening] != "`":
            yield text[start:opening]
            start = end + len("-->")
        opening = text.find("<!--", end)
    yield text[start:]


def markdown_title(text: str) -> str:
    """The first heading outside of code, without its markup; empty where there is none.

    >>> markdown_title("Intro.\\n\\n## The *first* [engine](https://example.org) ##\\n")
    'The first engine'
    """
    fence = previous = ""
    for line in text.splitlines():
        if fence:
            fence = "" if _closes(line, fence) else fence
        elif mark := _FENCE.match(line):
            fence, previous = mark.group(1), ""
        else:
            heading = _heading(line, previous)
            if heading:
                return heading
            previous = line
    return ""


def _closes(line: str, fence: str) -> bool:
    """Whether a line ends the code that this fence opened: the same mark, as long or longer, alone."""
    mark = line.strip()
    return mark.startswith(fence) and not mark.strip(fence[0])


def _heading(line: str, previous: str) -> str:
    """The heading that ends with this line: one with number signs, or an underlined one."""
    if found := _HEADING.match(line):
        return _unmarked(without_closing_marks(found.group(1)))
    if _UNDERLINE.match(line) and previous.strip() and not _OPENS_OTHER.match(previous):
        return _unmarked(previous)
    return ""


def _unmarked(heading: str) -> str:
    return title_of(_MARKUP.sub("", _LINK.sub(r"\1", heading)))


def _mapping(block: str) -> dict[str, object] | None:
    """A YAML mapping as strings and lists of strings, or None where it is none.

    Only the tree of nodes is made: no tag is obeyed, no alias expanded; hostile YAML has nothing to act on.
    """
    try:
        root = yaml.compose(block, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return None
    if not isinstance(root, yaml.MappingNode):
        return None
    return {key.value: _plain(value) for key, value in root.value if isinstance(key, yaml.ScalarNode)}


def _plain(node: yaml.Node) -> object:
    if isinstance(node, yaml.ScalarNode):
        return None if node.value in _NULLS else node.value
    if isinstance(node, yaml.SequenceNode):
        return [item.value for item in node.value if isinstance(item, yaml.ScalarNode)]
    return None
