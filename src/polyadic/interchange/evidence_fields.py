"""Fields of evidence and its entities that the formats which are imported share."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from polyadic.interchange.validation import Date, EntityScore, FactScore, Name, Qualifiers, Text
from polyadic.model.types import Evidence, Participation, Span


class EntityFields(BaseModel):
    """An entity of a piece of evidence."""

    name: Text
    type: Text = ""
    description: Text = ""
    score: EntityScore
    role: Text = ""
    value: Text = ""

    def participation(self) -> Participation:
        return Participation(self.name, self.type, self.description, self.score, self.role, self.value)


class EvidenceFields(BaseModel):
    """A piece of evidence; spans are pairs of characters."""

    text: Name
    score: FactScore
    extractor: Text
    spans: Sequence[list[int]]
    entities: Sequence[EntityFields]
    unsupported: Text = ""
    valid_from: Date = ""
    valid_to: Date = ""
    qualifiers: Qualifiers = Field(default_factory=dict)

    def evidence(self) -> Evidence:
        """Return the evidence; raises ValueError for an invalid span."""
        return Evidence(
            text=self.text,
            score=self.score,
            participants=tuple(entity.participation() for entity in self.entities),
            spans=tuple(Span(start, end) for start, end in self.spans),
            extractor=self.extractor,
            unsupported=self.unsupported,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            qualifiers=tuple(self.qualifiers.items()),
        )
