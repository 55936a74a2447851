"""polyadic init: write a commented polyadic.toml."""

import shlex

import click

from polyadic.cli.common import say, shown, workspace_folder, workspace_option
from polyadic.settings import FILE_NAME, expanded, template


@click.command("init")
@click.argument("folder", metavar="[DIR]", default="", required=False)
@workspace_option
@click.pass_context
def command(context: click.Context, folder: str, workspace: str | None) -> None:
    """Write a commented polyadic.toml into DIR (default: the workspace folder). Nothing else is needed to start."""
    if folder and (workspace or context.obj):
        raise click.UsageError("DIR and -w both name the folder: give one of them", context)
    target = expanded(folder or workspace_folder(context, workspace))
    file = target / FILE_NAME
    if file.exists():
        say(f"{shown(str(file))} is there already and stays as it is")
        return
    try:
        target.mkdir(parents=True, exist_ok=True)
        file.write_text(template(), encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written ({error.strerror}): choose another folder") from error
    usual = folder == "" and not (workspace or context.obj)
    flag = "" if usual else f"-w {shlex.quote(str(target))} "
    say(f"wrote {shown(str(file.absolute()))}; next: polyadic {flag}index PATH...")
