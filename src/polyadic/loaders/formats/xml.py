"""Read XML files: prose elements (as in DocBook) as text, data records as rows, other values as ``name: value``."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.html.charset import decode_html
from polyadic.loaders.tables.row_lines import column_names, named_lines
from polyadic.loaders.third_party_parsers import OptionalFormat, reader, unreadable
from polyadic.model.types import Document
from polyadic.text.code_fences import fenced
from polyadic.text.stopwords import words

XML = OptionalFormat(".xml", "XML file")

DEEPEST = 1_000
"""Maximum nesting depth of elements."""

_FEED_BYTES = 1 << 15
_MIN_PROSE_WORDS = 12
_MAX_PAIRS = 30  # on a line
_MAX_FIELD_CHARACTERS = 500
_DECLARATION = re.compile(r"<\?xml\b[^<>]{0,300}\?>")
_TITLES = words("title head bridgehead")
_SECTIONS = words(
    """
    book part chapter section sect1 sect2 sect3 sect4 sect5 simplesect appendix preface article refentry refsect1
    refsect2 refsect3 refsection topic concept task reference div div1 div2 div3 abstract bibliography glossary
    """
)
_HEADS = words("info bookinfo articleinfo chapterinfo figure table example formalpara refsynopsisdiv")
_PARAGRAPHS = words("para simpara formalpara p ab shortdesc description summary content body text note")
_PROSE = words("para simpara formalpara p ab")
_CODE = words("programlisting screen literallayout pre codeblock synopsis cmdsynopsis funcsynopsis source")
_ITEMS = words("listitem li item step varlistentry callout")
_ROWS = words("row tr strow")
_IGNORED = words("id class style role xmlns lang space base schemalocation version href url rel target align")
_NON_FIELDS = words("class style role xmlns lang space base schemalocation target align")  # in records


@dataclass(slots=True)
class _Leaf:
    """An element without child elements, or with inline markup only."""

    name: str
    text: str
    attributes: Mapping[str, str]


@dataclass(slots=True)
class _Record:
    """A data record: the names and values of its fields, in order."""

    name: str
    fields: list[tuple[str, str]]


_Blocks = list["str | _Blocks"]


@dataclass(slots=True)
class _Element:
    """An open element and the content parsed so far."""

    name: str
    attributes: Mapping[str, str]
    code: bool
    level: int
    content: list[str | _Leaf | _Record | _Blocks] = field(default_factory=list)


@reader(XML)
def read_xml(path: Path, data: bytes, settings: ReadingSettings) -> Document:
    """Read a file as one document; its title is the title of its first section."""
    extracted = ExtractedText(settings.max_megabytes)
    extracted.add(xml_text(decode_html(data, settings.encoding)))
    return extracted.document(path, "", {}, paged=False)


def xml_text(source: str) -> str:
    """Convert an XML document to text; malformed markup is recovered as far as possible.

    >>> print(xml_text("<part><title>Relays</title><p>A <b>good</b> one.</p><r><n>Ada</n><y>1815</y></r></part>"))
    # Relays
    <BLANKLINE>
    A good one.
    <BLANKLINE>
    - n: Ada; y: 1815.
    """
    from lxml import etree

    text = _Text()
    # Without entity declarations a document cannot expand, so its size is the only bound needed.
    is_bounded = "<!ENTITY" not in source
    parser = etree.XMLParser(
        target=text,
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
        huge_tree=is_bounded,
    )
    source = source.lstrip("\ufeff \t\r\n")
    if declaration := _DECLARATION.match(source):
        source = source[declaration.end() :].lstrip()
    encoded = source.encode()
    for start in range(0, len(encoded), _FEED_BYTES):
        parser.feed(encoded[start : start + _FEED_BYTES])
    try:
        parser.close()
    except etree.XMLSyntaxError as error:
        if not text.is_begun:
            raise unreadable(XML, "it has no element") from error
    return text.close()


class _Text:
    """Parser target that converts elements to text."""

    def __init__(self) -> None:
        self.is_begun = False
        self._open: list[_Element] = [_Element("", {}, False, 0)]

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.is_begun = True
        if len(self._open) > DEEPEST:
            raise UnreadableDocument(f"its elements are nested more than {DEEPEST:,} deep", "simplify it")
        name, above = _local(tag), self._open[-1]
        level = above.level + (name.lower() in _SECTIONS)
        self._open.append(_Element(name, dict(attributes), above.code or name.lower() in _CODE, level))

    def end(self, tag: str) -> None:
        if len(self._open) > 1:
            element = self._open.pop()
            # The root element is never a record.
            record = _record(element) if len(self._open) > 1 else None
            self._open[-1].content.append(record or _finished(element))

    def data(self, text: str) -> None:
        content = self._open[-1].content
        content.append(text)

    def close(self) -> str:
        while len(self._open) > 1:
            self.end("")
        finished = _blocks(self._open[0])
        return "\n\n".join(_flat(finished))


def _record(element: _Element) -> _Record | None:
    """Convert an element to a record if it contains values but no prose, code or list of records; else None."""
    parts = [part for part in element.content if not (isinstance(part, str) and not part.strip())]
    leaves = [part for part in parts if isinstance(part, _Leaf)]
    inner = [part for part in parts if isinstance(part, _Record)]
    if element.name.lower() in _ROWS | _HEADS or not 0 < len(parts) <= _MAX_PAIRS:
        return None
    if len(leaves) + len(inner) < len(parts) or not all(map(_is_field, leaves)) or not any(map(_is_value, leaves)):
        return None
    if len({part.name for part in inner}) < len(inner):
        return None
    found: dict[str, list[str]] = {}
    fields = chain(_attribute_fields(element.attributes), *map(_fields, leaves), *map(_fields, inner))
    for name, value in fields:
        found.setdefault(name, []).append(value)
    joined = [(name, ", ".join(values)) for name, values in found.items()]
    return _Record(element.name, joined) if len(joined) <= _MAX_PAIRS else None


def _is_field(leaf: _Leaf) -> bool:
    return leaf.name.lower() not in _PROSE | _CODE | _ITEMS and len(leaf.text) <= _MAX_FIELD_CHARACTERS


def _is_value(leaf: _Leaf) -> bool:
    return leaf.name.lower() not in _TITLES | _PARAGRAPHS and bool(leaf.text.strip())


def _fields(part: _Leaf | _Record) -> list[tuple[str, str]]:
    """Return the fields that a child element contributes to a record."""
    if isinstance(part, _Record):
        return [(f"{part.name} {name}", value) for name, value in part.fields]
    return [(part.name, text)] if (text := _value(part)) else []


def _attribute_fields(attributes: Mapping[str, str]) -> list[tuple[str, str]]:
    pairs = ((_local(name), " ".join(value.split())) for name, value in attributes.items())
    return [(name, value) for name, value in pairs if value and name.lower() not in _NON_FIELDS]


def _record_lines(fields: Sequence[tuple[str, str]]) -> list[str]:
    names = column_names([name for name, _ in fields])
    return list(named_lines([*zip(names, (value for _, value in fields), strict=True)]))


def _finished(element: _Element) -> _Leaf | _Blocks:
    """Convert a closed element to a leaf, or to its blocks of text."""
    has_blocks = any(isinstance(part, list) for part in element.content)
    has_text = any(isinstance(part, str) and part.strip() for part in element.content)
    has_leaves = any(isinstance(part, _Leaf | _Record) for part in element.content)
    if not has_blocks and (has_text or not has_leaves):
        return _leaf(element)
    return _blocks(element)


def _leaf(element: _Element) -> _Leaf:
    text = "".join(
        part
        if isinstance(part, str)
        else part.text
        if isinstance(part, _Leaf)
        else ", ".join(value for _, value in part.fields)
        for part in element.content
        if not isinstance(part, list)
    )
    return _Leaf(element.name, text.strip("\n") if element.code else text, element.attributes)


def _blocks(element: _Element) -> _Blocks:
    """Return the text blocks of an element with child elements."""
    blocks: _Blocks = []
    attributes = _attributes_text(element.attributes)
    pairs: list[str] = [attributes] if attributes else []
    level = max(1, element.level)

    def end_pairs() -> None:
        if pairs:
            line = "; ".join(pairs)
            blocks.append(f"- {line}" if line.endswith((".", "!", "?")) else f"- {line}.")
            pairs.clear()

    if element.name.lower() in _ROWS and all(not isinstance(part, list | _Record) for part in element.content):
        cells = [" ".join(part.text.split()) for part in element.content if isinstance(part, _Leaf)]
        return [f"| {' | '.join(cells)} |"]
    for part in element.content:
        if isinstance(part, list | _Record):
            end_pairs()
            blocks += [part] if isinstance(part, list) else _record_lines(part.fields)
        elif isinstance(part, str):
            if part.strip():
                end_pairs()
                blocks.append(" ".join(part.split()))
        else:
            block = _block_of(part, level, element.name.lower() in _SECTIONS | _HEADS)
            if block is None and not part.text.strip() and len(fields := _attribute_fields(part.attributes)) > 1:
                end_pairs()
                blocks += _record_lines(fields)
            elif block is None:
                pairs.append(_pair(part))
                if len(pairs) >= _MAX_PAIRS:
                    end_pairs()
            elif block:
                end_pairs()
                blocks.append(block)
    end_pairs()
    if (
        element.name.lower() in _ITEMS
        and blocks
        and isinstance(blocks[0], str)
        and not blocks[0].startswith(("- ", "#"))
    ):
        blocks[0] = f"- {blocks[0]}"
    return blocks


def _block_of(leaf: _Leaf, level: int, is_section: bool) -> str | None:
    """Return the paragraph, heading or code block for a leaf; None for a value, empty if there is no text."""
    name, text = leaf.name.lower(), " ".join(leaf.text.split())
    if not text:
        return None if _attributes_text(leaf.attributes) else ""
    if name in _TITLES and is_section:
        return f"{'#' * min(6, level)} {text}"
    if name in _CODE:
        return fenced(leaf.text.strip("\n"))
    if name in _ITEMS:
        return f"- {text}"
    return text if name in _PARAGRAPHS or len(text.split()) >= _MIN_PROSE_WORDS else None


def _pair(leaf: _Leaf) -> str:
    return f"{leaf.name}: {_value(leaf)}"


def _value(leaf: _Leaf) -> str:
    text, attributes = " ".join(leaf.text.split()), _attributes_text(leaf.attributes)
    return f"{text} ({attributes})" if text and attributes else text or attributes


def _attributes_text(attributes: Mapping[str, str]) -> str:
    pairs = ((_local(name), " ".join(value.split())) for name, value in attributes.items())
    return ", ".join(f"{name} {value}" for name, value in pairs if value and name.lower() not in _IGNORED)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _flat(blocks: _Blocks) -> Iterator[str]:
    stack = [iter(blocks)]
    while stack:
        block = next(stack[-1], None)
        if block is None:
            stack.pop()
        elif isinstance(block, str):
            yield block
        else:
            stack.append(iter(block))
