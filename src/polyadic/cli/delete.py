"""polyadic delete: withdraw a document, or all rows of a file."""

import click

from polyadic.cli.common import count, json_option, print_json, say, shown, workspace_option, workspace_place
from polyadic.store.protocol import DocumentRecord
from polyadic.workspace import Workspace


@click.command("delete")
@click.argument("document", metavar="DOC")
@click.option("--forget-replies", is_flag=True, help="Forget what language models replied, of all documents.")
@workspace_option
@json_option
@click.pass_context
def command(context: click.Context, document: str, forget_replies: bool, workspace: str | None, as_json: bool) -> None:
    """Withdraw DOC (path, title or identifier), with all that only it supports. No model is asked.

    The path of a .jsonl, .csv or imported file means all of its rows, notes/papers.jsonl#7 one of them. Replies of
    language models stay remembered, so that adding the document again costs nothing, unless they are to be forgotten.
    """
    with Workspace(workspace_place(context, workspace)) as kb:
        records = kb.delete(document, forget_replies)
    if as_json:
        print_json(records)
    else:
        _print_sum(document, records)


def _print_sum(document: str, records: list[DocumentRecord]) -> None:
    if len(records) == 1:
        record = records[0]
        rested = f"{count(record.chunks, 'chunk')}, {count(record.facts, 'fact')} rested on it"
        say(f"withdrew {shown(record.source)} ({rested})")
    else:
        chunks = sum(record.chunks for record in records)
        say(f"withdrew {count(len(records), 'document')}, the rows of {document} ({count(chunks, 'chunk')})")
