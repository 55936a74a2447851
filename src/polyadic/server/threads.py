"""Plain work of a request, on a thread and within a turn."""

import asyncio
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from polyadic.server.service import ServerState
from polyadic.workspace import Workspace

P = ParamSpec("P")
T = TypeVar("T")


async def run_in_worker_thread(
    service: ServerState, work: Callable[Concatenate[Workspace, P], T], kb: Workspace, *given: P.args, **named: P.kwargs
) -> T:
    """What a function returns; Refused (503, 504) where too much waits, or where it takes too long."""
    async with service.turns.turn(kb.name):
        return await asyncio.to_thread(work, kb, *given, **named)
