"""``polyadic mcp``: serve the workspace to an MCP client over standard input and output."""

import asyncio
import sys

import click

from polyadic.cli.common import say, workspace_option, workspace_place
from polyadic.workspace import Workspace


@click.command("mcp")
@click.option("--write", is_flag=True, help="Also allow the client to add documents.")
@workspace_option
@click.pass_context
def command(context: click.Context, write: bool, workspace: str | None) -> None:
    """Serve the workspace to a Model Context Protocol client over standard input and output.

    The client starts this command; docs/mcp.md shows its configuration.
    """
    if sys.stdin.isatty():
        say("waiting for an MCP client on standard input; press Ctrl-D to stop (docs/mcp.md)", err=True)
    asyncio.run(_serve(Workspace(workspace_place(context, workspace)), write))


async def _serve(workspace: Workspace, may_write: bool) -> None:
    # Imported here, because the package is optional.
    from polyadic.mcp import serve_stdio

    async with workspace:
        await serve_stdio(workspace, may_write)
