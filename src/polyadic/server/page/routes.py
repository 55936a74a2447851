"""Routes for the static files of the web page, which need no key: they contain no workspace data.

Files are read from disk for each request, so that a stale version is never served. Browsers revalidate their cached
copy by ETag and get a 304 without content if it is current.
"""

from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType

from fastapi import APIRouter, Request
from starlette.responses import Response

from polyadic.server.problem_details import no_such_workspace

FILES = Path(__file__).parent / "files"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
"""Content security policy: load from and connect to this server only; scripts in document text cannot run."""

_TYPES = MappingProxyType(
    {
        ".html": "text/html; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".svg": "image/svg+xml",
    }
)
router = APIRouter(include_in_schema=False)


@router.api_route("/", methods=["GET", "HEAD"])
def index(request: Request) -> Response:
    """Serve the page."""
    return _file("index.html", request)


@router.api_route("/docs", methods=["GET", "HEAD"])
def reference(request: Request) -> Response:
    """Serve the page of the API reference; its script reads the OpenAPI description with the key of the user."""
    return _file("reference.html", request)


@router.api_route("/page/{name}", methods=["GET", "HEAD"])
def file(name: str, request: Request) -> Response:
    """Serve a script, style sheet or image of the page."""
    return _file(name, request)


def is_of_page(path: str) -> bool:
    """Return whether a path belongs to the page, which needs no key.

    >>> [is_of_page(path) for path in ("/", "/docs", "/page/main.js", "/pages", "/v1/workspaces")]
    [True, True, True, False, False]
    """
    return path in ("/", "/docs") or path.startswith("/page/")


def _file(name: str, request: Request) -> Response:
    # Look the name up in the directory listing instead of joining paths, to prevent path traversal.
    match = {path.name: path for path in FILES.iterdir() if path.suffix in _TYPES}.get(name)
    if match is None:
        raise no_such_workspace()
    content = match.read_bytes()
    tag = f'"{blake2b(content, digest_size=16).hexdigest()}"'
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache", "ETag": tag}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=_TYPES[match.suffix])
