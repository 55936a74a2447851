"""polyadic status: what the workspace holds."""

import click

from polyadic.cli.common import count, json_option, print_json, say, shown, spent, workspace_option, workspace_place
from polyadic.query.workspace_status import CostLedger, HierarchyStatus, WorkspaceStatus
from polyadic.storage.protocol import DocumentRecord
from polyadic.workspace import Workspace

_BAR = 40
_FAILURES_SHOWN = 10
_DOCUMENTS_SHOWN = 20


@click.command("status")
@click.option("--documents", is_flag=True, help="List the documents.")
@click.option("--ledger", is_flag=True, help="What models were paid: by purpose, by document; each call with --json.")
@click.option(
    "--document",
    metavar="DOC",
    help="With --ledger: only for this document; a path, a title or digits of its identifier.",
)
@workspace_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    documents: bool,
    ledger: bool,
    document: str | None,
    workspace: str | None,
    as_json: bool,
) -> None:
    """Counts, arity distribution, sizes and models of the workspace; with --documents its documents."""
    if (document and not ledger) or (documents and ledger):
        raise click.UsageError("--document goes with --ledger, and --documents without it", context)
    with Workspace(workspace_place(context, workspace)) as kb:
        if documents:
            records = kb.documents()
            print_json(records) if as_json else _print_documents(records)
        elif ledger:
            paid = kb.ledger(document)
            print_json(paid) if as_json else _print_ledger(paid)
        else:
            status = kb.status()
            print_json(status) if as_json else _print_status(status)


def _print_documents(records: list[DocumentRecord]) -> None:
    for record in records:
        title = f"  {record.title}" if record.title else ""
        sizes = f"{count(record.chunks, 'chunk')}, {count(record.facts, 'fact')}"
        failed = f", {record.failed:,} not read" if record.failed else ""
        say(f"{record.id[:12]}  {shown(record.source)}{title}  ({sizes}{failed}, by {record.extractor})")


def _print_ledger(ledger: CostLedger) -> None:
    if not ledger.calls:
        say("no model was paid for anything")
        return
    for paid in ledger.purposes:
        say(f"{paid.purpose} by {paid.model}: {spent(paid.usage)}, {paid.seconds:,.1f} s")
    if not ledger.documents:
        return
    say(f"{count(len(ledger.documents), 'document')}, the dearest first:")
    for cost in ledger.documents[:_DOCUMENTS_SHOWN]:
        source = shown(cost.source) or "no longer there"
        say(f"  {cost.document[:12]}  {source}: {spent(cost.usage)}")
    if len(ledger.documents) > _DOCUMENTS_SHOWN:
        say(f"  and {len(ledger.documents) - _DOCUMENTS_SHOWN:,} more (all of them: --json)")


def _print_status(status: WorkspaceStatus) -> None:
    counts = status.counts
    say(f"workspace  {shown(status.folder)}, {status.bytes / 1e6:.1f} MB")
    say(f"documents  {counts.documents:,} in {count(counts.chunks, 'chunk')}")
    say(f"evidence   {count(counts.evidence, 'statement')}, {counts.stated:,} of them state a fact")
    say(f"facts      {counts.facts:,}, connecting {count(counts.entities, 'entity', 'entities')}", nl=False)
    say(f" ({counts.participations / counts.facts:.1f} a fact)" if counts.facts else "")
    most = max(status.arities.values(), default=0)
    for arity, facts in status.arities.items():
        say(f"  {arity:3} entities  {'█' * max(1, round(_BAR * facts / most))} {facts:,}")
    say(f"vectors    {counts.vectors:,} of {counts.dimension} numbers by {status.embedder}")
    for extractor, documents in status.extractors.items():
        say(f"read by    {extractor}: {count(documents, 'document')}")
    if status.hierarchy:
        _print_hierarchy(status.hierarchy)
    if status.spent.calls:
        say(f"paid for   {spent(status.spent)}")
        for purpose, usage in status.spent_for.items() if len(status.spent_for) > 1 else ():
            say(f"           {purpose}: {spent(usage)}")
    if counts.documents and not counts.facts:
        say(f"no facts   {_why_no_facts(status)}")
    if status.failures:
        say(f"not read   {count(len(status.failures), 'chunk')}, tried again by polyadic index PATH...:")
        for failure in status.failures[:_FAILURES_SHOWN]:
            where = f"{shown(failure.source)}, characters {failure.span.start}–{failure.span.end}"
            say(f"           {where}: {failure.reason}")


def _print_hierarchy(held: HierarchyStatus) -> None:
    layers = " + ".join(f"{number:,}" for number in held.layers) or "no"
    levels = " + ".join(f"{number:,}" for number in held.levels) or "no"
    say(f"hierarchy  {layers} summaries by layer, {levels} communities by level, {count(held.reports, 'report')}")
    if held.extractive:
        say(f"           {held.extractive:,} summaries and reports are extractive, by no language model")
    if held.sparsities:
        say(f"           cluster sparsity by layer: {', '.join(f'{one:.3f}' for one in held.sparsities)}")
    if not held.is_up_to_date:
        stale = (
            f"{count(held.stale_clusters, 'cluster')} and {count(held.stale_communities, 'community', 'communities')}"
        )
        new = f", {count(held.unplaced, 'entity', 'entities')} not in it yet" if held.unplaced else ""
        say(f"           {stale} stale{new}: polyadic hierarchy build renews them")


def _why_no_facts(status: WorkspaceStatus) -> str:
    if status.failures:
        return "the chunks below could not be read"
    if status.counts.evidence:
        return "every statement names fewer than two things; passages are found (method chunks)"
    return "nothing in the documents is a statement; passages are found (method chunks)"
