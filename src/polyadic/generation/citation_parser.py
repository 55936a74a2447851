"""Parse a model's answer: separate its reasoning, validate and renumber its citation markers.

Everything is a pure function of the text so far, and the result for a prefix is a prefix of the result for the whole
text. So a streamed answer equals one that arrives at once.
"""

import re
from dataclasses import dataclass

_THINKING = re.compile(r"\A\s*<think(?:ing)?>(?P<thought>.*?)(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_ANSWER = re.compile(r"<answer>(?P<answer>.*?)(?P<end></answer>|\Z)", re.DOTALL | re.IGNORECASE)
_TAGS = ("<think>", "<thinking>", "<answer>", "</answer>")
# Brackets of all shapes with one to 21 numbers, such as "1, 3", "2-4" and "^1"; or [none]: there is no answer.
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
# The possible beginning of a tag or a marker is withheld until more text arrives; so is a marker, because in
# [1](address) it is the text of a link.
_HALF_MARKER = re.compile(
    r"[\[【［](?:[\d \t^,;，、；–-]{0,215}[\]】］]?|[ \t]{0,2}(?:n|no|non|none)[ \t]{0,2})", re.IGNORECASE
)
_LONGEST_HALF = 220


@dataclass(frozen=True, slots=True)
class CitedText:
    """A parsed reply.

    ``numbers[m - 1]`` is the context piece of marker ``[m]`` in the text. ``removed`` counts markers that matched no
    piece. ``says_none`` means that the model found no answer.
    """

    text: str
    numbers: tuple[int, ...]
    removed: int
    says_none: bool
    reasoning: str


def marked(reply: str, pieces: int, thinks: bool = False, whole: bool = True) -> CitedText:
    """Parse a reply, complete or in progress.

    Parameters
    ----------
    reply
        Text of the model.
    pieces
        Number of numbered pieces in its context.
    thinks
        Whether the model was asked to reason first and to put its answer between ``<answer>`` and ``</answer>``.
    whole
        Whether the reply is complete.

    >>> shown = marked("Ada did [7], in 1843 [2][99].", 8)
    >>> shown.text, shown.numbers, shown.removed
    ('Ada did [1], in 1843 [2].', (7, 2), 1)
    >>> marked("Ada did [", 8, whole=False).text
    'Ada did'
    >>> marked("[none] The documents do not say.", 8).says_none
    True
    """
    reasoning, text, ended = _parts(reply, thinks, whole)
    checked = _CheckedMarkers(text if ended else _without_partial_marker(text), pieces)
    says_none = checked.none_at == 0 or (checked.none_at is not None and not checked.numbers)
    return CitedText(checked.text, tuple(checked.numbers), checked.removed, says_none, reasoning)


def unthought(reply: str) -> str:
    """Remove the reasoning that some models put before a complete reply, with or without an opening tag.

    >>> unthought("<think>Who is she?</think> Where was Ada born?"), unthought("She is Ada.</think>Where?")
    ('Where was Ada born?', 'Where?')
    """
    return _THOUGHT_ENDS.split(_THINKING.sub("", reply, count=1))[-1].strip()


def without_markers(text: str) -> str:
    """Replace the square brackets of text that looks like a citation marker by round ones.

    >>> without_markers("It was built in 1843.[3] See [1, 2] and [sic].")
    'It was built in 1843.(3) See (1, 2) and [sic].'
    """
    return _MARKER.sub(lambda match: f"({match[0][1:-1]})", text)


def _parts(reply: str, thinks: bool, whole: bool) -> tuple[str, str, bool]:
    """Return the reasoning, the answer, and whether the answer is complete."""
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
    # A model may omit the end tag of its reasoning; an answer tag inside still marks the answer.
    inner = _ANSWER.search(thought)
    return (thought[: inner.start()].strip(), inner["answer"], True) if inner else (thought.strip(), "", True)


def _without_partial_marker(text: str) -> str:
    """Remove an end of the text that the next characters may turn into a tag or a marker."""
    last = max(text.rfind(bracket, max(0, len(text) - _LONGEST_HALF)) for bracket in "<[【［")
    if last < 0:
        return text
    end = text[last:]
    is_half = any(tag.startswith(end.lower()) for tag in _TAGS) or _HALF_MARKER.fullmatch(end)
    return text[:last] if is_half else text


class _CheckedMarkers:
    """A text with markers renumbered by first appearance; invalid markers are removed.

    ``none_at`` is the position of ``[none]``, which is removed as well.
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
            shown = self._replacement(match)
            before = text[end : match.start()]
            parts += [before if shown else before.rstrip(" \t"), shown]
            end = match.end()
        self.text = "".join([*parts, text[end:]]).strip()

    def _replacement(self, match: re.Match[str]) -> str:
        """Return the replacement for a marker; empty if it matches no piece."""
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
    """Return the numbers of a marker.

    >>> _expanded("1, 3"), _expanded("2-4"), _expanded("1-400")
    ([1, 3], [2, 3, 4], [1, 400])
    """
    expanded: list[int] = []
    for first, last in _NUMBERS.findall(numbers):
        start, end = int(first), int(last or first)
        expanded += range(start, end + 1) if start <= end < start + _LONGEST_RANGE else [start, end]
    return expanded
