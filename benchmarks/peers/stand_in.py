"""Mock language model and embedder for all systems.

The mock model identifies a passage by its mark. All systems get the same facts about a passage, each in the format that
its prompts request.
"""

import asyncio
import re
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.synthetic_workload import Passage, is_marked, marked, passage, vectors

AT_ONCE = 16
DIMENSION = 384
_QUESTION = re.compile(r"How does (.+?) relate to (.+?), given (.+?)\?")
_NAME = re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+ \d+")
_NO_WORD = re.compile(r"[^\w\s]+")
_LENGTH = 200


class StandIn:
    """Mock language model with a fixed duration per call and at most 16 concurrent calls."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.calls = 0
        self._semaphore = asyncio.Semaphore(AT_ONCE)

    async def say(self, reply: str) -> str:
        """Return a reply after the duration of a call."""
        async with self._semaphore:
            self.calls += 1
            await asyncio.sleep(self.seconds)
        return reply


known = cache(passage)
"""Cached passage; generating it must not count towards a system's time."""


def shown(text: str) -> Passage | None:
    """Return the first passage in a text, or None."""
    return known(marked(text)) if is_marked(text) else None


def question(number: int) -> str:
    """Return a question that names the first entities of a passage."""
    return _question([name for name, _ in known(number).entities[:3]])


def narrow_question(number: int) -> str:
    """Return a question that names the rarest entities of a passage."""
    names = [name for name, _ in known(number).entities]
    return _question(sorted(names, key=lambda name: int(name.split()[-1]))[-3:])


def asked_of(text: str) -> list[str]:
    """Return the entities of the question in a text.

    >>> asked_of(question(5)) == [name for name, _ in passage(5).entities[:3]]
    True
    """
    match = _QUESTION.search(text)
    return list(match.groups()) if match else []


def tells_of(text: str, number: int) -> bool:
    """Whether retrieved text contains a passage or one of its facts.

    >>> tells_of(passage(5).text, 5), tells_of(passage(5).facts[0][0], 5), tells_of(passage(6).text, 5)
    (True, True, False)
    """
    return f"mark{number:06d}" in text or any(fact_text.split()[-1] in text for fact_text, _ in known(number).facts)


def summary(text: str) -> str:
    """Return a mock summary of descriptions, about as long as a few of them."""
    match = _NAME.search(text)
    return f"{match[0] if match else 'It'} is a matter of which several passages tell, in ever other words. " * 4


def embedded(texts: Sequence[str]) -> NDArray[np.float32]:
    """Embed texts by their words, ignoring case and punctuation: shape (n, 384), unit length."""
    return vectors([_NO_WORD.sub(" ", text[:_LENGTH].casefold()) for text in texts], DIMENSION)


def _question(names: Sequence[str]) -> str:
    return f"How does {names[0]} relate to {names[1]}, given {names[2]}?"
