"""Mark the sentences of passages that state retrieved facts, in a prompt only.

A fact that a displayed passage states has no piece of its own. A mark before its sentence tells the model that the
search ranked it highly. Stored text, spans and citations have no marks; marks that a model copies are removed.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from polyadic.model.types import Item, SourceSpan
from polyadic.text.headings import is_heading
from polyadic.text.language import detect_language
from polyadic.text.sentences import sentences

MARK = "►"
"""Rare in documents, and one token with the blank after it (o200k)."""
LEGEND = f"{MARK} marks the sentences that the search ranked highest; others may matter, too."

_COPIED = re.compile(f"{MARK} ?")


def without_document_marks(text: str) -> str:
    """Replace the marks that a document itself contains; the length does not change.

    >>> without_document_marks("► Home ► News")
    '> Home > News'
    """
    return text.replace(MARK, ">")


def without_copied_marks(reply: str) -> str:
    """Remove marks from a reply, complete or in progress.

    >>> without_copied_marks("► Ada met Babbage [1]. ► They wrote letters [1].")
    'Ada met Babbage [1]. They wrote letters [1].'
    """
    return _COPIED.sub("", reply)


def with_marks(text: str, starts: Sequence[int]) -> str:
    """Insert marks at positions of a text.

    >>> with_marks("Ada came. Bob left.", [10, 0])
    '► Ada came. ► Bob left.'
    """
    edges = [0, *sorted(starts), len(text)]
    return f"{MARK} ".join(text[start:end] for start, end in pairwise(edges))


def evidence_starts(fact: Item, passage: SourceSpan) -> Iterator[int]:
    """Yield where in the quote of a passage the sentences begin that a fact was extracted from, without headings."""
    origin = passage.span.start
    for place in fact.places:
        if place.document_id != passage.document_id or not _is_within(place, passage):
            continue
        for sentence in sentences(place.quote, detect_language(place.quote)):
            start, end = (place.span.start - origin + edge for edge in (sentence.start, sentence.end))
            if not is_heading(passage.quote, start, end):
                yield start


def _is_within(place: SourceSpan, passage: SourceSpan) -> bool:
    return passage.span.start <= place.span.start and place.span.end <= passage.span.end
