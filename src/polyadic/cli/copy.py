"""polyadic copy: take a workspace to another place, be it a folder or a database."""

import click

from polyadic.cli.common import count, json_option, print_json, say
from polyadic.cli.progress import shown_live
from polyadic.interchange.workspace_copy import CopyProgress, CopyReport, copy
from polyadic.storage.url import home_of

_TOLD = {
    "document": ("document", "documents"),
    "fact": ("fact", "facts"),
    "entity": ("entity", "entities"),
    "vector": ("vector", "vectors"),
    "call": ("paid call", "paid calls"),
}


@click.command("copy")
@click.argument("source", metavar="SRC")
@click.argument("destination", metavar="DST")
@json_option
def command(source: str, destination: str, as_json: bool) -> None:
    """Copy the workspace SRC to DST, a folder or an address (postgresql://…#NAME) with no workspace yet.

    Everything comes along but settings and prompts: vectors, the ledger, remembered replies, the hierarchy, what batch
    files are awaited for. No model is asked. Stopped or killed, the same command goes on from there. Nobody can use the
    copy before its export has been seen to be that of SRC.
    """
    with shown_live("copying", _line) as report_progress:
        report = copy(home_of(source), home_of(destination), report_progress)
    print_json(report) if as_json else _print(report)


def _line(progress: CopyProgress) -> str:
    done = f"copied {progress.rows:,} of {count(progress.total, 'row')}"
    return f"{done}; comparing" if progress.comparing else done


def _print(report: CopyReport) -> None:
    told = ", ".join(count(report.rows[table], *named) for table, named in _TOLD.items() if report.rows[table])
    say(f"copied {told or 'an empty workspace'} in {report.seconds:.1f} s")
    if report.taken_up:
        say(f"{count(report.taken_up, 'row')} had been copied before")
    say(f"the exports of both have the SHA-256 {report.sha256}")
