"""polyadic mcp: let an agent ask the workspace, over standard input and output."""

import asyncio
import sys

import click

from polyadic.cli.common import say, workspace_option, workspace_place
from polyadic.workspace import Workspace


@click.command("mcp")
@click.option("--write", is_flag=True, help="Let the client add documents as well.")
@workspace_option
@click.pass_context
def command(context: click.Context, write: bool, workspace: str | None) -> None:
    """Serve the workspace to one client of the Model Context Protocol, over standard input and output.

    The client starts this command itself: docs/mcp.md shows what to write into its settings.
    """
    if sys.stdin.isatty():
        say("waiting for an MCP client on standard input; Ctrl-D ends this (docs/mcp.md)", err=True)
    asyncio.run(_served(Workspace(workspace_place(context, workspace)), write))


async def _served(workspace: Workspace, may_write: bool) -> None:
    # Imported late: it is not always installed.
    from polyadic.mcp import serve_stdio

    async with workspace:
        await serve_stdio(workspace, may_write)
