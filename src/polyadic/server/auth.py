"""Who gets in: before anything of a request's body is read.

Without keys the server is for this machine alone. Programs there need nothing, but a page that a browser there has open
must not reach it: it comes under a name that is not this machine's (a name whose address was changed meanwhile), or
from another origin. A request that came through a proxy is not from this machine, whatever its address.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from polyadic.server.api_keys import LOCAL, ApiKey
from polyadic.server.page.routes import is_of_page
from polyadic.server.problem_details import problem
from polyadic.server.service import ServerState

OPEN = frozenset({"/health", "/ready"})
"""What anybody may ask beside the files of the page: whether the server is there."""

_HERE = frozenset({"localhost", "127.0.0.1", "::1"})
_PROXIED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
_ASK_FOR_KEY = {"WWW-Authenticate": 'Bearer realm="polyadic"'}


class AuthMiddleware:
    """Middleware that puts the key of a request into its state, or turns it away."""

    def __init__(self, app: ASGIApp, service: ServerState) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if (why := self._strange(scope, headers)) is not None:
            await problem(scope, 403, "not-from-here", why)(scope, receive, send)
            return
        key = self._key(headers)
        if key is None and scope["path"] not in OPEN and not is_of_page(scope["path"]):
            told = "a key is needed: send it as Authorization: Bearer KEY"
            await problem(scope, 401, "key-needed", told, _ASK_FOR_KEY)(scope, receive, send)
            return
        scope.setdefault("state", {})["key"] = key
        await self._app(scope, receive, send)

    def _key(self, headers: Headers) -> ApiKey | None:
        if self._service.keys is None:
            return LOCAL
        presented = presented_key(headers)
        return self._service.keys.key_of(presented) if presented else None

    def _strange(self, scope: Scope, headers: Headers) -> str | None:
        """Why a request does not come from where requests may come from; None where it does."""
        host = _name(f"//{headers.get('host', '')}")
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != headers.get("host", ""):
            return "requests of pages of other origins are not answered"
        elsewhere = headers.get("sec-fetch-site") in ("cross-site", "same-site")
        # Anybody may link to the page: it is the same for all, and no other page can look into it.
        if origin is None and elsewhere and not is_of_page(scope["path"]):
            return "requests of pages of other origins are not answered"
        if self._service.keys is not None:
            return None
        if host not in _HERE:
            return "without keys this server answers to localhost alone"
        if any(name in headers for name in _PROXIED):
            return "without keys this server answers nobody through a proxy"
        return None


def presented_key(headers: Mapping[str, str]) -> str:
    """The key that a request shows, as OpenAI's clients or LightRAG's do; empty where it shows none."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "").strip()


def _name(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""
