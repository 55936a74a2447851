"""Convert configuration files to text: one paragraph per setting and its comment, a heading for each section.

A setting that is commented out keeps its comment mark. Long values, patterns and blocks in braces remain code. A
setting without a comment gets the first sentence of an earlier comment that begins with the setting's name.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from polyadic.text.code_fences import fenced

_MARKS = ("#", ";")
_SECTION = re.compile(r"\[+([^\[\]\n]{1,100})\]+\s*(?:[#;].*)?")
_NAME = r"[\w\"'][\w.\-/\"'\[\]]*"
_SETTING = re.compile(rf"{_NAME}\s*(?:=|:\s)\s*\S?.*")
_ASSIGNMENT = re.compile(rf"{_NAME}\s*=(?!=)")
_SEPARATOR = re.compile(r"\s*[=:]")
_FIRST_SENTENCE = re.compile(r"(?s)(?<=[.!?])\s.*")
_OPENS_BLOCK = re.compile(r".*(?:[\[{(\\,]|\"\"\"|''')")
_RULE = re.compile(r"[\W_]*")
# A longer setting, or one with a smaller share of letters, digits and spaces, is a pattern or a program.
_MAX_CHARACTERS = 200
_MIN_WORD_SHARE = 0.7
_LONGEST_BLOCK = 80  # lines


class _Kind(Enum):
    BLANK = auto()
    SECTION = auto()
    COMMENT = auto()
    EXAMPLE = auto()
    SETTING = auto()
    DISABLED = auto()
    CODE = auto()


_COMMENTS = (_Kind.COMMENT, _Kind.EXAMPLE)


@dataclass(slots=True)
class _Line:
    """A line of a configuration; ``words`` is the text of a comment, or the name of a section.

    ``#port = 22`` is a setting that is commented out, as is ``# port = 22`` at the end of its comment; elsewhere the
    latter is an example in a comment.
    """

    kind: _Kind
    raw: str
    words: str = ""


@dataclass(slots=True)
class _Writer:
    """Output blocks in order; consecutive lines of code form one block.

    ``explanations`` maps a setting's name to the first sentence of a comment that begins with this name.
    """

    language: str
    blocks: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    explanations: dict[str, str] = field(default_factory=dict)

    def add(self, *blocks: str) -> None:
        """Add blocks after the pending code."""
        self.end_code()
        self.blocks += blocks

    def explanation(self, setting: str, comment: str) -> str:
        """Return the comment of a setting, or the stored explanation of its name if it has no comment."""
        name = _SEPARATOR.split(setting.lstrip("".join(_MARKS)), maxsplit=1)[0]
        if re.match(rf"[\"'`]?{re.escape(name)}(?!\w)", comment):
            self.explanations.setdefault(name, _FIRST_SENTENCE.sub("", comment))
        return comment or self.explanations.get(name, "")

    def end_code(self) -> None:
        """Write the pending code as one block."""
        code = "\n".join(self.code).strip("\n")
        if code:
            self.blocks.append(fenced(code, self.language))
        self.code = []


def configuration_text(text: str, language: str) -> str:
    r"""Convert the sections, settings and comments of a configuration to text, in their original order.

    Parameters
    ----------
    text
        The configuration: ``[name]`` begins a section, ``#`` or ``;`` a comment, and ``name = value`` is a setting.
    language
        The info string of code fences.

    >>> print(configuration_text("[sshd]\n# Time of a ban.\nbantime = 1w\n#enabled = true", "ini"))
    ## [sshd]
    <BLANKLINE>
    bantime = 1w: Time of a ban.
    <BLANKLINE>
    #enabled = true
    """
    lines = _with_disabled(list(_lines(text)))
    writer = _Writer(language)
    place = 0
    while place < len(lines):
        line = lines[place]
        if line.kind in _COMMENTS:
            end = _run_end(lines, place)
            place = _add_commented(writer, lines, place, end)
        elif line.kind is _Kind.SECTION:
            writer.add(f"## [{line.words}]")
            place += 1
        elif line.kind in {_Kind.SETTING, _Kind.DISABLED}:
            place = _add_setting(writer, lines, place, "")
        else:
            if line.kind is _Kind.CODE or writer.code:
                writer.code.append(line.raw)
            if line.kind is _Kind.BLANK and len(writer.code) >= _LONGEST_BLOCK:
                writer.end_code()
            place += 1
    writer.end_code()
    return "\n\n".join(writer.blocks)


def _lines(text: str) -> Iterator[_Line]:
    setting_indent: int | None = None
    is_continued = False
    depth = 0
    for line in text.split("\n"):
        raw = line.rstrip()
        bare = raw.strip()
        indent = len(raw) - len(bare)
        kind, words = _kind(bare)
        if depth or is_continued:
            kind = _Kind.CODE
        elif kind is _Kind.SETTING and setting_indent is not None and indent > setting_indent:
            # A line that is indented more than the setting above continues its value.
            kind = _Kind.CODE
        elif kind is _Kind.SETTING:
            setting_indent = indent
        elif kind is not _Kind.CODE or not indent:
            setting_indent = None
        if kind is _Kind.CODE and not bare.startswith(_MARKS):
            depth = max(0, depth + bare.endswith("{") - bare.startswith("}"))
        is_continued = kind in {_Kind.SETTING, _Kind.CODE} and bare.endswith("\\")
        yield _Line(kind, raw, words)


def _kind(bare: str) -> tuple[_Kind, str]:
    if not bare:
        return _Kind.BLANK, ""
    if bare.startswith(_MARKS):
        words = bare.lstrip("#;!").strip()
        if _ASSIGNMENT.match(words):
            return (_Kind.EXAMPLE if bare[1:2].isspace() else _Kind.DISABLED), words
        is_example = _SECTION.fullmatch(words) is not None
        return (_Kind.EXAMPLE if is_example else _Kind.COMMENT), "" if _RULE.fullmatch(words) else words
    if section := _SECTION.fullmatch(bare):
        return _Kind.SECTION, section.group(1).strip()
    is_setting = _SETTING.fullmatch(bare) and not _OPENS_BLOCK.fullmatch(bare)
    return (_Kind.SETTING if is_setting else _Kind.CODE), ""


def _with_disabled(lines: list[_Line]) -> list[_Line]:
    """Return the lines, with ``# name = value`` at the end of its comment, a paragraph, marked as commented out."""
    end = len(lines)
    while end:
        first = place = end
        if end == len(lines) or lines[end].kind in {_Kind.BLANK, _Kind.SECTION}:
            while place and _is_assignment(lines[place - 1]):
                place -= 1
            first = place
            while first and lines[first - 1].kind is _Kind.COMMENT and lines[first - 1].words:
                first -= 1
            is_whole = not first or lines[first - 1].kind not in _COMMENTS
            if is_whole and first < place and not lines[place - 1].words.endswith(":"):
                lines[place:end] = [_Line(_Kind.DISABLED, line.raw, line.words) for line in lines[place:end]]
        end = min(first, end - 1)
    return lines


def _is_assignment(line: _Line) -> bool:
    is_prose = line.words.endswith((".", ":", ",", ";"))
    return line.kind is _Kind.EXAMPLE and not is_prose and _ASSIGNMENT.match(line.words) is not None


def _run_end(lines: list[_Line], start: int) -> int:
    """Return the end of a run of comment lines."""
    end = start
    while _is(lines, end, *_COMMENTS):
        end += 1
    return end


def _add_commented(writer: _Writer, lines: list[_Line], start: int, end: int) -> int:
    """Add a comment and the setting, section or directive directly below it; return the index of the next line."""
    paragraphs = _paragraphs(lines[start:end])
    below = lines[end] if end < len(lines) else _Line(_Kind.BLANK, "")
    next_nonblank = next((index for index in range(end, len(lines)) if lines[index].kind is not _Kind.BLANK), end)
    if not paragraphs:
        return end
    if _is(lines, next_nonblank, _Kind.SECTION):
        writer.add(f"## [{lines[next_nonblank].words}]", *paragraphs)
        return next_nonblank + 1
    if below.kind in {_Kind.SETTING, _Kind.DISABLED}:
        first, *others = paragraphs
        while below.kind is _Kind.DISABLED and _is(lines, end + 1, _Kind.SETTING, _Kind.DISABLED):
            end = _add_setting(writer, lines, end, first)
            below = lines[end]
        end = _add_setting(writer, lines, end, first)
        writer.add(*others)
        return end
    if below.kind is _Kind.CODE and _is_directive(lines, end):
        first, *others = paragraphs
        writer.add(_statement(below.raw.strip(), first), *others)
        return end + 1
    writer.add(*paragraphs)
    return end


def _add_setting(writer: _Writer, lines: list[_Line], place: int, comment: str) -> int:
    """Add a setting as a paragraph, or as code if its value has several lines; return the index of the next line."""
    line = lines[place]
    end = place + 1
    if line.kind is _Kind.SETTING:
        while _is(lines, end, _Kind.CODE) and lines[end].raw[:1].isspace():
            end += 1
    setting = f"{line.raw.strip()[:1]}{line.words}" if line.kind is _Kind.DISABLED else line.raw.strip()
    if end == place + 1 and _is_worded(setting):
        writer.add(_statement(" ".join(setting.split()), writer.explanation(setting, comment)))
        return end
    if comment:
        writer.add(comment)
    writer.code += [code_line.raw for code_line in lines[place:end]]
    return end


def _is(lines: list[_Line], place: int, *kinds: _Kind) -> bool:
    return place < len(lines) and lines[place].kind in kinds


def _is_directive(lines: list[_Line], place: int) -> bool:
    """Return whether a line of code is a complete directive: it opens no block, and no more code follows."""
    bare = lines[place].raw.strip()
    is_last = not _is(lines, place + 1, _Kind.CODE, _Kind.SETTING)
    return is_last and bare[:1].isalnum() and not _OPENS_BLOCK.fullmatch(bare) and _is_worded(bare)


def _is_worded(setting: str) -> bool:
    word_characters = sum(letter.isalnum() or letter in "_ " for letter in setting)
    return len(setting) <= _MAX_CHARACTERS and word_characters >= _MIN_WORD_SHARE * len(setting)


def _statement(setting: str, comment: str) -> str:
    return f"{setting}: {comment}" if comment else setting


def _paragraphs(comments: list[_Line]) -> list[str]:
    """Join comment lines into paragraphs, separated by empty lines; each example is a paragraph, with its mark."""
    paragraphs: list[list[str]] = [[]]
    for comment in comments:
        if comment.kind is _Kind.EXAMPLE:
            paragraphs += [[f"{comment.raw.strip()[0]}{comment.words}"], []]
        elif comment.words:
            paragraphs[-1].append(comment.words)
        else:
            paragraphs.append([])
    return ["\n".join(lines) for lines in paragraphs if lines]
