"""polyadic hierarchy: themes over all facts. Building them, and what they look like."""

import click

from polyadic.cli.common import FiniteFloat, json_option, print_json, workspace_option, workspace_place
from polyadic.cli.hierarchy_outline import print_outline
from polyadic.cli.hierarchy_report import build_exit_code, building_shown, print_build, print_build_estimate
from polyadic.hierarchy.api import By
from polyadic.hierarchy.outline import DEPTH
from polyadic.llm.budget import SpendingBudget
from polyadic.workspace import Workspace


@click.group("hierarchy")
def command() -> None:
    """Themes over all facts: layers of summaries, and communities with reports.

    Broad questions are answered from them (methods hierarchy, global, local and bridge). What changes in the
    workspace is marked stale and told to nobody until the hierarchy is built again (docs/hierarchy.md).
    """


@command.command("build")
@click.option(
    "--by",
    type=click.Choice(["model", "extractive"]),
    help="Written by the language model, or of names and facts alone (default: by a model, if one is named).",
)
@click.option("--anew", is_flag=True, help="Cluster everything anew, and have everything written again.")
@click.option(
    "--budget", type=FiniteFloat(min=0), help="Stop before more money is spent, by the prices in the settings."
)
@click.option("--spend-tokens", type=click.IntRange(min=0), help="Stop before more tokens are spent.")
@click.option("--dry-run", is_flag=True, help="Say what it would cost, and do nothing.")
@workspace_option
@json_option
@click.pass_context
def build(
    context: click.Context,
    by: By | None,
    anew: bool,
    budget: float | None,
    spend_tokens: int | None,
    dry_run: bool,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Bring the hierarchy into line with what the workspace holds.

    Only what is new or stale is written. Stopped or killed, it leaves the hierarchy as it was, and the same command
    goes on without paying for anything twice.
    """
    if dry_run and (budget is not None or spend_tokens is not None):
        raise click.UsageError("--dry-run takes no --budget and no --spend-tokens", context)
    most = SpendingBudget(budget, spend_tokens) if budget is not None or spend_tokens is not None else None
    with Workspace(workspace_place(context, workspace)) as kb:
        if dry_run:
            found = kb.hierarchy.estimate(by, anew)
            print_json(found) if as_json else print_build_estimate(found)
            return 0
        with building_shown() as report_progress:
            report = kb.hierarchy.build(report_progress, by, anew, most)
    print_json(report) if as_json else print_build(report)
    return build_exit_code(report)


@command.command("show")
@click.option(
    "--depth", type=click.IntRange(min=1), default=DEPTH, show_default=True, help="How many levels of each tree."
)
@workspace_option
@json_option
@click.pass_context
def show(context: click.Context, depth: int, workspace: str | None, as_json: bool) -> None:
    """Print the layers, the tree of summaries and the communities, the largest first.

    For people, so many branches of each are shown as fit a screen; --json prints all of them.
    """
    with Workspace(workspace_place(context, workspace)) as kb:
        outline = kb.hierarchy.outline(depth)
    print_json(outline) if as_json else print_outline(outline)
