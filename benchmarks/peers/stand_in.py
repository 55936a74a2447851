"""What stands in for the models of every system: a language model that knows each passage by its mark, and vectors.

Each system is told the same of a passage, in the form that it asks for; the forms are the systems' own business.
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
    """A language model that takes so many seconds for a call, and makes at most 16 at once."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.calls = 0
        self._places = asyncio.Semaphore(AT_ONCE)

    async def say(self, reply: str) -> str:
        """A reply, when the model would have made it."""
        async with self._places:
            self.calls += 1
            await asyncio.sleep(self.seconds)
        return reply


known = cache(passage)
"""A passage, made once: it costs what the systems that are measured should not be charged with."""


def shown(text: str) -> Passage | None:
    """The first passage that a text shows; None where it shows none, so that nothing can be told of it."""
    return known(marked(text)) if is_marked(text) else None


def question(number: int) -> str:
    """A question about a passage, which names the first of its entities."""
    return _question([name for name, _ in known(number).entities[:3]])


def narrow_question(number: int) -> str:
    """A question about a passage, which names those of its entities that hardly any other passage knows."""
    names = [name for name, _ in known(number).entities]
    return _question(sorted(names, key=lambda name: int(name.split()[-1]))[-3:])


def asked_of(text: str) -> list[str]:
    """The entities that a question names, which may stand in a longer text.

    >>> asked_of(question(5)) == [name for name, _ in passage(5).entities[:3]]
    True
    """
    found = _QUESTION.search(text)
    return list(found.groups()) if found else []


def tells_of(text: str, number: int) -> bool:
    """Whether what was retrieved holds a passage, or a fact of it.

    >>> tells_of(passage(5).text, 5), tells_of(passage(5).facts[0][0], 5), tells_of(passage(6).text, 5)
    (True, True, False)
    """
    return f"mark{number:06d}" in text or any(said.split()[-1] in text for said, _ in known(number).facts)


def summary(text: str) -> str:
    """What a summary of descriptions comes to: who they are about, at the length of a few of them."""
    about = _NAME.search(text)
    return f"{about[0] if about else 'It'} is a matter of which several passages tell, in ever other words. " * 4


def embedded(texts: Sequence[str]) -> NDArray[np.float32]:
    """Vectors of texts, by their words in any case and punctuation: shape (n, 384), of length 1."""
    return vectors([_NO_WORD.sub(" ", text[:_LENGTH].casefold()) for text in texts], DIMENSION)


def _question(names: Sequence[str]) -> str:
    return f"How does {names[0]} relate to {names[1]}, given {names[2]}?"
