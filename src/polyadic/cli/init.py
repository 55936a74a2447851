"""polyadic init: write a commented polyadic.toml."""

from pathlib import Path

import click

from polyadic.cli.common import DEFAULT_WORKSPACE, shown
from polyadic.settings import FILE_NAME, template


@click.command("init")
@click.argument("folder", metavar="[DIR]", default="", required=False)
@click.pass_context
def command(context: click.Context, folder: str) -> None:
    """Write a commented polyadic.toml into DIR (default: the workspace folder). Nothing else is needed to start."""
    target = Path(folder or context.obj or DEFAULT_WORKSPACE)
    file = target / FILE_NAME
    if file.exists():
        click.echo(f"{shown(str(file))} is there already and stays as it is")
        return
    try:
        target.mkdir(parents=True, exist_ok=True)
        file.write_text(template(), encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written ({error.strerror}): choose another folder") from error
    flag = "" if str(target) == DEFAULT_WORKSPACE else f"-w {target} "
    click.echo(f"wrote {shown(str(file.absolute()))}; next: polyadic {flag}index PATH...")
