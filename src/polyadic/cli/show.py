"""``polyadic show``: print a document, chunk, fact or entity with its context."""

from collections.abc import Callable
from typing import Any

import click

from polyadic.cli.common import (
    json_option,
    print_json,
    say,
    shown,
    visible,
    where,
    workspace_option,
    workspace_place,
)
from polyadic.model.types import SourceSpan, Span
from polyadic.query.lookup import ChunkView, DocumentView, EntityView, FactView
from polyadic.text.counts import count
from polyadic.workspace import Workspace


@click.command("show")
@click.argument("kind", type=click.Choice(["document", "chunk", "fact", "entity"]))
@click.argument("reference", metavar="REF")
@workspace_option
@json_option
@click.pass_context
def command(context: click.Context, kind: str, reference: str, workspace: str | None, as_json: bool) -> None:
    """Print the document, chunk, fact or entity REF: a path, title, name or prefix of an identifier.

    To show a span of a document, append its characters as in citations: notes/computing.md:0-97
    """
    with Workspace(workspace_place(context, workspace)) as kb:
        view = getattr(kb, f"show_{kind}")(reference)
    print_json(view) if as_json else _PRINTERS[kind](view)


def _document(view: DocumentView) -> None:
    document, span = view.document, view.span
    say(f"{shown(document.source)}  {document.title}", bold=True)
    for name, value in document.metadata.items():
        say(f"{name}: {value}")
    if span.end - span.start < len(document.text):
        say(f"characters {span.start}–{span.end} of {len(document.text):,}\n")
        _print_quote(view.before, document.text[span.start : span.end], view.after, span, len(document.text))
    else:
        say(f"{count(view.record.chunks, 'chunk')}, {count(view.record.facts, 'fact')}\n\n{document.text}")


def _chunk(view: ChunkView) -> None:
    _print_place(view.place)
    say(f"{count(view.chunk.tokens, 'token')}, {count(len(view.facts), 'fact')}\n")
    _print_quote(view.before, view.chunk.text, view.after, view.chunk.span, view.characters)


def _fact(view: FactView) -> None:
    say(view.fact.text, bold=True)
    readers = ", ".join(sorted({place.extractor for place in view.places if place.extractor}))
    stated = f"stated {count(view.fact.support, 'time')}, read by {readers}"
    say(f"score {view.fact.score:.1f} of 10, {stated}, fact {view.fact.id[:12]}")
    for entity in view.entities:
        say(f"  {entity.name}{f' ({entity.type})' if entity.type else ''}, score {entity.score:.0f} of 100")
    for details in view.details:
        say(f"  {details}")
    for place in view.places:
        _print_place(place)
        say(f"  {' '.join(place.quote.split())}")


def _entity(view: EntityView) -> None:
    entity = view.entity
    say(f"{entity.name}{f' ({entity.type})' if entity.type else ''}", bold=True)
    if entity.description:
        say(entity.description)
    say(f"score {entity.score:.0f} of 100, in {count(entity.facts, 'fact')}, entity {entity.id[:12]}")
    for fact in view.facts:
        say(f"  {fact.id[:12]}  {fact.text}")
    if entity.facts > len(view.facts):
        say(f"  and {entity.facts - len(view.facts):,} more")


def _print_quote(before: str, quote: str, after: str, span: Span, characters: int) -> None:
    """Print the text at a span, highlighted, with the text around it; ``characters`` is the document's length."""
    start = "…" if span.start > len(before) else ""
    end = "…" if span.end + len(after) < characters else ""
    click.echo(f"{start}{visible(before)}{click.style(visible(quote), reverse=True)}{visible(after)}{end}")


def _print_place(place: SourceSpan) -> None:
    say(where(place))


_PRINTERS: dict[str, Callable[[Any], None]] = {
    "document": _document,
    "chunk": _chunk,
    "fact": _fact,
    "entity": _entity,
}
