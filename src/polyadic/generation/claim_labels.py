"""Tell what a line of an answer claims from what only introduces it: the number of a list item, and a topic label.

"2. Foreign trade: copper was shipped" claims that copper was shipped. Its source need not contain a 2, nor speak of
trade.
"""

import re

_BEFORE_WORDS = r"[ \t]*(?:[-*+•‣▪◦–|>#]+[ \t]+)*[*_]{0,3}"
_LIST_NUMBER = re.compile(rf"^{_BEFORE_WORDS}\(?(\d{{1,3}})[.)](?:[*_]{{1,3}})?[ \t]+", re.MULTILINE)
_OPENING = re.compile(rf"(?:{_LIST_NUMBER.pattern}|{_BEFORE_WORDS})[*_]{{0,3}}", re.MULTILINE)
# A label ends with a colon, inside or outside its emphasis, or if it is emphasized with a dash.
_LABEL = re.compile(
    r"(?P<label>[^\W\d_][^:：.!?;|*_\d\n\[\]]*)(?:[*_]{0,3}[:：][*_]{0,3}[ \t]*|[*_]{1,3}[ \t]*[–—-][ \t]+)(?=\S)"
)
_FEWEST_WORDS, _MOST_WORDS = 2, 5


def after_list_number(text: str, start: int, end: int) -> int:
    """Return the end of the number that begins a list item, or ``start`` if a span of an answer begins with none.

    A number begins a list item if it is 1, or if the number before it begins an earlier line: a line may also begin
    with a date.

    >>> text = "1. Copper.\\n2. Ore.\\n12. April 1961."
    >>> [text[after_list_number(text, start, len(text)) :][:4] for start in (0, 11, 19)]
    ['Copp', 'Ore.', '12. ']
    """
    match = _LIST_NUMBER.match(text, text.rfind("\n", 0, start) + 1, end)
    if match is None or match.start(1) < start:
        return start
    number = int(match[1])
    before = (int(other[1]) for other in _LIST_NUMBER.finditer(text, 0, match.start()))
    return match.end() if number == 1 or number - 1 in before else start


def after_label(text: str, start: int, end: int) -> int:
    """Return the end of the label that names the topic of a line, or ``start`` if a span of an answer begins with none.

    The label is in a list item or emphasized: elsewhere, the words before a colon may be a claim. A topic has two to
    five words, and no capital but at its beginning. Other capitals and digits are of names and dates, which the source
    must contain. A single word may be a name.

    >>> texts = "- Copper trade: it was shipped", "- Ada Holm: it left", "- Ada: it left", "  Copper ran out: it left"
    >>> [text[after_label(text, 2, len(text)) :] for text in texts]
    ['it was shipped', 'Ada Holm: it left', 'Ada: it left', 'Copper ran out: it left']
    """
    label = _LABEL.match(text, start, end)
    opening = _OPENING.fullmatch(text, text.rfind("\n", 0, start) + 1, start)
    return label.end() if label and opening and opening[0].strip() and _is_topic(label["label"]) else start


def _is_topic(label: str) -> bool:
    has_case = label[0].lower() != label[0].upper()
    return has_case and label[1:] == label[1:].lower() and _FEWEST_WORDS <= len(label.split()) <= _MOST_WORDS
