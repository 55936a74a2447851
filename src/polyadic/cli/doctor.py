"""``polyadic doctor``: check disk, store and models."""

import click

from polyadic.cli.common import json_option, print_json, say, workspace_option, workspace_place
from polyadic.doctor.check_result import CheckResult, Severity
from polyadic.doctor.checks import TIMEOUT
from polyadic.workspace import Workspace

_MARKS = {Severity.GOOD: "✓", Severity.DOUBTFUL: "!", Severity.BAD: "✗"}


@click.command("doctor")
@click.option("--whole-window", is_flag=True, help="Test the model's whole context window, even beyond 32,000 tokens.")
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=TIMEOUT,
    show_default=True,
    help="Time limit of all model checks together; checks that it cuts off are listed.",
)
@workspace_option
@json_option
@click.pass_context
def command(context: click.Context, whole_window: bool, timeout: float, workspace: str | None, as_json: bool) -> int:
    """Check disk, store, embedding model and language models. Nothing is changed.

    Each language model that is set gets a few short requests and a long one. Exit code 1: a check failed.
    """
    findings: list[CheckResult] = []
    with Workspace(workspace_place(context, workspace)) as kb:
        for finding in kb.examine(whole_window, timeout):
            findings.append(finding)
            if not as_json:
                _print(finding)
    if as_json:
        print_json(findings)
    return int(any(finding.state is Severity.BAD for finding in findings))


def _print(finding: CheckResult) -> None:
    say(f"{_MARKS[finding.state]} {finding.what:10} {finding.detail}")
    if finding.next_step:
        say(f"  {'':10} → {finding.next_step}")
