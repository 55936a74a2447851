"""Off with what surrounds a reply, and with what surrounds a value in it."""

import re

_THINKS = re.compile(r"^[ \t]*<(think|thinking|reasoning)>", re.MULTILINE | re.IGNORECASE)
_THOUGHT = re.compile(r"</(?:think|thinking|reasoning)>(?=[ \t]*(?:$|[{(\[`]))", re.MULTILINE | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```+|~~~+)[ \t]*[\w-]*[ \t]*$", re.MULTILINE)
_TOKEN = re.compile(r"<\|(?!\s*complete\b|\w*delimiter)[a-z_]\w{0,30}\|>|<｜[^｜<>\n]{1,40}｜>|</?s>", re.IGNORECASE)
# Control characters but tab and line ends; lone surrogates, which no file and no database takes; byte-order marks.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
_SPACE = re.compile(r"\s+")
# Each opening quote with those that close it; models open and close with the same curly one, too.
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”“", "„": "“”", "”": "”", "«": "»", "‘": "’‘", "「": "」"}
_NESTED_QUOTES = 3
_LONE_QUOTES = '"“”„«»'
_is_tidied = frozenset(" " + "".join(f"{opening}{closing}" for opening, closing in _QUOTES.items())).__contains__
"""Whether a character has no place at either end of a value."""


def undressed(reply: str) -> tuple[str, bool]:
    """A reply without its thoughts, fences, special tokens and control characters; whether it broke off thinking.

    >>> undressed("<think>Hm.</think>\\n```json\\n[]\\n```<|endoftext|>")[0].strip()
    '[]'
    """
    text = printable(reply.replace("\r\n", "\n").replace("\r", "\n"))
    thinking = False
    # Most replies have neither tags nor fences, and a character is found in a hundredth of the time.
    if "<" in text:
        text, thinking = _without_thoughts(_TOKEN.sub("", text))
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("", text)
    return text, thinking


def _without_thoughts(text: str) -> tuple[str, bool]:
    kept, position = [], 0
    while opened := _THINKS.search(text, position):
        end = text.find(closing := f"</{opened[1]}>", opened.end())
        if end < 0:
            break
        kept.append(text[position : opened.start()])
        position = end + len(closing)
    rest = "".join(kept) + text[position:]
    # Some servers cut the opening tag off with the prompt, so that only the closing one is left.
    rest = rest[max((thought.end() for thought in _THOUGHT.finditer(rest)), default=0) :]
    unclosed = _THINKS.match(rest.lstrip())
    return ("", True) if unclosed else (rest, False)


def printable(text: str) -> str:
    """A text without control characters and what no file can hold."""
    # Nearly all texts are printable to the last character, and telling that takes a tenth of the time.
    return text if text.isprintable() else _CONTROL.sub("", text)


def tidy(text: str) -> str:
    """A value on one line, without control characters and the quotes around it.

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
    """Whether the first and the last quote belong together: between them, the first one opens rather than closes."""
    opening, closing = text[0], text[-1]
    inner = text[1:-1]
    first = inner.find(closing)
    if first < 0:
        return True
    if opening != closing:
        return opening in inner[:first]
    return first == 0 or inner[first - 1].isspace()


def cut(text: str, limit: int) -> str:
    """At most ``limit`` characters, ending with a word where one ends in the second half.

    >>> cut("one fact and another", 14)
    'one fact and'
    """
    if len(text) <= limit:
        return text
    end = text.rfind(" ", limit // 2, limit + 1)
    return text[: end if end > 0 else limit].rstrip()
