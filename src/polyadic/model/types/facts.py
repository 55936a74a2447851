"""Facts and entities, and the evidence that they are derived from.

A *fact* is a hyperedge: one self-contained sentence with every entity it connects. *Evidence* is one occurrence of
a fact that an extractor found in one chunk. Facts and entities are derived from the stored evidence only.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from polyadic.model import identity
from polyadic.model.types.documents import Span


@dataclass(frozen=True, slots=True)
class Participation:
    """One entity of a fact, as extracted from one chunk.

    Parameters
    ----------
    name
        Name of the entity as extracted.
    type
        Entity type; empty if unknown.
    description
        Description of the entity; empty if there is none.
    score
        Importance score in (0, 100].
    role
        The part that the entity plays in the fact, such as "buyer"; empty if unknown.
    value
        If the name is a value, the same in a form that programs read, such as "1843-10-02" or "19.99"; else empty.
    """

    name: str
    type: str = ""
    description: str = ""
    score: float = 50.0
    role: str = ""
    value: str = ""

    @property
    def key(self) -> str:
        """Normalized name that identifies the entity."""
        return identity.entity_key(self.name)


@dataclass(frozen=True)
class Evidence:
    """A fact as extracted from one chunk, with its participants and its provenance.

    Evidence with fewer than two distinct participants makes no fact; it is stored and counted.

    Parameters
    ----------
    text
        Text of the fact.
    score
        How complete the text is on its own, in (0, 10].
    participants
        Entities of the fact.
    spans
        Character ranges in the document that the text was extracted from.
    extractor
        Name of the extractor.
    unsupported
        Why the document does not support the text, which then makes no fact either; empty if it does.
    valid_from, valid_to
        First and last date at which the fact holds, in ISO 8601: "1843", "1843-10-02"; empty if unknown.
    qualifiers
        Further names and values that qualify the fact, such as ("source", "letter").
    """

    text: str
    score: float
    participants: tuple[Participation, ...]
    spans: tuple[Span, ...]
    extractor: str
    unsupported: str = ""
    valid_from: str = ""
    valid_to: str = ""
    qualifiers: tuple[tuple[str, str], ...] = ()

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Distinct entity keys, sorted."""
        return tuple(sorted({p.key for p in self.participants} - {""}))

    @cached_property
    def fact_id(self) -> str | None:
        """Identifier of the fact; None if unsupported, or with fewer than two distinct participants."""
        return None if self.unsupported else fact_of(self.text, self.keys)


def fact_of(text: str, keys: Collection[str]) -> str | None:
    """Return the identifier of the fact that connects these distinct entity keys; None if there are fewer than two.

    >>> fact_of("Ada wrote.", ["ada"]) is None, fact_of("Ada met Babbage.", ["ada", "babbage"]) is None
    (True, False)
    """
    return identity.fact_id(text, keys) if len(keys) >= 2 else None


@dataclass(frozen=True, slots=True)
class Fact:
    """A hyperedge, derived from all evidence that states it.

    Parameters
    ----------
    id
        Identifier.
    text
        The sentence.
    score
        Mean score of the evidence, in (0, 10].
    entities
        The entities that the fact connects.
    support
        Number of pieces of evidence.
    tokens
        Number of tokens of ``text``.
    """

    id: str
    text: str
    score: float
    entities: tuple[str, ...]
    support: int
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Entity:
    """A node of the hypergraph, derived from all evidence that names it.

    Parameters
    ----------
    id
        Identifier.
    key
        Normalized name.
    name, type, description
        The best supported versions in the evidence.
    score
        Mean score of its participations, in (0, 100].
    facts
        Number of facts that connect it.
    """

    id: str
    key: str
    name: str
    type: str
    description: str
    score: float
    facts: int


@dataclass(frozen=True, slots=True)
class ParticipantDetails:
    """The role and the typed value of an entity in a fact (see :class:`Participation`), one of them known."""

    name: str
    role: str
    value: str


@dataclass(frozen=True, slots=True)
class FactDetails:
    """What one piece of evidence of a fact says besides its text (see :class:`Evidence`).

    Parameters
    ----------
    participants
        The entities whose role or value is known.
    valid_from, valid_to
        First and last date at which the fact holds, in ISO 8601; empty if unknown.
    qualifiers
        Further names and values.
    """

    participants: tuple[ParticipantDetails, ...] = ()
    valid_from: str = ""
    valid_to: str = ""
    qualifiers: Mapping[str, str] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, evidence: Evidence) -> "FactDetails | None":
        """Return the details of a piece of evidence; None if it has none."""
        participants = tuple(
            ParticipantDetails(one.name, one.role, one.value) for one in evidence.participants if one.role or one.value
        )
        if not (participants or evidence.valid_from or evidence.valid_to or evidence.qualifiers):
            return None
        return cls(participants, evidence.valid_from, evidence.valid_to, dict(evidence.qualifiers))

    def __str__(self) -> str:
        """Format the details for people and models.

        >>> print(FactDetails((ParticipantDetails("Ada", "author", ""),), "1843", "", {"source": "letter"}))
        author: Ada; valid from 1843; source: letter
        """
        participants = (
            f"{one.role or one.name}: {' = '.join(filter(None, (one.role and one.name, one.value)))}"
            for one in self.participants
        )
        dates = [f"{word} {date}" for word, date in (("from", self.valid_from), ("to", self.valid_to)) if date]
        validity = [f"valid {' '.join(dates)}"] if dates else []
        return "; ".join((*participants, *validity, *(f"{name}: {value}" for name, value in self.qualifiers.items())))
