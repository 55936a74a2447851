"""Clean replies: strip reasoning, code fences, special tokens, quotes and control characters."""

import re

_THINKS = re.compile(r"^[ \t]*<(think|thinking|reasoning)>", re.MULTILINE | re.IGNORECASE)
_THOUGHT = re.compile(r"</(?:think|thinking|reasoning)>(?=[ \t]*(?:$|[{(\[`]))", re.MULTILINE | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```+|~~~+)[ \t]*[\w-]*[ \t]*$", re.MULTILINE)
_TOKEN = re.compile(r"<\|(?!\s*complete\b|\w*delimiter)[a-z_]\w{0,30}\|>|<｜[^｜<>\n]{1,40}｜>|</?s>", re.IGNORECASE)
# Control characters except tab and line ends; lone surrogates, which files and databases reject; byte-order marks.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
_SPACE = re.compile(r"\s+")
# Each opening quote with its closing quotes; some models open and close with the same curly quote.
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”“", "„": "“”", "”": "”", "«": "»", "‘": "’‘", "「": "」"}
_NESTED_QUOTES = 3
_LONE_QUOTES = '"“”„«»'
_is_tidied = frozenset(" " + "".join(f"{opening}{closing}" for opening, closing in _QUOTES.items())).__contains__
"""Whether a character is stripped from the ends of a value."""


def strip_wrappers(reply: str) -> tuple[str, bool]:
    """Strip reasoning, fences, special tokens and control characters; also return whether reasoning was cut off.

    >>> strip_wrappers("<think>Hm.</think>\\n```json\\n[]\\n```<|endoftext|>")[0].strip()
    '[]'
    """
    text = printable(reply.replace("\r\n", "\n").replace("\r", "\n"))
    thinking = False
    # Most replies have neither tags nor fences, and searching for a character takes a hundredth of the time.
    if "<" in text:
        text, thinking = _strip_reasoning(_TOKEN.sub("", text))
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("", text)
    return text, thinking


def _strip_reasoning(text: str) -> tuple[str, bool]:
    kept, position = [], 0
    while opened := _THINKS.search(text, position):
        end = text.find(closing := f"</{opened[1]}>", opened.end())
        if end < 0:
            break
        kept.append(text[position : opened.start()])
        position = end + len(closing)
    rest = "".join(kept) + text[position:]
    # Some servers remove the opening tag with the prompt, so that only the closing one is left.
    rest = rest[max((thought.end() for thought in _THOUGHT.finditer(rest)), default=0) :]
    unclosed = _THINKS.match(rest.lstrip())
    return ("", True) if unclosed else (rest, False)


def printable(text: str) -> str:
    """Remove control characters and characters that no file can hold."""
    # Nearly all texts are printable throughout, and checking that takes a tenth of the time.
    return text if text.isprintable() else _CONTROL.sub("", text)


def tidy(text: str) -> str:
    """Return a value on one line, without control characters and surrounding quotes.

    >>> tidy(' “Ada\\n Lovelace” '), tidy('"Notes" and "Sketch"'), tidy('Ada"')
    ('Ada Lovelace', '"Notes" and "Sketch"', 'Ada')
    """
    if text.isprintable() and "  " not in text and not (_is_tidied(text[:1]) or _is_tidied(text[-1:])):
        return text
    bare = _SPACE.sub(" ", printable(text)).strip()
    for _ in range(_NESTED_QUOTES):
        bare = _unquoted(bare)
    return bare


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[-1] in _QUOTES.get(text[0], ()) and _wraps(text):
        return text[1:-1].strip()
    for quote, rest in ((text[:1], text[1:]), (text[-1:], text[:-1])):
        lone = quote and quote in _LONE_QUOTES and not any(other in rest for other in _LONE_QUOTES)
        if lone:
            return rest.strip()
    return text


def _wraps(text: str) -> bool:
    """Return whether the first and the last quote match: in between, the first character opens rather than closes."""
    opening, closing = text[0], text[-1]
    inner = text[1:-1]
    first = inner.find(closing)
    if first < 0:
        return True
    if opening != closing:
        return opening in inner[:first]
    return first == 0 or inner[first - 1].isspace()


def cut(text: str, limit: int) -> str:
    """Shorten to at most ``limit`` characters, at the end of a word if one ends in the second half.

    >>> cut("one fact and another", 14)
    'one fact and'
    """
    if len(text) <= limit:
        return text
    end = text.rfind(" ", limit // 2, limit + 1)
    return text[: end if end > 0 else limit].rstrip()
