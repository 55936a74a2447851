"""Routes for entity resolution: review candidates, make, list and undo decisions."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Annotated, Any, assert_never

from fastapi import APIRouter, Body, Query
from starlette.responses import Response

from polyadic.errors import DecisionRefused, NotFound
from polyadic.resolution.api import SHOWN
from polyadic.resolution.apply_decisions import DecisionOutcome
from polyadic.server.dependencies import Name, ReadingAll, Served, Writing
from polyadic.server.problem_details import ProblemError, not_found
from polyadic.server.resolution_views import (
    CannotLinkRequest,
    DecisionList,
    DecisionOutcomeView,
    DecisionRequest,
    KeepRequest,
    MergeRequest,
    RenameRequest,
    ReviewView,
    SplitRequest,
    decision_view,
    outcome_view,
    review_of,
)
from polyadic.server.schemas import Identifier
from polyadic.workspace import Workspace

router = APIRouter(prefix="/v1/workspaces/{workspace}/resolution", tags=["entity resolution"])
_EXAMPLES = [
    {"kind": "merge", "names": ["IMF", "International Monetary Fund"], "into": "International Monetary Fund"},
    {"kind": "rename", "name": "IMF", "into": "International Monetary Fund"},
    {
        "kind": "split",
        "name": "Mercury",
        "into": "Mercury (planet)",
        "documents": ["5f0c7d2a9b31e8445f0c7d2a9b31e844"],
    },
    {"kind": "cannot-link", "names": ["Venus", "Jupiter"]},
    {"kind": "keep", "name": "Armstrong"},
]


@router.get("/review", summary="Review candidate pairs")
async def review(
    workspace: Name,
    kb: ReadingAll,
    service: Served,
    start: Annotated[int, Query(ge=0, le=2**31, description="`next` of the previous page")] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = SHOWN,
) -> ReviewView:
    """List pairs of entities that may be the same, with the evidence of both, in pages; the first has ambiguous names.

    Calls no model.
    """
    return await service.run_admitted(review_of, kb, start, limit)


@router.get("/decisions", summary="List decisions")
def decisions(workspace: Name, kb: ReadingAll) -> DecisionList:
    """List the decisions in force, oldest first."""
    return DecisionList(decisions=[decision_view(decision, at) for decision, at in kb.entities.decisions()])


@router.post("/decisions", summary="Make a decision")
async def decide(
    workspace: Name,
    decision: Annotated[DecisionRequest, Body(examples=_EXAMPLES)],
    kb: Writing,
    service: Served,
) -> DecisionOutcomeView:
    """Merge, rename or split entities, forbid merging two, or keep an ambiguous name as one.

    The evidence stays unchanged, and no model is called. 404 if a name is unknown or ambiguous, 409 if the decision
    contradicts another one or while documents are being indexed.
    """
    if isinstance(decision, SplitRequest):
        await asyncio.to_thread(_check_documents, kb, decision.documents)
    try:
        return outcome_view(await service.work.run(_decided(kb, decision)))
    except DecisionRefused as refused:
        raise ProblemError(409, "decision-refused", refused.what) from refused
    except NotFound as missing:
        detail = "a name is unknown or ambiguous, or no fact of a document to split has it"
        raise ProblemError(404, "not-found", detail) from missing


@router.delete("/decisions/{decision}", status_code=204, summary="Undo a decision", response_class=Response)
async def undo(workspace: Name, decision: Identifier, kb: Writing, service: Served) -> None:
    """Afterwards the workspace is as if the decision had never been made."""
    try:
        await service.work.run(kb.entities.aundo(decision))
    except NotFound as missing:
        raise not_found("decision") from missing


def _decided(kb: Workspace, decision: DecisionRequest) -> Coroutine[Any, Any, DecisionOutcome]:
    match decision:
        case MergeRequest():
            return kb.entities.amerge(decision.names, decision.into)
        case RenameRequest():
            return kb.entities.arename(decision.name, decision.into)
        case SplitRequest():
            return kb.entities.asplit(decision.name, decision.into, decision.documents)
        case CannotLinkRequest():
            return kb.entities.acannot_link(*decision.names)
        case KeepRequest():
            return kb.entities.akeep(decision.name)
        case _:
            assert_never(decision)


def _check_documents(kb: Workspace, identifiers: Sequence[str]) -> None:
    with kb.store().read() as reader:
        if not all(reader.records.record(identifier) for identifier in identifiers):
            raise not_found("document")
