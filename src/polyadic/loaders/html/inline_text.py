"""Inline text between two blocks of a page, without anchors and the marks of notes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from polyadic.loaders.html.footnotes import mark_of_note
from polyadic.loaders.superscripts import raised

_SPACES_ON_A_LINE = re.compile(r" {2,}")
_NOTE_TYPES = ("noteref", "doc-noteref")
# The text of links that are only anchors: to a heading, or back from a footnote.
_ANCHOR_SIGNS = re.compile(r"\s*(?:[¶#§🔗🔖⚓]|[↩↑⏎^⤴]\ufe0e?)\s*")
_MAX_NOTE_MARK_CHARACTERS = 12


@dataclass(slots=True)
class _Link:
    """An open link: its depth, the index of its first inline text, its target, and whether it leads to an anchor."""

    depth: int
    start: int
    target: str
    to_place: bool
    within_page: bool
    is_note: bool


class InlineText:
    """Collect inline text; drop links that are only anchors, and write superscripts as signs.

    A mark of a note on the page becomes the sign by which :mod:`polyadic.loaders.html.footnotes` finds its place.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._link: _Link | None = None
        self._raised_at: tuple[int, int] | None = None
        self._has_note = False
        self._note_target = ""

    @property
    def is_linked(self) -> bool:
        """Whether a link is open."""
        return self._link is not None

    @property
    def is_linked_within(self) -> bool:
        """Whether a link within the page is open."""
        return self._link is not None and self._link.within_page

    def add(self, text: str) -> None:
        """Add text."""
        self._pieces.append(text)

    def take(self) -> str:
        """Return the text and begin anew; spaces are folded, line breaks stay."""
        text = _SPACES_ON_A_LINE.sub(" ", "".join(self._pieces))
        self._pieces = []
        if self._link is not None:
            self._link.start = 0
        if self._raised_at is not None:
            self._raised_at = self._raised_at[0], 0
        return "\n".join(line.strip() for line in text.split("\n")).strip()

    def open_link(self, depth: int, attributes: Mapping[str, str]) -> None:
        """Begin a link at this depth, unless one is open or it leads nowhere."""
        self._link = self._link or _link(depth, len(self._pieces), attributes)

    def open_superscript(self, depth: int) -> None:
        """Begin a superscript at this depth, unless one is open."""
        self._raised_at = self._raised_at or (depth, len(self._pieces))
        self._has_note = self._link is not None and self._link.to_place
        self._note_target = self._link.target if self._link is not None else ""

    def close_link(self, depth: int) -> None:
        """End the link of this depth; drop it if it is only an anchor or the mark of a note."""
        link = self._link
        if link is None or link.depth != depth:
            return
        self._link = None
        link_text = "".join(self._pieces[link.start :])
        is_mark = link.is_note and len(link_text) <= _MAX_NOTE_MARK_CHARACTERS
        if is_mark or (link.to_place and _ANCHOR_SIGNS.fullmatch(link_text)):
            self._pieces[link.start :] = [mark_of_note(link.target)] if is_mark else []
        elif self._raised_at is not None and link.to_place:
            self._has_note, self._note_target = True, self._note_target or link.target

    def close_superscript(self, depth: int) -> None:
        """End the superscript of this depth; drop it if it is the mark of a note."""
        if self._raised_at is None or self._raised_at[0] != depth:
            return
        start = self._raised_at[1]
        self._raised_at = None
        raised_text = "".join(self._pieces[start:])
        before = "".join(self._pieces[max(0, start - 4) : start]).rpartition("\n")[2]
        is_mark = self._has_note and len(raised_text) <= _MAX_NOTE_MARK_CHARACTERS
        self._pieces[start:] = [mark_of_note(self._note_target) if is_mark else raised(before, raised_text)]


def _link(depth: int, start: int, attributes: Mapping[str, str]) -> _Link | None:
    target = attributes.get("href", "").strip()
    if not target:
        return None
    types = f"{attributes.get('epub:type', '')} {attributes.get('role', '')}".lower().split()
    is_note = any(name in types for name in _NOTE_TYPES)
    return _Link(depth, start, target.partition("#")[2], "#" in target, target.startswith("#"), is_note)
