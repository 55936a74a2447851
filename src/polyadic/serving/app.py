"""The application: its routes, what stands before them, and its life.

A further way in is a router or a mount that stands on :class:`Service`: it gets the key of a request from its state,
where the door has put it, and the workspace from ``service.workspaces.opened``, nowhere else.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI
from fastapi.security import HTTPBearer

from polyadic import __version__
from polyadic.serving import lightrag_compat, openai_compat, problems
from polyadic.serving.account import Account
from polyadic.serving.agents import add_agents
from polyadic.serving.bodies import Bodies
from polyadic.serving.description import RESPONSES, described
from polyadic.serving.door import Door
from polyadic.serving.page import routes as page
from polyadic.serving.routes import (
    check,
    documents,
    export,
    health,
    jobs,
    knowledge,
    listing,
    metrics,
    query,
    themes,
    workspaces,
)
from polyadic.serving.service import Service
from polyadic.serving.traced import Traced
from polyadic.tracing.spans import is_listened

_SUMMARY = "Cited answers out of documents, from knowledge hypergraphs of n-ary facts."
ROUTERS = (
    workspaces.router,
    documents.router,
    jobs.router,
    query.router,
    knowledge.router,
    listing.router,
    themes.router,
    check.router,
    export.router,
    openai_compat.router,
    lightrag_compat.router,
    lightrag_compat.named_router,
    metrics.router,
)
_BEARER = HTTPBearer(auto_error=False, description="A key that `polyadic keys add` made; also as X-API-Key.")


def create_app(service: Service) -> FastAPI:
    """The application over a service; its lifespan is that of the service."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        async with service.running(), agents():
            yield

    app = FastAPI(
        title="Polyadic",
        summary=_SUMMARY,
        version=__version__,
        lifespan=life,
        openapi_url="/v1/openapi.json",
        # Their pages load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        responses=RESPONSES,
        # Newer ones have spans of their own, which hold what was asked for in addresses; Traced tells less.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.service = service
    app.include_router(health.router)
    app.include_router(page.router)
    for router in ROUTERS:
        # The door asks for the key; this says so in the description.
        app.include_router(router, dependencies=[Depends(_BEARER)])
    agents = add_agents(app, service)
    problems.install(app)
    described(app)
    # The last one added is the first that a request meets.
    app.add_middleware(Bodies, limits=service.limits)
    app.add_middleware(Door, service=service)
    app.add_middleware(Account, metrics=service.metrics)
    if is_listened():
        app.add_middleware(Traced)
    return app
