"""Fenced code in a text: where it is, and how readers write it.

Readers write code between fences, and the opening fence has an info string (```` ```text ````), so that it cannot be
mistaken for a closing one in a text that begins within the code. A line of code that begins with number signs is no
heading there. Text without headings of its own (plain text, PDF, mail) keeps its number signs behind a no-break space.
"""

import re

from polyadic.model.types import Span

_FENCE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$", re.MULTILINE)
_HEADING_MARK = re.compile(r"^([ \t]*#{1,6})[ \t](?=[ \t]*\S)", re.MULTILINE)
_LANGUAGE = re.compile(r"[\w+#.-]{1,20}")
_RUN = re.compile(r"`{3,}")
_NO_BREAK = "\xa0"


def code_blocks(text: str) -> tuple[Span, ...]:
    """The fenced code of a text, each block from the line of its opening fence to the end of its closing one.

    As in CommonMark, a block whose opening fence has an info string and that is never closed reaches to the end. A
    bare fence without a partner is no code: it may be the end of a block that began before this text.

    >>> text = "Run:\\n```sh\\n# make\\n```\\nDone.\\n```\\n"
    >>> [text[span.start : span.end] for span in code_blocks(text)]
    ['```sh\\n# make\\n```']
    """
    if "```" not in text and "~~~" not in text:
        return ()
    found = []
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = fence
        elif _is_as_long(fence["mark"], opening["mark"]):
            if not fence["info"].strip():
                found.append(Span(opening.start(), fence.end()))
                opening = None
            elif not opening["info"].strip():
                opening = fence
    if opening is not None and opening["info"].strip():
        found.append(Span(opening.start(), len(text)))
    return tuple(found)


def _is_as_long(mark: str, opening: str) -> bool:
    """Whether a fence may close what this one opened: the same sign, at least as often."""
    return mark[0] == opening[0] and len(mark) >= len(opening)


def without_fences(block: str) -> str:
    """The lines of a block of code, or of the part of one, without its fences.

    >>> without_fences("```sh\\nmake\\nmake install\\n```")
    'make\\nmake install'
    """
    return "\n".join(line for line in block.split("\n") if not _FENCE.fullmatch(line)).strip("\n")


def fenced(code: str, language: str = "") -> str:
    """Code between fences that are longer than any within it.

    Parameters
    ----------
    code
        Lines of code, without a fence.
    language
        What to put behind the opening fence; ``text`` where it is empty or no plain word.

    >>> print(fenced("# make"))
    ```text
    # make
    ```
    """
    mark = "`" * max([3, *(len(run) + 1 for run in _RUN.findall(code))])
    info = language if _LANGUAGE.fullmatch(language) else "text"
    return f"{mark}{info}\n{code}\n{mark}"


def unfenced(block: str) -> str:
    """The code of a fenced block; any other text as it is.

    >>> unfenced(fenced("# make")), unfenced("make")
    ('# make', 'make')
    """
    if code_blocks(block) != (Span(0, len(block)),):
        return block
    return "\n".join(block.split("\n")[1:-1])


def without_headings(text: str) -> str:
    """The text with a no-break space after number signs at the beginning of a line, so that it has no such headings.

    No character moves.

    >>> without_headings("# apt update")
    '#\\xa0apt update'
    """
    return _HEADING_MARK.sub(rf"\1{_NO_BREAK}", text) if "#" in text else text
