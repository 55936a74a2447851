"""polyadic estimate: what indexing would cost."""

from pathlib import Path

import click

from polyadic.cli.common import count, json_option, print_json, say, shown, spent, workspace_folder, workspace_option
from polyadic.construction.choice import ExtractorName
from polyadic.construction.estimating import Estimate
from polyadic.workspace import Workspace


@click.command("estimate")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--extractor", type=click.Choice(["model", "sentences"]), help="As for polyadic index.")
@workspace_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    paths: tuple[str, ...],
    extractor: ExtractorName | None,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Say what indexing PATHs would cost: calls, tokens, money and time. Nothing is spent."""
    with Workspace(workspace_folder(context, workspace)) as kb:
        return print_estimate(kb.estimate([Path(path) for path in paths], extractor), as_json)


def print_estimate(found: Estimate, as_json: bool) -> int:
    """Print an estimate; returns the exit code."""
    if as_json:
        print_json(found)
    else:
        _print(found)
    return 3 if found.skipped and found.documents else int(bool(found.skipped))


def _print(found: Estimate) -> None:
    say(f"{count(found.documents, 'document')} to read, {found.unchanged:,} unchanged; {count(found.chunks, 'chunk')}")
    say(f"by {found.extractor}: {spent(found.usage) if found.usage.calls else 'no language model is asked'}")
    if found.remembered:
        say(f"{count(found.remembered, 'reply', 'replies')} of an earlier run are known already")
    if found.basis:
        say(f"({found.basis})")
    if found.embedding_usage.calls:
        say(f"embedding: {spent(found.embedding_usage)}")
    say(f"about {count(found.texts_to_embed, 'text')} to embed; about {duration(found.seconds)} in all")
    for skipped in found.skipped:
        say(f"not read: {shown(str(skipped))}", err=True)


def duration(seconds: float) -> str:
    """
    >>> duration(8), duration(600), duration(7260)
    ('8 s', '10 min', '2 h 1 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
