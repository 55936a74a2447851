"""``polyadic delete``: delete documents by reference, folder or pattern."""

import sys

import click

from polyadic.cli.common import json_option, print_json, say, shown, workspace_option, workspace_place
from polyadic.storage.protocol import DocumentRecord
from polyadic.text.counts import count
from polyadic.workspace import Workspace

_SHOWN = 10


@click.command("delete")
@click.argument("documents", metavar="DOC...", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Only list the documents that would be deleted.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--forget-replies", is_flag=True, help="Also delete the cached model replies of all documents.")
@workspace_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    documents: tuple[str, ...],
    dry_run: bool,
    yes: bool,
    forget_replies: bool,
    workspace: str | None,
    as_json: bool,
) -> None:
    """Delete documents from the workspace, and the facts that no other document supports. The files stay.

    DOC is a path, title or identifier. A folder stands for all documents below it, a .jsonl, .csv or imported file
    for all of its rows (notes/papers.jsonl#7 for one row), and a quoted pattern for all matches: "notes/*.md",
    "**/draft-*".

    On a terminal, deleting more than one document needs confirmation. Model replies stay in the cache, so that
    adding a document again costs nothing, unless --forget-replies is given.
    """
    with Workspace(workspace_place(context, workspace)) as kb:
        if dry_run:
            _print_matches(kb.find_documents(documents), as_json)
            return
        if not yes and sys.stdin.isatty() and sys.stderr.isatty():
            _confirm(kb.find_documents(documents))
        records = kb.delete(documents, forget_replies)
    if as_json:
        print_json(records)
    else:
        _print_deleted(records)


def _print_matches(records: list[DocumentRecord], as_json: bool) -> None:
    if as_json:
        print_json(records)
        return
    for record in records:
        say(shown(record.source))
    say(f"would delete {count(len(records), 'document')}", err=True)


def _confirm(records: list[DocumentRecord]) -> None:
    """Ask for confirmation if several documents match; raise click.ClickException if it is denied."""
    if len(records) < 2:
        return
    for record in records[:_SHOWN]:
        say(f"  {shown(record.source)}", err=True)
    if len(records) > _SHOWN:
        say(f"  and {len(records) - _SHOWN:,} more", err=True)
    if not click.confirm(f"Delete {count(len(records), 'document')}?", err=True):
        raise click.ClickException("nothing was deleted")


def _print_deleted(records: list[DocumentRecord]) -> None:
    if len(records) == 1:
        say(f"deleted {shown(records[0].source)}")
    else:
        say(f"deleted {count(len(records), 'document')}")
