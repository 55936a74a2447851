"""Whether the server is there, and whether it is ready."""

from fastapi import APIRouter

from polyadic.server.dependencies import Served
from polyadic.server.problem_details import ProblemError
from polyadic.server.schemas import Health

router = APIRouter(tags=["server"])


@router.get("/health", summary="Whether the server is there")
async def health() -> Health:
    """Needs no key."""
    return Health()


@router.get("/ready", summary="Whether the server takes requests")
async def ready(service: Served) -> Health:
    """Needs no key; 503 while it starts and while it stops."""
    if not service.ready:
        raise ProblemError(503, "not-ready", "the server is starting or stopping", {"Retry-After": "5"})
    return Health()
