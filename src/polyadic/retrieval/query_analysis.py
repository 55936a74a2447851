"""Analyze a question: the entities it names, and the remainder of its words.

Entities of the store that the question mentions by name are its *anchors*; the question without these names is the
*remainder*: "When was the mother of Ada Lovelace born?" has the remainder "When was the mother of born?". Terms
("authorization code") are anchors as well, but stay in the remainder, because they express what is asked.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polyadic.model.types import Span
from polyadic.retrieval.entity_linking import link_entities
from polyadic.storage.protocol import Reader, Rows

_SPACE = re.compile(r"\s+")
_ARTICLE_BEFORE = re.compile(r"\b(?:the|an|a)\s+$", re.IGNORECASE)
_POSSESSIVE_AFTER = re.compile(r"^['’]s\b")


@dataclass(frozen=True, slots=True)
class AnalyzedQuestion:
    """A question with the entities that it names.

    ``anchors`` are entities; ``groups`` gives the index of each anchor's mention, which homonyms share. ``names`` are
    the anchors that are names, not terms.
    """

    text: str
    anchors: Rows
    names: Rows
    groups: Rows
    mentions: tuple[str, ...]
    remainder: str


def analyze_question(text: str, reader: Reader) -> AnalyzedQuestion:
    """Link a question to the entities that it names."""
    mentions = link_entities([text], reader)[0]
    return AnalyzedQuestion(
        text,
        np.array([row for mention in mentions for row in mention.entities], dtype=np.int64),
        np.array([row for mention in mentions if not mention.is_term for row in mention.entities], dtype=np.int64),
        np.array([group for group, mention in enumerate(mentions) for _ in mention.entities], dtype=np.int64),
        tuple(text[mention.span.start : mention.span.end] for mention in mentions),
        _without(text, [mention.span for mention in mentions if not mention.is_term]),
    )


def _without(text: str, spans: Sequence[Span]) -> str:
    """Remove spans from a text, with an article before and a possessive after them.

    >>> _without("When was the Engine's wheel made?", [Span(13, 19)])
    'When was wheel made?'
    """
    ends = (0, *(span.end for span in spans))
    starts = (*(span.start for span in spans), len(text))
    between = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    kept = [_POSSESSIVE_AFTER.sub("", _ARTICLE_BEFORE.sub("", gap)) for gap in between]
    return _SPACE.sub(" ", " ".join(kept)).strip()
