"""Plain work of a request, on a thread and within a turn."""

import asyncio
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from polyadic.serving.service import Service
from polyadic.workspace import Workspace

P = ParamSpec("P")
T = TypeVar("T")


async def aside(
    service: Service, work: Callable[Concatenate[Workspace, P], T], kb: Workspace, *given: P.args, **named: P.kwargs
) -> T:
    """What a function returns; Refused (503, 504) where too much waits, or where it takes too long."""
    async with service.turns.turn(kb.name):
        return await asyncio.to_thread(work, kb, *given, **named)
