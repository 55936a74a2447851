"""Routes for monitoring: liveness and readiness probes, and Prometheus metrics."""

from fastapi import APIRouter
from starlette.responses import Response

from polyadic.server.dependencies import Caller, Served
from polyadic.server.problem_details import ProblemError
from polyadic.server.schemas import Health

probes_router = APIRouter(tags=["server"])
"""Routes that need no key."""
metrics_router = APIRouter(tags=["server"])


@probes_router.get("/health", summary="Check liveness")
async def health() -> Health:
    """Needs no key."""
    return Health()


@probes_router.get("/ready", summary="Check readiness")
async def ready(service: Served) -> Health:
    """Needs no key; 503 while it starts, while it stops, and while its database does not answer."""
    if not service.ready:
        raise ProblemError(503, "not-ready", "the server is starting or stopping", {"Retry-After": "5"})
    if service.tenants.failure() is not None:
        raise ProblemError(503, "not-ready", "the database does not answer", {"Retry-After": "2"})
    return Health()


@metrics_router.get(
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
