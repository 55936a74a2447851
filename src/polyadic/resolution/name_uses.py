"""How documents use a name: the types, descriptions and neighbours that each of them gives it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Evidence, Participation
from polyadic.model.value_entities import is_value
from polyadic.storage.protocol import DocumentRecord, Reader


@dataclass(slots=True)
class NameUse:
    """The use of a name in one document.

    Parameters
    ----------
    source
        Source of the document.
    types, descriptions
        Numbers of pieces of evidence that give each of them.
    neighbours
        Keys of the entities named in the same evidence, other than values.
    fact
        The first fact.
    """

    source: str
    types: Counter[str] = field(default_factory=Counter)
    descriptions: Counter[str] = field(default_factory=Counter)
    neighbours: set[str] = field(default_factory=set)
    fact: str = ""

    def add(self, evidence: Evidence, participant: Participation, neighbours: Iterable[str]) -> None:
        """Add a piece of evidence."""
        self.types.update([participant.type.casefold()] if participant.type else ())
        self.descriptions.update([participant.description] if participant.description else ())
        self.neighbours.update(neighbours)
        self.neighbours.discard(participant.key)
        self.fact = self.fact or evidence.text

    @property
    def description(self) -> str:
        """The most common description; empty if there is none."""
        return self.descriptions.most_common(1)[0][0] if self.descriptions else ""


def name_uses(
    reader: Reader, records: Sequence[DocumentRecord], resolution: EntityResolution
) -> dict[str, list[NameUse]]:
    """Return the uses of each key by document, in the order of ``records``; the evidence of each is read once.

    Names that are split already in a document are left out there.
    """
    uses: dict[str, list[NameUse]] = defaultdict(list)
    is_value_cached = cache(is_value)
    for record in records:
        here: dict[str, NameUse] = {}
        for _, chunk in reader.records.evidence(record.id):
            for evidence in chunk:
                named = [one for one in evidence.participants if one.key]
                keys = {one.key for one in named if not is_value_cached(one.name, one.type)}
                for one in named:
                    if resolution.key(one.key, record.id) == one.key:
                        here.setdefault(one.key, NameUse(record.source)).add(evidence, one, keys)
        for key, use in here.items():
            uses[key].append(use)
    return uses


def share_a_neighbour(some: Collection[NameUse], others: Collection[NameUse]) -> bool:
    """Return whether two groups of uses have a neighbour in common."""
    return any(not one.neighbours.isdisjoint(other.neighbours) for one in some for other in others)
