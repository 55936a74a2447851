"""Route for Prometheus metrics."""

from fastapi import APIRouter
from starlette.responses import Response

from polyadic.server.dependencies import Caller, Served
from polyadic.server.problem_details import ProblemError

router = APIRouter(tags=["server"])


@router.get(
    "/metrics",
    summary="Get metrics for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(service: Served, key: Caller) -> Response:
    """Needs a key for all workspaces without a document filter, because the metrics cover all of them together."""
    if not key.opens_all or key.where:
        raise ProblemError(403, "not-for-this-key", "this needs a key with access to all workspaces and documents")
    return Response(await service.figures(), media_type=service.metrics.content_type)
