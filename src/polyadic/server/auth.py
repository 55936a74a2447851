"""Authentication, before anything of a request's body is read.

Without keys the server answers this machine only. Local programs need no key, but a web page open in a local browser
must not reach the server. Such requests carry a host name that is not this machine's (DNS rebinding) or another origin.
Requests through a proxy do not come from this machine, whatever their address.
"""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from polyadic.server.api_keys import LOCAL, ApiKey
from polyadic.server.page.routes import is_of_page
from polyadic.server.problem_details import problem
from polyadic.server.server_state import ServerState

OPEN = frozenset({"/health", "/ready", "/auth-status"})
"""Paths that need no key, in addition to the files of the web page and ``/lightrag/NAME/auth-status``."""

_LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
_PROXY_HEADERS = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="polyadic"'}


class AuthMiddleware:
    """Middleware that stores the API key of a request in its state, or refuses the request."""

    def __init__(self, app: ASGIApp, service: ServerState) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if (reason := self._refusal(scope, headers)) is not None:
            await problem(scope, 403, "not-from-here", reason)(scope, receive, send)
            return
        key = self._key(headers)
        if key is None and not _is_open(scope["path"]):
            detail = "an API key is required: send it as Authorization: Bearer KEY"
            await problem(scope, 401, "key-needed", detail, _CHALLENGE)(scope, receive, send)
            return
        scope.setdefault("state", {})["key"] = key
        await self._app(scope, receive, send)

    def _key(self, headers: Headers) -> ApiKey | None:
        if self._service.keys is None:
            return LOCAL
        # Clients of LightRAG send the bearer token of a guest beside the key.
        accepted = (self._service.keys.key_of(presented) for presented in presented_keys(headers))
        return next((key for key in accepted if key is not None), None)

    def _refusal(self, scope: Scope, headers: Headers) -> str | None:
        """Return why the origin of a request is not allowed; None if it is."""
        host = _host_of(f"//{headers.get('host', '')}")
        origin = headers.get("origin")
        is_own = origin is not None and origin.partition("://")[2] == headers.get("host", "")
        if origin is not None and not is_own and origin not in self._service.allowed_origins:
            return "cross-origin requests are not allowed"
        is_cross_site = headers.get("sec-fetch-site") in ("cross-site", "same-site")
        # Links to the web page are fine: its files are the same for everyone, and other pages cannot read them.
        if origin is None and is_cross_site and not is_of_page(scope["path"]):
            return "cross-origin requests are not allowed"
        if self._service.keys is not None:
            return None
        if host not in _LOCAL_HOSTS:
            return "this server has no API keys, so it answers requests to localhost only"
        if any(name in headers for name in _PROXY_HEADERS):
            return "this server has no API keys, so it refuses requests that come through a proxy"
        return None


def presented_keys(headers: Mapping[str, str]) -> list[str]:
    """Return the keys of a request, sent as a bearer token and in ``X-API-Key``.

    >>> presented_keys({"authorization": "Bearer guest", "x-api-key": "poly-1-2"})
    ['guest', 'poly-1-2']
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    presented = (token.strip() if scheme.lower() == "bearer" else "", headers.get("x-api-key", "").strip())
    return [key for key in presented if key]


def _is_open(path: str) -> bool:
    return path in OPEN or is_of_page(path) or re.fullmatch(r"/lightrag/[^/]+/auth-status", path) is not None


def _host_of(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""
