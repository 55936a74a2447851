"""Routes for liveness and readiness probes."""

from fastapi import APIRouter

from polyadic.server.dependencies import Served
from polyadic.server.problem_details import ProblemError
from polyadic.server.schemas import Health

router = APIRouter(tags=["server"])


@router.get("/health", summary="Check liveness")
async def health() -> Health:
    """Needs no key."""
    return Health()


@router.get("/ready", summary="Check readiness")
async def ready(service: Served) -> Health:
    """Needs no key; 503 while it starts, while it stops, and while its database does not answer."""
    if not service.ready:
        raise ProblemError(503, "not-ready", "the server is starting or stopping", {"Retry-After": "5"})
    if service.tenants.failure() is not None:
        raise ProblemError(503, "not-ready", "the database does not answer", {"Retry-After": "2"})
    return Health()
