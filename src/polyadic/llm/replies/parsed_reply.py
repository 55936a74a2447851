"""Facts parsed from a reply, before they are linked to a chunk."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from polyadic.model.types import Participation

Problems = Counter[str]
"""Number of occurrences by problem; the keys are short phrases shown to users."""


@dataclass(frozen=True, slots=True)
class ParsedFact:
    """A fact of a reply with its participants, which are distinct by entity key.

    ``score`` in (0, 10]. ``sentences`` are the sentence numbers that the model gave; they may be invalid. A fact
    with fewer than two participants makes no hyperedge, but is kept and counted as evidence. ``forms`` has the words of
    the text that stand for a participant, by its key, where the reply says so.
    """

    text: str
    score: float
    participants: tuple[Participation, ...] = ()
    sentences: tuple[int, ...] = ()
    forms: Mapping[str, str] = field(default_factory=dict)

    def form(self, participant: Participation) -> str:
        """Return the words of the text that stand for a participant: its name, if the reply does not say."""
        return self.forms.get(participant.key, participant.name)


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """The facts of a reply in order, and the number of dropped or repaired parts by reason.

    ``is_delimited`` is whether it is in a delimiter format, in which facts cannot cite sentences.
    """

    stated: tuple[ParsedFact, ...]
    problems: Mapping[str, int] = field(default_factory=Problems)
    is_delimited: bool = False
