"""``polyadic export``: export the workspace to another format."""

import sys
from pathlib import Path

import click

from polyadic.cli.common import say, shown, workspace_option, workspace_place
from polyadic.interchange.export import WRITERS, export_file, export_tables, exported
from polyadic.text.counts import count
from polyadic.workspace import Workspace

_FILE_SUFFIXES = (".csv", ".tsv", ".txt", ".zip")


@click.command("export")
@click.option(
    "--format",
    "name",
    type=click.Choice([*WRITERS, "csv"]),
    required=True,
    help="hif contains documents, evidence and decisions; csv is a folder of tables for Neo4j's import tool.",
)
@click.option("-o", "--output", metavar="FILE", help="Output file or folder (default: standard output).")
@workspace_option
@click.pass_context
def command(context: click.Context, name: str, output: str | None, workspace: str | None) -> None:
    """Export the workspace to another format (docs/interchange.md).

    The output is deterministic: the same documents and facts give the same bytes.
    """
    if name == "csv":
        _check_folder(output)
    with Workspace(workspace_place(context, workspace)) as kb:
        if output is None:
            sys.stdout.buffer.writelines(exported(kb, name))
            sys.stdout.buffer.flush()
        elif name == "csv":
            written = export_tables(kb, Path(output))
            say(f"{count(len(written), 'file')} written to the folder {shown(output)}")
        else:
            export_file(kb, name, Path(output))


def _check_folder(output: str | None) -> None:
    """Raise a usage error unless the output of csv can be a folder."""
    if output is None:
        raise click.UsageError("csv writes several files: name a folder with -o")
    path = Path(output)
    if path.is_file() or (path.suffix.lower() in _FILE_SUFFIXES and not path.is_dir()):
        raise click.UsageError(
            f"csv writes several files into a folder, and {shown(output)} is a file name: name a folder"
        )
