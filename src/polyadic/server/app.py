"""The ASGI application: routers, middleware and lifespan.

To add another protocol, write a router (or a mounted ASGI app) that uses :class:`ServerState`. The router gets the API
key from the request state, where the authentication middleware put it, and opens workspaces with
``service.workspaces.opened`` only.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI
from fastapi.security import HTTPBearer
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware

from polyadic import __version__
from polyadic.server import lightrag_query, openai_compat, problem_details
from polyadic.server.access_log import RequestLogMiddleware
from polyadic.server.auth import AuthMiddleware
from polyadic.server.body_limits import RequestLimitMiddleware
from polyadic.server.mcp_mount import add_agents
from polyadic.server.openapi import add_openapi_details, operation_id
from polyadic.server.page import routes as page
from polyadic.server.routes import (
    catalogue,
    documents,
    export,
    graph,
    health_check,
    hierarchy,
    jobs,
    monitoring,
    pages,
    query,
    resolution,
    watched_folders,
    workspaces,
)
from polyadic.server.server_state import ServerState
from polyadic.server.tracing_middleware import TracingMiddleware
from polyadic.tracing.spans import is_listened

_SUMMARY = "Answers with citations from your documents, based on knowledge hypergraphs of n-ary facts."
ROUTERS = (
    workspaces.router,
    documents.router,
    pages.router,
    jobs.router,
    watched_folders.router,
    query.router,
    graph.router,
    catalogue.router,
    hierarchy.router,
    resolution.router,
    health_check.router,
    export.router,
    openai_compat.router,
    lightrag_query.router,
    lightrag_query.named_router,
    monitoring.metrics_router,
)
_SMALLEST_COMPRESSED = 1000
_COMPRESSION = 5
_REQUEST_HEADERS = (
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "LIGHTRAG-WORKSPACE",
    "X-API-Key",
    "X-Request-ID",
)
_RESPONSE_HEADERS = ("Content-Disposition", "Location", "Retry-After", "X-Request-ID")
_BEARER = HTTPBearer(
    auto_error=False, description="An API key created with `polyadic keys add`; it can also be sent as X-API-Key."
)


def create_app(service: ServerState) -> FastAPI:
    """Create the application for a service; the application's lifespan starts and stops the service."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        # ``agents`` is assigned below, before the lifespan starts.
        async with service.running(), agents():
            yield

    app = FastAPI(
        title="Polyadic",
        summary=_SUMMARY,
        version=__version__,
        lifespan=life,
        openapi_url="/v1/openapi.json",
        # Swagger UI and ReDoc load scripts from other hosts.
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=operation_id,
        # FastAPI's own spans contain full URLs, which may hold user input; TracingMiddleware records less.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.service = service
    app.include_router(monitoring.probes_router)
    app.include_router(page.router)
    app.include_router(lightrag_query.status_router)
    for router in ROUTERS:
        # AuthMiddleware checks the key; this only adds the scheme to the OpenAPI description.
        app.include_router(router, dependencies=[Depends(_BEARER)])
    agents = add_agents(app, service)
    problem_details.install(app)
    add_openapi_details(app)
    # The middleware added last is the outermost. Event streams are not compressed.
    app.add_middleware(GZipMiddleware, minimum_size=_SMALLEST_COMPRESSED, compresslevel=_COMPRESSION)
    app.add_middleware(RequestLimitMiddleware, limits=service.limits)
    app.add_middleware(AuthMiddleware, service=service)
    if service.allowed_origins:
        # Outside AuthMiddleware: browsers send no key before they know that a request is allowed.
        app.add_middleware(
            CORSMiddleware,
            allow_origins=sorted(service.allowed_origins),
            allow_methods=("GET", "POST", "PUT", "DELETE"),
            allow_headers=_REQUEST_HEADERS,
            expose_headers=_RESPONSE_HEADERS,
        )
    app.add_middleware(RequestLogMiddleware, metrics=service.metrics)
    if is_listened():
        app.add_middleware(TracingMiddleware)
    return app
