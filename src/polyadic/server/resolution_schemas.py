"""Request and response schemas of entity resolution. Documents are named by their identifiers."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from polyadic.model.resolution import DecisionKind
from polyadic.model.types import Fact
from polyadic.server.schemas import ApiRequest, Identifier

_ID, _ANOTHER = "5f0c7d2a9b31e8445f0c7d2a9b31e844", "fd620a371432fbae93d0e9448235f29d"
_DECISION = {
    "id": _ID,
    "kind": "merge",
    "names": ["IMF", "International Monetary Fund"],
    "into": "IMF",
    "documents": [],
    "entity": _ANOTHER,
    "at": "2026-01-02T03:04:05+00:00",
}
_SIDE = {"id": _ID, "name": "IMF", "type": "", "description": "", "facts": 2, "evidence": []}
_CANDIDATE = {
    "id": _ID,
    "score": 0.96,
    "why": "one is the first letters of the other",
    "one": _SIDE,
    "other": _SIDE | {"id": _ANOTHER, "name": "International Monetary Fund"},
}


def _example(**values: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [values]})


EntityName = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"\S")]
"""A name, or as a reference to an existing entity also its identifier."""


class MergeRequest(ApiRequest):
    """Merge entities: from now on these names refer to one entity."""

    kind: Literal["merge"]
    names: Annotated[list[EntityName], Field(min_length=2, max_length=200)]
    into: Annotated[str, StringConstraints(max_length=500)] = Field(
        default="", description="name of the merged entity; by default that of the entity with most facts"
    )


class RenameRequest(ApiRequest):
    """Give an entity another name, which must not be the name of another entity."""

    kind: Literal["rename"]
    name: EntityName
    into: EntityName


class SplitRequest(ApiRequest):
    """Let a name refer to another entity in some documents."""

    kind: Literal["split"]
    name: EntityName = Field(description="the name as written in the documents")
    into: EntityName = Field(description="name of the other entity, a new one or an existing one")
    documents: Annotated[list[Identifier], Field(min_length=1, max_length=10_000)]


class CannotLinkRequest(ApiRequest):
    """Forbid merging two entities; they are not proposed again."""

    kind: Literal["cannot-link"]
    names: Annotated[list[EntityName], Field(min_length=2, max_length=2)]


class KeepRequest(ApiRequest):
    """Keep a name as one entity; it is not listed as ambiguous again."""

    kind: Literal["keep"]
    name: EntityName


DecisionRequest = Annotated[
    MergeRequest | RenameRequest | SplitRequest | CannotLinkRequest | KeepRequest, Field(discriminator="kind")
]


class DecisionView(BaseModel):
    """A decision; ``entity`` is the identifier of the entity that it names, empty if it names none.

    A merge of one name is a renaming. ``at`` is the time of the decision (ISO 8601, UTC), where it is known.
    """

    id: str
    kind: DecisionKind
    names: list[str]
    into: str
    documents: list[str]
    entity: str
    at: str = ""


class DecisionList(BaseModel):
    """All decisions in force, oldest first."""

    model_config = _example(decisions=[_DECISION])

    decisions: list[DecisionView]


class DecisionOutcomeView(BaseModel):
    """What changed: new decisions, those that a renaming has replaced, and those that were in force already."""

    model_config = _example(decided=[_DECISION], undone=[], already_applied=[])

    decided: list[DecisionView]
    undone: list[DecisionView]
    already_applied: list[DecisionView]


class EvidencePlace(BaseModel):
    """A place in a document that states a fact."""

    document: str
    title: str
    start: int
    end: int
    quote: str


class EvidenceView(BaseModel):
    """A fact and the places where it is stated."""

    fact: Fact
    places: list[EvidencePlace]


class CandidateSide(BaseModel):
    """An entity of a pair, with its best facts as evidence."""

    id: str
    name: str
    type: str
    description: str
    facts: int
    evidence: list[EvidenceView]


class CandidateView(BaseModel):
    """Two entities that may be the same; ``score`` in [0, 1] estimates how likely that is, ``why`` gives reasons."""

    id: str
    score: float
    why: str
    one: CandidateSide
    other: CandidateSide


class SenseView(BaseModel):
    """One sense of a name, with a distinct name for it, the documents that use it and facts that they state."""

    name: str
    documents: list[str]
    description: str
    fact: str
    evidence: list[EvidenceView]


class HomonymView(BaseModel):
    """A name that may refer to several entities."""

    name: str
    why: str
    senses: list[SenseView]


class ReviewView(BaseModel):
    """Pairs of entities to merge or to keep apart, the most likely first, and names that may need to be split or kept.

    ``total`` counts all pairs, ``certain`` those that ``polyadic entities merge --auto`` would merge. ``next`` is the
    ``start`` of the next page; None on the last page. The first page has all ``homonyms``, at most 200.
    """

    model_config = _example(candidates=[_CANDIDATE], homonyms=[], total=120, certain=1, next=100)

    candidates: list[CandidateView]
    homonyms: list[HomonymView]
    total: int
    certain: int
    next: int | None
