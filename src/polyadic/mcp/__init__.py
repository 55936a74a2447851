"""Model Context Protocol server for a workspace: tools and resources for agents.

``transports`` serves one client over standard input and output, or many as an ASGI application. Both serve the server
that ``server`` builds from ``tools/`` and ``resources``.

Raises
------
PackageMissing
    The ``mcp`` package is not installed.
"""

from polyadic.errors import PackageMissing

try:
    import mcp  # noqa: F401
except ImportError as error:
    raise PackageMissing("the Model Context Protocol", "mcp", "mcp") from error

from polyadic.mcp.transports import LOOPBACK, asgi, serve_stdio

__all__ = ["LOOPBACK", "asgi", "serve_stdio"]
