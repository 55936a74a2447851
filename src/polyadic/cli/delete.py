"""polyadic delete: withdraw a document."""

import click

from polyadic.cli.common import json_option, print_json, shown, workspace_folder, workspace_option
from polyadic.workspace import Workspace


@click.command("delete")
@click.argument("document", metavar="DOC")
@workspace_option
@json_option
@click.pass_context
def command(context: click.Context, document: str, workspace: str | None, as_json: bool) -> None:
    """Withdraw DOC (path, title or identifier), with all that only it supports. No model is asked."""
    with Workspace(workspace_folder(context, workspace)) as kb:
        record = kb.delete(document)
    if as_json:
        print_json(record)
    else:
        click.echo(f"withdrew {shown(record.source)} ({record.chunks} chunks, {record.facts} facts rested on it)")
