"""Requests and views of entity resolution for clients. Documents are named by their identifiers."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from polyadic.model.identity import entity_id, entity_key
from polyadic.model.resolution import DecisionKind, ResolutionDecision
from polyadic.model.types import Fact, SourceSpan
from polyadic.query.lookup import facts_of_all, row_of_key
from polyadic.resolution.apply_decisions import DecisionOutcome
from polyadic.resolution.homonyms import Homonym
from polyadic.resolution.merge_candidates import CandidateEntity, MergeCandidate
from polyadic.server.schemas import ApiRequest, Identifier
from polyadic.storage.protocol import Reader
from polyadic.workspace import Workspace

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

_FACTS_SHOWN = 3
_MOST_HOMONYMS = 200
# Among these facts of an ambiguous name, the evidence of each sense is found.
_FACTS_OF_NAME = 200


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


def review_of(kb: Workspace, start: int, limit: int) -> ReviewView:
    """Return the candidate pairs with the evidence of both entities, and the homonyms. Calls no model.

    Parameters
    ----------
    kb
        The workspace.
    start, limit
        Number of pairs to leave out, and maximum number of pairs. Homonyms are on the first page only.
    """
    found = kb.entities.review(limit, start=start)
    end = start + limit
    with kb.store().read() as reader:
        identifiers = {record.source: record.id for record in reader.records.documents()}
        return ReviewView(
            candidates=[_candidate(reader, candidate) for candidate in found.candidates],
            homonyms=[
                _homonym(reader, homonym, identifiers) for homonym in found.homonyms[: 0 if start else _MOST_HOMONYMS]
            ],
            total=found.total,
            certain=found.certain,
            next=end if end < found.total else None,
        )


def decision_view(decision: ResolutionDecision, at: str = "") -> DecisionView:
    entity = entity_id(entity_key(decision.into)) if decision.into else ""
    return DecisionView(
        id=decision.id,
        kind=decision.kind,
        names=list(decision.names),
        into=decision.into,
        documents=list(decision.documents),
        entity=entity,
        at=at,
    )


def outcome_view(outcome: DecisionOutcome) -> DecisionOutcomeView:
    return DecisionOutcomeView(
        decided=list(map(decision_view, outcome.decided)),
        undone=list(map(decision_view, outcome.undone)),
        already_applied=list(map(decision_view, outcome.already_applied)),
    )


def _candidate(reader: Reader, candidate: MergeCandidate) -> CandidateView:
    return CandidateView(
        id=candidate.id,
        score=candidate.score,
        why=candidate.why,
        one=_side(reader, candidate.one),
        other=_side(reader, candidate.other),
    )


def _side(reader: Reader, about: CandidateEntity) -> CandidateSide:
    key = entity_key(about.name)
    # The entity may have been merged since the pairs were found.
    row = row_of_key(reader, key)
    rows = np.zeros(0, dtype=np.int64) if row is None else facts_of_all(reader, [row], _FACTS_SHOWN)
    return CandidateSide(
        id=entity_id(key),
        name=about.name,
        type=about.type,
        description=about.description,
        facts=about.facts,
        evidence=[_evidence(*one) for one in zip(reader.facts(rows), reader.fact_places(rows), strict=True)],
    )


def _evidence(fact: Fact, places: tuple[SourceSpan, ...]) -> EvidenceView:
    return EvidenceView(
        fact=fact,
        places=[
            EvidencePlace(
                document=place.document_id,
                title=place.title,
                start=place.span.start,
                end=place.span.end,
                quote=place.quote,
            )
            for place in places
        ],
    )


def _homonym(reader: Reader, homonym: Homonym, identifiers: Mapping[str, str]) -> HomonymView:
    row = row_of_key(reader, entity_key(homonym.name))
    rows = np.zeros(0, dtype=np.int64) if row is None else facts_of_all(reader, [row], _FACTS_OF_NAME)
    stated = list(zip(reader.facts(rows), reader.fact_places(rows), strict=True))
    senses = []
    for sense in homonym.senses:
        documents = [identifiers[source] for source in sense.documents if source in identifiers]
        senses.append(
            SenseView(
                name=sense.name,
                documents=documents,
                description=sense.description,
                fact=sense.fact,
                evidence=_evidence_in(stated, frozenset(documents)),
            )
        )
    return HomonymView(name=homonym.name, why=homonym.why, senses=senses)


def _evidence_in(
    stated: Sequence[tuple[Fact, tuple[SourceSpan, ...]]], documents: frozenset[str]
) -> list[EvidenceView]:
    """Return the best facts that these documents state, with the places in them."""
    found = ((fact, tuple(place for place in places if place.document_id in documents)) for fact, places in stated)
    return [_evidence(fact, places) for fact, places in islice((one for one in found if one[1]), _FACTS_SHOWN)]
