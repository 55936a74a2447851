"""Move the footnotes of a page from the end of their chapter to the paragraphs that refer to them.

A note says "this" and "here" of the sentence with its mark; far from it, it is about nothing. Lists of references are
not moved: they are sources, not sentences that continue the text.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from polyadic.text.stopwords import words

# Private-use characters around the target of a mark, and around the identifier of a note before each of its blocks.
_MARK, _NOTE, _END = "\ue0f0", "\ue0f1", "\ue0f2"
_MARKS = re.compile(f" ?{_MARK}([^{_END}]*){_END}")
_BLOCK_OF_NOTE = re.compile(f"{_NOTE}([^{_END}]*){_END}")
_NOTE_ELEMENTS = words("aside dd div li p section")
_NOTE_ROLES = frozenset({"doc-footnote", "doc-endnote", "footnote", "endnote"})
_NOTE_ITEM = re.compile(r"(?:user-content-)?(?:fn|ftn|footnote|endnote)[-:._]?[\w.-]*", re.IGNORECASE)
# What precedes the text of a note: the number of its list item, and its own mark.
_NUMBER = re.compile(r"\s*(?:- |\d{1,9}\. )?\s*(?:\[\w{1,3}\]\s*)?")
_INDENT = re.compile(r"( *)(- |\d{1,9}\. )?")
_TABLE_ROW = re.compile(r" *\|")


def mark_of_note(target: str) -> str:
    """Return what stands for a mark until notes are moved; ``target`` is the identifier that the mark links to."""
    return f"{_MARK}{target}{_END}"


def note_identifier(tag: str, attributes: Mapping[str, str]) -> str:
    """Return the identifier of an element that is a footnote; empty if it is none, or has no identifier.

    >>> note_identifier("div", {"class": "footnote", "id": "ftn.7"}), note_identifier("li", {"id": "cite_note-7"})
    ('ftn.7', '')
    """
    identifier = attributes.get("id", "").strip()
    if not identifier or tag not in _NOTE_ELEMENTS:
        return ""
    roles = f"{attributes.get('role', '')} {attributes.get('epub:type', '')}".lower().split()
    is_note = "footnote" in attributes.get("class", "").lower().split() or not _NOTE_ROLES.isdisjoint(roles)
    return identifier if is_note or (tag == "li" and _NOTE_ITEM.fullmatch(identifier)) else ""


def as_note(identifier: str, blocks: Iterable[str]) -> list[str]:
    """Label blocks as those of a note, for :func:`with_moved_notes`."""
    return [f"{_NOTE}{identifier}{_END}{block}" for block in blocks]


def with_moved_notes(blocks: Sequence[str]) -> list[str]:
    """Put each note below the first block with its mark, and remove marks; notes without a mark stay where they are.

    >>> with_moved_notes([f"Go by boat.{mark_of_note('n1')}", "Then walk.", *as_note("n1", ["1. In winter, not."])])
    ['Go by boat.', 'In winter, not.', 'Then walk.']
    """
    notes = _notes(blocks)
    kept: list[str] = []
    waiting: list[str] = []
    moved: set[str] = set()
    for block in blocks:
        found = _BLOCK_OF_NOTE.match(block)
        if found and found[1] in moved:
            continue
        targets = [target for target in _MARKS.findall(block) if target in notes and target not in moved]
        text = _MARKS.sub("", block[found.end() if found else 0 :]).rstrip()
        # A note must not part the rows of a table.
        if waiting and not _TABLE_ROW.match(text):
            kept, waiting = [*kept, *waiting], []
        kept += [text] if text else []
        if not found:
            moved.update(targets)
            waiting += [_below(text, note) for target in targets for note in notes[target]]
    return [*kept, *waiting]


def _notes(blocks: Iterable[str]) -> dict[str, list[str]]:
    """Return the paragraphs of each note, without its number and marks."""
    notes: dict[str, list[str]] = {}
    for block in blocks:
        if found := _BLOCK_OF_NOTE.match(block):
            paragraphs = notes.setdefault(found[1], [])
            text = _MARKS.sub("", block[found.end() :]).strip()
            paragraphs += filter(None, [text if paragraphs else _NUMBER.sub("", text, count=1)])
    return notes


def _below(block: str, note: str) -> str:
    """Return a paragraph of a note to stand below a block, indented if that is a list item."""
    indent = _INDENT.match(block)
    if indent is None or block.startswith("#"):
        return note
    return f"{indent[1]}{'  ' if indent[2] else ''}{note}"
