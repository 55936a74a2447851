"""polyadic keys: who may do what at a server."""

from pathlib import Path

import click

from polyadic.cli.common import json_option, print_json, say
from polyadic.server.api_keys import ALL, ApiKey, KeyRing, keys_file

_folder = click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
_file = click.option(
    "--keys", type=click.Path(dir_okay=False, path_type=Path), help="File of keys, if not FOLDER's own."
)


@click.group("keys")
def command() -> None:
    """Who may do what at a server (polyadic serve). A key opens workspaces, to read or to write."""


@command.command("add")
@_folder
@click.argument("name")
@click.option("--workspace", "-w", "workspaces", multiple=True, help="That it opens. May be given more than once.")
@click.option("--all", "all_of_them", is_flag=True, help="It opens all workspaces, also those to come.")
@click.option("--write", is_flag=True, help="Documents may be added and withdrawn, workspaces made and deleted.")
@_file
@json_option
@click.pass_context
def add(
    context: click.Context,
    folder: Path,
    name: str,
    workspaces: tuple[str, ...],
    all_of_them: bool,
    write: bool,
    keys: Path | None,
    as_json: bool,
) -> None:
    """Make a key for the server over FOLDER, called NAME, and print it: it is kept nowhere."""
    if bool(workspaces) == all_of_them:
        raise click.UsageError("say which workspaces it opens: --workspace, or --all", context)
    if ALL in workspaces:
        raise click.UsageError(f"{ALL} is no workspace: say --all", context)
    key, secret = _ring(folder, keys).add(name, "write" if write else "read", [ALL] if all_of_them else workspaces)
    if as_json:
        print_json({"key": key, "secret": secret})
        return
    click.echo(secret)
    say(f"key {key.id}, {_said(key)}; it is not shown again", err=True)


@command.command("list")
@_folder
@_file
@json_option
def list_keys(folder: Path, keys: Path | None, as_json: bool) -> None:
    """List the keys of the server over FOLDER, without what is to be presented."""
    found = _ring(folder, keys).keys()
    if as_json:
        print_json(found)
        return
    for key in found:
        say(f"{key.id}  {key.name}  ({_said(key)}, made {key.created})")
    if not found:
        say("there are no keys: only this machine is served")


@command.command("remove")
@_folder
@click.argument("identifier", metavar="ID")
@_file
def remove(folder: Path, identifier: str, keys: Path | None) -> None:
    """Have the key with this identifier open nothing from now on; a server that runs heeds it at once."""
    key = _ring(folder, keys).remove(identifier)
    say(f"removed {key.id} ({key.name})")


def _ring(folder: Path, file: Path | None) -> KeyRing:
    return KeyRing(file or keys_file(folder))


def _said(key: ApiKey) -> str:
    opens = "all workspaces" if key.opens_all else ", ".join(key.workspaces)
    return f"{'writes' if key.access == 'write' else 'reads'} {opens}"
