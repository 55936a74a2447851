"""What a model wrote, as far as people are to see it: its reasoning apart, its citation markers checked.

Everything is a pure function of the text so far, and what is shown of a text begins what is shown of any longer one:
so an answer that comes in pieces reads like one that came whole.
"""

import re
from dataclasses import dataclass

NONE_MARK = "[none]"
"""With this a reply begins that says that the documents do not hold the answer."""

_THINKING = re.compile(r"^\s*<think(?:ing)?>(?P<thought>.*?)(?:</think(?:ing)?>|\Z)", re.DOTALL)
_ANSWER = re.compile(r"<answer>\s*(?P<answer>.*?)(?:</answer>|\Z)", re.DOTALL)
_MARKER = re.compile(r"[ \t]*[\[【]\s*(?P<numbers>\^?\d{1,4}(?:\s*[,;–-]\s*\^?\d{1,4}){0,20})\s*[\]】](?!\()")
_NUMBERS = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")
_LONGEST_RANGE = 10
# What may be the beginning of a tag or a marker must wait for what comes next; white space waits for a marker.
_UNDECIDED = re.compile(r"\s*(?:<[^<>\n]{0,12}|[\[【][^\[\]【】\n]{0,120}[\]】]?)?\Z")


@dataclass(frozen=True, slots=True)
class Marked:
    """A reply as it is shown.

    ``numbers[m - 1]`` is the piece of the context that marker ``[m]`` of the text points at; ``removed`` counts
    markers that pointed at no piece. ``says_none`` tells that the model found no answer.
    """

    text: str
    numbers: tuple[int, ...]
    removed: int
    says_none: bool
    reasoning: str


def marked(reply: str, pieces: int, thinks: bool = False, whole: bool = True) -> Marked:
    """Read a reply, or what has come of it so far.

    Parameters
    ----------
    reply
        What the model wrote.
    pieces
        How many numbered pieces its context had.
    thinks
        Whether it was asked to reason first and to put its answer between ``<answer>`` and ``</answer>``.
    whole
        Whether nothing more will come.

    >>> shown = marked("Ada did [7], in 1843 [2][99].", 8)
    >>> shown.text, shown.numbers, shown.removed
    ('Ada did [1], in 1843 [2].', (7, 2), 1)
    >>> marked("Ada did [", 8, whole=False).text
    'Ada did'
    """
    thinking = _THINKING.match(reply)
    reasoning = thinking["thought"].strip() if thinking else ""
    text = reply[thinking.end() :] if thinking else reply
    found = _ANSWER.search(text)
    if found:
        text = found["answer"]
    elif thinks and not whole:
        text = ""
    if not whole:
        text = text[: _UNDECIDED.search(text).start()]  # type: ignore[union-attr]  # matches the empty end as well
    text = text.lstrip()
    says_none = text[: len(NONE_MARK)].lower() == NONE_MARK
    if says_none:
        text = text[len(NONE_MARK) :].lstrip()
    elif not whole and NONE_MARK.startswith(text.lower()):
        text = ""
    checked = _Checked(pieces)
    text = _MARKER.sub(checked.shown, text)
    return Marked(text.rstrip() if whole else text, tuple(checked.numbers), checked.removed, says_none, reasoning)


def unthought(reply: str) -> str:
    """A reply without the reasoning that some models put before it.

    >>> unthought("<think>Who is she?</think> Where was Ada born?")
    'Where was Ada born?'
    """
    return _THINKING.sub("", reply).strip()


class _Checked:
    """Gives markers new numbers in the order in which they first appear, and takes out those that point nowhere."""

    def __init__(self, pieces: int) -> None:
        self.numbers: list[int] = []
        self.removed = 0
        self._pieces = pieces

    def shown(self, match: re.Match[str]) -> str:
        markers = ""
        for number in _expanded(match["numbers"]):
            if not 1 <= number <= self._pieces:
                self.removed += 1
                continue
            if number not in self.numbers:
                self.numbers.append(number)
            markers += f"[{self.numbers.index(number) + 1}]"
        space = match[0][: len(match[0]) - len(match[0].lstrip())]
        return space + markers if markers else ""


def _expanded(numbers: str) -> list[int]:
    """The numbers of "1, 3" and "2-4"."""
    found: list[int] = []
    for first, last in _NUMBERS.findall(numbers):
        start, end = int(first), int(last or first)
        found += range(start, end + 1) if start <= end < start + _LONGEST_RANGE else [start, end]
    return found
