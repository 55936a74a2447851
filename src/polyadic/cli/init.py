"""``polyadic init``: write a commented polyadic.toml."""

import shlex
from pathlib import Path

import click

from polyadic.cli.common import say, shown, workspace_option, workspace_place
from polyadic.config import FILE_NAME, local_folder, template
from polyadic.config.presets import PRESETS
from polyadic.llm.prompts.library import FOLDER, SETS, PromptSet, original_text


@click.command("init")
@click.argument("folder", metavar="[DIR]", default="", required=False)
@click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    help="Set up a language model: a common provider or server, or the setup of a paper.",
)
@click.option(
    "--prompts",
    "prompt_set",
    type=click.Choice(list(SETS)),
    is_flag=False,
    flag_value="default",
    help="Also copy all prompts to DIR/prompts for editing, or with paper those in the structure of the papers.",
)
@workspace_option
@click.pass_context
def command(
    context: click.Context, folder: str, preset: str | None, prompt_set: PromptSet | None, workspace: str | None
) -> None:
    """Write a commented polyadic.toml into DIR (default: the workspace folder).

    The file is optional: every setting has a default.
    """
    if folder and (workspace or context.obj):
        raise click.UsageError("use either DIR or -w, not both", context)
    target = local_folder(folder or workspace_place(context, workspace))
    if prompt_set:
        for name in SETS[prompt_set]:
            _write(target / FOLDER / f"{name}.txt", original_text(name, prompt_set))
    file = target / FILE_NAME
    if preset and file.exists():
        raise click.ClickException(f"{shown(str(file))} already exists: set name and base_url under [model] in it")
    if not _write(file, template(PRESETS[preset] if preset else None)):
        return
    is_default = folder == "" and not (workspace or context.obj)
    flag = "" if is_default else f"-w {shlex.quote(str(target))} "
    say(f"next: polyadic {flag}{'doctor' if preset else 'index PATH...'}")


def _write(file: Path, text: str) -> bool:
    """Write a file unless it exists; return whether it was written."""
    if file.exists():
        say(f"{shown(str(file))} already exists and is left unchanged")
        return False
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written ({error.strerror}): choose another folder") from error
    say(f"wrote {shown(str(file.absolute()))}")
    return True
