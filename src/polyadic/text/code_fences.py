"""Find and write fenced code.

Loaders write code between fences. The opening fence has an info string (```` ```text ````), so that it cannot be
mistaken for a closing fence in a text that begins within the code. Within fences, lines that begin with number signs
are not headings. In formats without such headings (plain text, PDF, mail), loaders put a no-break space after number
signs.
"""

import re

from polyadic.model.types import Span

_FENCE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$", re.MULTILINE)
_HEADING_MARK = re.compile(r"^([ \t]*#{1,6})[ \t](?=[ \t]*\S)", re.MULTILINE)
_LANGUAGE = re.compile(r"[\w+#.-]{1,20}")
_RUN = re.compile(r"`{3,}")
_NO_BREAK = "\xa0"


def code_blocks(text: str) -> tuple[Span, ...]:
    """Return the spans of fenced code blocks, from the opening fence to the end of the closing one.

    As in CommonMark, an unclosed block whose opening fence has an info string extends to the end of the text. A bare
    fence without a partner is ignored: it may close a block that began before this text.

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
    """Whether a fence may close an opening one: the same character, at least as many times."""
    return mark[0] == opening[0] and len(mark) >= len(opening)


def without_fences(block: str) -> str:
    """Remove the fences from a block of code, or a part of one.

    >>> without_fences("```sh\\nmake\\nmake install\\n```")
    'make\\nmake install'
    """
    return "\n".join(line for line in block.split("\n") if not _FENCE.fullmatch(line)).strip("\n")


def fenced(code: str, language: str = "") -> str:
    """Put code between fences that are longer than any fence within it.

    Parameters
    ----------
    code
        Lines of code, without fences.
    language
        Info string; replaced by ``text`` if it is empty or not a plain word.

    >>> print(fenced("# make"))
    ```text
    # make
    ```
    """
    mark = "`" * max([3, *(len(run) + 1 for run in _RUN.findall(code))])
    info = language if _LANGUAGE.fullmatch(language) else "text"
    return f"{mark}{info}\n{code}\n{mark}"


def unfenced(block: str) -> str:
    """Return the code of a fenced block; any other text is returned unchanged.

    >>> unfenced(fenced("# make")), unfenced("make")
    ('# make', 'make')
    """
    if code_blocks(block) != (Span(0, len(block)),):
        return block
    return "\n".join(block.split("\n")[1:-1])


def without_headings(text: str) -> str:
    """Put a no-break space after number signs at the beginning of lines, so that they are not headings.

    Offsets do not change.

    >>> without_headings("# apt update")
    '#\\xa0apt update'
    """
    return _HEADING_MARK.sub(rf"\1{_NO_BREAK}", text) if "#" in text else text
