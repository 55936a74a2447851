"""What a reply states, before it is tied to a chunk."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from polyadic.model.types import Participation

Problems = Counter[str]
"""Short phrases for people, each with how often it happened."""


@dataclass(frozen=True, slots=True)
class ParsedStatement:
    """One statement of a reply with its participants, which are distinct by entity key.

    ``score`` in (0, 10]. ``sentences`` are the numbers that the model named, as given: they may point nowhere.
    Fewer than two participants make no fact; such a statement is kept all the same, to be counted as evidence.
    """

    text: str
    score: float
    participants: tuple[Participation, ...] = ()
    sentences: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """The statements of a reply in its order, and what was left out or mended: reason to how often."""

    stated: tuple[ParsedStatement, ...]
    problems: Mapping[str, int] = field(default_factory=Problems)
