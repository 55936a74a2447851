"""What a model wrote, as far as people are to see it: its reasoning apart, its citation markers checked.

Everything is a pure function of the text so far, and what is shown of a text begins what is shown of any longer one:
so an answer that comes in pieces reads like one that came whole.
"""

import re
from dataclasses import dataclass

_THINKING = re.compile(r"\A\s*<think(?:ing)?>(?P<thought>.*?)(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_ANSWER = re.compile(r"<answer>(?P<answer>.*?)(?P<end></answer>|\Z)", re.DOTALL | re.IGNORECASE)
_TAGS = ("<think>", "<thinking>", "<answer>", "</answer>")
# Brackets of all shapes, one to 21 numbers, such as "1, 3", "2-4" and "^1"; or [none]: there is no answer.
_MARKER = re.compile(
    r"""[\[【［][ \t]{0,2}(?:
        (?P<numbers>\^?\d{1,4}(?:[ \t]{0,2}[,;，、；–-][ \t]{0,2}\^?\d{1,4}){0,20})
      | (?P<none>none)
    )[ \t]{0,2}[\]】］]""",
    re.VERBOSE | re.IGNORECASE,
)
_NUMBERS = re.compile(r"(\d+)(?:[ \t]*[–-][ \t]*\^?(\d+))?")
_LONGEST_RANGE = 10
# No context has so many pieces: [2019] is a year.
_NO_MARKER_FROM = 1000
# What may be the beginning of a tag or a marker must wait for what comes next; so must a marker, which in [1](address)
# is the text of a link.
_HALF_MARKER = re.compile(
    r"[\[【［](?:[\d \t^,;，、；–-]{0,215}[\]】］]?|[ \t]{0,2}(?:n|no|non|none)[ \t]{0,2})", re.IGNORECASE
)
_LONGEST_HALF = 220


@dataclass(frozen=True, slots=True)
class CitedText:
    """A reply as it is shown.

    ``numbers[m - 1]`` is the piece of the context that marker ``[m]`` of the text points at; ``removed`` counts
    markers that pointed at no piece. ``says_none`` tells that the model found no answer.
    """

    text: str
    numbers: tuple[int, ...]
    removed: int
    says_none: bool
    reasoning: str


def marked(reply: str, pieces: int, thinks: bool = False, whole: bool = True) -> CitedText:
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
    >>> marked("[none] The documents do not say.", 8).says_none
    True
    """
    reasoning, text, ended = _parts(reply, thinks, whole)
    checked = _Checked(text if ended else _settled(text), pieces)
    says_none = checked.none_at == 0 or (checked.none_at is not None and not checked.numbers)
    return CitedText(checked.text, tuple(checked.numbers), checked.removed, says_none, reasoning)


def unthought(reply: str) -> str:
    """A whole reply without the reasoning that some models put before it, with or without a tag where it begins.

    >>> unthought("<think>Who is she?</think> Where was Ada born?"), unthought("She is Ada.</think>Where?")
    ('Where was Ada born?', 'Where?')
    """
    return _THOUGHT_ENDS.split(_THINKING.sub("", reply, count=1))[-1].strip()


def without_markers(text: str) -> str:
    """A text that a model is shown, with round brackets around what would look like our markers.

    >>> without_markers("It was built in 1843.[3] See [1, 2] and [sic].")
    'It was built in 1843.(3) See (1, 2) and [sic].'
    """
    return _MARKER.sub(lambda match: f"({match[0][1:-1]})", text)


def _parts(reply: str, thinks: bool, whole: bool) -> tuple[str, str, bool]:
    """The reasoning, the answer, and whether nothing more of the answer will come."""
    thinking = _THINKING.match(reply)
    thought = thinking["thought"] if thinking else ""
    rest = reply[thinking.end() :] if thinking else reply
    answer = _ANSWER.search(rest) if thinks else _ANSWER.match(rest.lstrip())
    if answer:
        before = _THOUGHT_ENDS.sub("", rest[: answer.start()]).strip() if thinks else ""
        return f"{thought.strip()}\n{before}".strip(), answer["answer"], whole or bool(answer["end"])
    if not thinks:
        return thought.strip(), rest, whole
    if not whole:
        return thought.strip(), "", False
    if rest.strip():
        *thoughts, text = _THOUGHT_ENDS.split(rest)
        return "\n".join([thought, *thoughts]).strip(), text, True
    # A model may forget where its thoughts end; what it calls its answer is one.
    inner = _ANSWER.search(thought)
    return (thought[: inner.start()].strip(), inner["answer"], True) if inner else (thought.strip(), "", True)


def _settled(text: str) -> str:
    """The text without an end that the next characters may turn into a tag or a marker."""
    last = max(text.rfind(bracket, max(0, len(text) - _LONGEST_HALF)) for bracket in "<[【［")
    if last < 0:
        return text
    end = text[last:]
    is_half = any(tag.startswith(end.lower()) for tag in _TAGS) or _HALF_MARKER.fullmatch(end)
    return text[:last] if is_half else text


class _Checked:
    """A text whose markers have new numbers in the order in which they first appear; those that point nowhere are out.

    ``none_at`` is where ``[none]`` stands in it, which is taken out as well.
    """

    def __init__(self, text: str, pieces: int) -> None:
        self.numbers: list[int] = []
        self.removed = 0
        self.none_at: int | None = None
        self._pieces = pieces
        text = text.lstrip()
        parts: list[str] = []
        end = 0
        for match in _MARKER.finditer(text):
            if text.startswith("(", match.end()):
                continue
            shown = self._shown(match)
            before = text[end : match.start()]
            parts += [before if shown else before.rstrip(" \t"), shown]
            end = match.end()
        self.text = "".join([*parts, text[end:]]).strip()

    def _shown(self, match: re.Match[str]) -> str:
        """What stands in the place of a marker; nothing where that points nowhere."""
        if match["none"]:
            self.none_at = match.start() if self.none_at is None else self.none_at
            return ""
        markers = ""
        numbers = _expanded(match["numbers"])
        if min(numbers) >= max(_NO_MARKER_FROM, self._pieces + 1):
            return match[0]
        for number in numbers:
            if not 1 <= number <= self._pieces:
                self.removed += 1
                continue
            if number not in self.numbers:
                self.numbers.append(number)
            markers += f"[{self.numbers.index(number) + 1}]"
        return markers


def _expanded(numbers: str) -> list[int]:
    """The numbers of a marker.

    >>> _expanded("1, 3"), _expanded("2-4"), _expanded("1-400")
    ([1, 3], [2, 3, 4], [1, 400])
    """
    found: list[int] = []
    for first, last in _NUMBERS.findall(numbers):
        start, end = int(first), int(last or first)
        found += range(start, end + 1) if start <= end < start + _LONGEST_RANGE else [start, end]
    return found
