"""Whether the server is there, and whether it is ready."""

from fastapi import APIRouter

from polyadic.serving.access import Served
from polyadic.serving.problems import Refused
from polyadic.serving.schemas import Health

router = APIRouter(tags=["server"])


@router.get("/health", summary="Whether the server is there")
async def health() -> Health:
    """Needs no key."""
    return Health()


@router.get("/ready", summary="Whether the server takes requests")
async def ready(service: Served) -> Health:
    """Needs no key; 503 while it starts and while it stops."""
    if not service.ready:
        raise Refused(503, "not-ready", "the server is starting or stopping", {"Retry-After": "5"})
    return Health()
