"""polyadic delete: delete documents, all rows of a file, all of a folder, or all that match a pattern."""

import sys

import click

from polyadic.cli.common import count, json_option, print_json, say, shown, workspace_option, workspace_place
from polyadic.storage.protocol import DocumentRecord
from polyadic.workspace import Workspace

_SHOWN = 10


@click.command("delete")
@click.argument("documents", metavar="DOC...", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="List what would be deleted, and delete nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask before more than one document is deleted.")
@click.option("--forget-replies", is_flag=True, help="Forget what language models replied, of all documents.")
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
    """Delete documents from the workspace, with all that only they support. Files stay, and no model is asked.

    DOC is a path, title or identifier; a folder means all documents below it, a .jsonl, .csv or imported file all of
    its rows (notes/papers.jsonl#7 one of them), and a quoted pattern all that match: "notes/*.md", "**/draft-*".

    On a terminal you are asked before more than one document is deleted. Replies of language models stay remembered,
    so that adding a document again costs nothing, unless they are to be forgotten.
    """
    with Workspace(workspace_place(context, workspace)) as kb:
        if dry_run:
            _print_found(kb.find_documents(documents), as_json)
            return
        if not yes and sys.stdin.isatty() and sys.stderr.isatty():
            _confirm(kb.find_documents(documents))
        records = kb.delete(documents, forget_replies)
    if as_json:
        print_json(records)
    else:
        _print_sum(records)


def _print_found(records: list[DocumentRecord], as_json: bool) -> None:
    if as_json:
        print_json(records)
        return
    for record in records:
        say(shown(record.source))
    say(f"would delete {_counted(records)}", err=True)


def _confirm(records: list[DocumentRecord]) -> None:
    """Ask before several documents are deleted; raises click.Abort unless the answer is yes."""
    if len(records) < 2:
        return
    for record in records[:_SHOWN]:
        say(f"  {shown(record.source)}", err=True)
    if len(records) > _SHOWN:
        say(f"  and {len(records) - _SHOWN:,} more", err=True)
    if not click.confirm(f"Delete {_counted(records)}?", err=True):
        raise click.ClickException("nothing was deleted")


def _print_sum(records: list[DocumentRecord]) -> None:
    if len(records) == 1:
        record = records[0]
        rested = f"{count(record.chunks, 'chunk')}, {count(record.facts, 'fact')} rested on it"
        say(f"deleted {shown(record.source)} ({rested})")
    else:
        say(f"deleted {_counted(records)}")


def _counted(records: list[DocumentRecord]) -> str:
    """
    >>> _counted([])
    '0 documents (0 chunks)'
    """
    return f"{count(len(records), 'document')} ({count(sum(record.chunks for record in records), 'chunk')})"
