"""Build the views of entity resolution for clients."""

from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np

from polyadic.model.identity import entity_id, entity_key
from polyadic.model.resolution import ResolutionDecision
from polyadic.model.types import Fact, SourceSpan
from polyadic.query.lookup import facts_of_all, row_of_key
from polyadic.resolution.apply_decisions import DecisionOutcome
from polyadic.resolution.homonyms import Homonym
from polyadic.resolution.merge_candidates import CandidateEntity, MergeCandidate
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
_MOST_HOMONYMS = 200
# Among these facts of an ambiguous name, the evidence of each sense is found.
_FACTS_OF_NAME = 200


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
