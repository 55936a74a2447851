"""Build the views of entity resolution for clients."""

from collections.abc import Mapping

import numpy as np

from polyadic.model.identity import entity_id, entity_key
from polyadic.model.resolution import ResolutionDecision
from polyadic.model.types import Fact, SourceSpan
from polyadic.query.lookup import facts_of_all, row_of_key
from polyadic.resolution.apply import DecisionOutcome
from polyadic.resolution.candidates import CandidateEntity, MergeCandidate
from polyadic.resolution.homonyms import Homonym
from polyadic.server.resolution_schemas import (
    CandidateSide,
    CandidateView,
    DecisionOutcomeView,
    DecisionView,
    EvidencePlace,
    EvidenceView,
    HomonymView,
    ReviewView,
    SenseView,
)
from polyadic.storage.protocol import Reader
from polyadic.workspace import Workspace

_FACTS_SHOWN = 3


def review_of(kb: Workspace, limit: int) -> ReviewView:
    """Return the candidate pairs with the evidence of both entities, and the homonyms. Calls no model.

    Parameters
    ----------
    kb
        The workspace.
    limit
        Maximum number of pairs.
    """
    found = kb.entities.review(limit)
    with kb.store().read() as reader:
        identifiers = {record.source: record.id for record in reader.records.documents()}
        return ReviewView(
            candidates=[_candidate(reader, candidate) for candidate in found.candidates],
            homonyms=[_homonym(homonym, identifiers) for homonym in found.homonyms],
            total=found.total,
            certain=found.certain,
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


def _homonym(homonym: Homonym, identifiers: Mapping[str, str]) -> HomonymView:
    senses = [
        SenseView(
            name=sense.name,
            documents=[identifiers[source] for source in sense.documents if source in identifiers],
            description=sense.description,
            fact=sense.fact,
        )
        for sense in homonym.senses
    ]
    return HomonymView(name=homonym.name, why=homonym.why, senses=senses)
