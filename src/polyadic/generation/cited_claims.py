"""Split an answer into cited claims: the clauses that its citation markers close."""

import re
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from polyadic.generation.claim_labels import after_label, after_list_number
from polyadic.model.identity import normal_text
from polyadic.model.types import Span
from polyadic.text.sentences import sentences
from polyadic.text.stopwords import function_words
from polyadic.text.words import WORD

_MARKER = re.compile(r"\[(\d{1,4})\](?!\()")
_BETWEEN_MARKERS = re.compile(r"[ \t]*[,;、，]?[ \t]*")
_MARKERS_AFTER_THE_END = re.compile(
    r"([.!?。！？｡]+[\"”’»」』）)*]*)([ \t]*\[\d{1,4}\](?!\()(?:[ \t]*[,;、，]?[ \t]*\[\d{1,4}\](?!\())*)"
)
_ENDS_A_CLAUSE = re.compile(r"\s*[,;:，；：、—–(|]")
# What surrounds the words of a clause: bullets, punctuation, emphasis.
_AROUND = " \t\r\n,;:.-–—*•#>|_，；：、。"


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation marker, and its characters in the answer."""

    number: int
    span: Span


@dataclass(frozen=True, slots=True)
class CitedClaim:
    """A clause of an answer and the markers that cite its sources.

    Parameters
    ----------
    span
        Characters of the clause in the answer; a marker within it belongs to it.
    markers
        Its markers, each number once.
    text
        The clause without markers, and without a label that names its topic.
    sentence
        Its sentence without markers, which may hold the subject of the clause.
    before
        The sentence before, to which a pronoun may refer.
    """

    span: Span
    markers: tuple[Marker, ...]
    text: str
    sentence: str
    before: str


def cited_claims(text: str, numbers: int, language: str) -> list[CitedClaim]:
    """Return the cited claims of an answer, in order; every marker belongs to one.

    A claim begins with its sentence, or after the markers before it in the sentence. Neighbouring markers share a
    claim. Markers after the end of a sentence belong to it; where they stand without words, to the sentence before.

    Parameters
    ----------
    text
        The answer, with markers from ``[1]``.
    numbers
        The highest marker; other numbers in brackets are text.
    language
        Language of the answer, for its sentences.

    >>> claims = cited_claims("Ada wrote it [1] and was born in London [2][3]. She died in 1852. [1]", 3, "en")
    >>> [(claim.text, [marker.number for marker in claim.markers]) for claim in claims]
    [('Ada wrote it', [1]), ('and was born in London', [2, 3]), ('She died in 1852', [1])]
    """
    claims: list[CitedClaim] = []
    empty = function_words(language)
    groups = deque(_groups(text, list(marker_spans(text, numbers))))
    last = before = Span(0, 0)
    # The replacement keeps the length, so spans of the changed text are spans of the answer.
    for sentence in sentences(_MARKERS_AFTER_THE_END.sub(r"\2\1", text), language):
        within = []
        while groups and groups[0][0].span.start < sentence.end:
            within.append(groups.popleft())
        if _has_words(text, sentence):
            before, last = last, sentence
            clauses = _clauses(text, sentence, within, empty)
        else:
            clauses = [last if last.end else Span(0, len(text)) for _ in within]
        for clause, group in zip(clauses, within, strict=True):
            span = _trimmed(text, _without_number(text, clause)) if _has_words(text, clause) else clause
            first = {marker.number: marker for marker in reversed(group)}
            markers = sorted(first.values(), key=lambda marker: marker.span)
            said = Span(after_label(text, span.start, span.end), span.end)
            around = (_bare(text, _without_number(text, part)) for part in (last, before))
            claims.append(CitedClaim(span, tuple(markers), _bare(text, said), *around))
    return claims


def complete_until(text: str, language: str) -> int:
    """Return the end of the sentences of a growing answer that are complete: another one follows them.

    >>> text = "Ada wrote it [1]. She was"
    >>> text[: complete_until(text, "en")]
    'Ada wrote it [1]. '
    """
    found = sentences(_MARKERS_AFTER_THE_END.sub(r"\2\1", text), language)
    return found[-1].start if found else 0


def marker_spans(text: str, numbers: int) -> Iterator[Marker]:
    """Yield the markers of an answer, up to the highest number; ``[1](address)`` is a link."""
    for match in _MARKER.finditer(text):
        if 1 <= int(match[1]) <= numbers:
            yield Marker(int(match[1]), Span(*match.span()))


def _groups(text: str, markers: Sequence[Marker]) -> list[list[Marker]]:
    """Group neighbouring markers."""
    groups: list[list[Marker]] = []
    for marker in markers:
        if groups and _BETWEEN_MARKERS.fullmatch(text, groups[-1][-1].span.end, marker.span.start):
            groups[-1].append(marker)
        else:
            groups.append([marker])
    return groups


def _clauses(text: str, sentence: Span, groups: Sequence[Sequence[Marker]], empty: Collection[str]) -> list[Span]:
    """Return the clause of each group: the words before it, with those after it if none of those before has content.

    Words that follow the last group without a comma or the like belong to its clause: "Ada [1] wrote it"; the next cell
    of a table does not.
    """
    clauses: list[Span] = []
    start = sentence.start
    for i, group in enumerate(groups):
        end = groups[i + 1][0].span.start if i + 1 < len(groups) else max(sentence.end, group[-1].span.end)
        clause, rest = Span(start, max(start, group[0].span.start)), Span(group[-1].span.end, end)
        continues = i + 1 == len(groups) and _has_words(text, rest) and not _ENDS_A_CLAUSE.match(text, rest.start)
        if continues or not _has_words(text, clause, empty):
            clause = Span(start, end)
        start = max(clause.end, group[-1].span.end)
        clauses.append(clause if _has_words(text, clause, empty) else sentence)
    return clauses


def _without_number(text: str, span: Span) -> Span:
    return Span(after_list_number(text, span.start, span.end), span.end)


def _has_words(text: str, span: Span, empty: Collection[str] = ()) -> bool:
    """Return whether a span has words besides markers and the function words ``empty``."""
    return any(word not in empty for word in WORD.findall(_MARKER.sub("", text[span.start : span.end]).lower()))


def _trimmed(text: str, span: Span) -> Span:
    """Return a span without punctuation around it and without markers at its ends."""
    start, end = span.start, span.end
    while True:
        stripped = text[start:end]
        start += len(stripped) - len(stripped.lstrip(_AROUND))
        end -= len(stripped) - len(stripped.rstrip(_AROUND))
        first, last = _MARKER.match(text, start, end), re.search(r"\[\d{1,4}\]\Z", text[start:end])
        if first and first.end() < end:
            start = first.end()
        elif last and last.start():
            end = start + last.start()
        else:
            return Span(start, end)


def _bare(text: str, span: Span) -> str:
    """Return the text of a span without markers, on one line."""
    return normal_text(re.sub(rf"[ \t]*{_MARKER.pattern}", "", text[span.start : span.end]))
