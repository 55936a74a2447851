"""Blocking work of a request, run in a thread and under admission control."""

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
    """Run a function in a worker thread and return its result.

    Raises
    ------
    ProblemError
        Too many requests are waiting (503), or this one took too long (504).
    """
    async with service.turns.turn(kb.name):
        return await asyncio.to_thread(work, kb, *given, **named)
