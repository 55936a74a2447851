"""``polyadic keys``: manage the API keys of a server."""

from pathlib import Path

import click

from polyadic.cli.common import json_option, print_json, say
from polyadic.config import local_folder
from polyadic.server.api_keys import ALL, ApiKey, KeyRing, keys_file

_folder = click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
_file = click.option(
    "--keys", type=click.Path(dir_okay=False, path_type=Path), help="File with API keys (default: in FOLDER)."
)


@click.group("keys")
def command() -> None:
    """Manage the API keys of a server (polyadic serve). A key allows reading or writing certain workspaces."""


@command.command("add")
@_folder
@click.argument("name")
@click.option("--workspace", "-w", "workspaces", multiple=True, help="Workspace that the key allows; may be repeated.")
@click.option("--all", "all_of_them", is_flag=True, help="Allow all workspaces, including future ones.")
@click.option("--write", is_flag=True, help="Also allow adding and deleting documents and workspaces.")
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
    """Create a key called NAME for the server on FOLDER and print it. It is not stored and cannot be shown again."""
    if bool(workspaces) == all_of_them:
        raise click.UsageError("choose the workspaces of the key: --workspace or --all", context)
    if ALL in workspaces:
        raise click.UsageError(f"{ALL} is not a workspace: use --all", context)
    key, secret = _ring(folder, keys).add(name, "write" if write else "read", [ALL] if all_of_them else workspaces)
    if as_json:
        print_json({"key": key, "secret": secret})
        return
    click.echo(secret)
    say(f"key {key.id}, {_access(key)}; the key is not shown again", err=True)


@command.command("list")
@_folder
@_file
@json_option
def list_keys(folder: Path, keys: Path | None, as_json: bool) -> None:
    """List the keys of the server on FOLDER, without their secrets."""
    found = _ring(folder, keys).keys()
    if as_json:
        print_json(found)
        return
    for key in found:
        say(f"{key.id}  {key.name}  ({_access(key)}, created {key.created})")
    if not found:
        say("there are no keys: only requests from this machine are served")


@command.command("remove")
@_folder
@click.argument("identifier", metavar="ID")
@_file
def remove(folder: Path, identifier: str, keys: Path | None) -> None:
    """Revoke the key with this identifier. A running server applies it at once."""
    key = _ring(folder, keys).remove(identifier)
    say(f"removed {key.id} ({key.name})")


def _ring(folder: Path, file: Path | None) -> KeyRing:
    return KeyRing(file or keys_file(local_folder(folder)))


def _access(key: ApiKey) -> str:
    workspaces = "all workspaces" if key.opens_all else ", ".join(key.workspaces)
    return f"{'writes' if key.access == 'write' else 'reads'} {workspaces}"
