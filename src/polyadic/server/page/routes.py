"""The files of the page, which anybody may have: they hold nothing of any workspace.

They are read anew for each request, which costs less than to be wrong about which state of them is shown; browsers ask
whether theirs is still the one, and are told so without its content.
"""

from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType

from fastapi import APIRouter, Request
from starlette.responses import Response

from polyadic.server.problem_details import no_such_workspace

FILES = Path(__file__).parent / "files"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
"""What the page may do: load and ask this server alone. Nothing that a document holds can be run."""

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
    """The page itself."""
    return _file("index.html", request)


@router.api_route("/page/{name}", methods=["GET", "HEAD"])
def file(name: str, request: Request) -> Response:
    """One of the files that it loads."""
    return _file(name, request)


def is_of_page(path: str) -> bool:
    """Whether an address is the page's, which asks for no key.

    >>> [is_of_page(path) for path in ("/", "/page/main.js", "/pages", "/v1/workspaces")]
    [True, True, False, False]
    """
    return path == "/" or path.startswith("/page/")


def _file(name: str, request: Request) -> Response:
    # Looked up in what is there rather than joined to a path: no name leads anywhere else.
    found = {path.name: path for path in FILES.iterdir() if path.suffix in _TYPES}.get(name)
    if found is None:
        raise no_such_workspace()
    content = found.read_bytes()
    tag = f'"{blake2b(content, digest_size=16).hexdigest()}"'
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache", "ETag": tag}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=_TYPES[found.suffix])
