"""``polyadic workspaces``: list and delete the workspaces of a database."""

import sys
from types import ModuleType

import click

from polyadic.cli.common import json_option, print_json, say
from polyadic.errors import PackageMissing
from polyadic.storage.url import is_address
from polyadic.text.counts import count


@click.group("workspaces")
def command() -> None:
    """List and delete the workspaces of a PostgreSQL database.

    A workspace in a folder is that folder: to delete it, delete the folder.
    """


@command.command("list")
@click.argument("address")
@json_option
@click.pass_context
def list_workspaces(context: click.Context, address: str, as_json: bool) -> None:
    """List the workspaces of the database at ADDRESS (postgresql://...)."""
    found = _database(address, context).workspaces(address)
    if as_json:
        print_json(found)
        return
    for one in found:
        say(f"{one.name}  ({count(one.documents, 'document')}, {count(one.facts, 'fact')})")
    if not found:
        say("there are no workspaces in this database")


@command.command("drop")
@click.argument("address")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation; needed where there is no terminal.")
@json_option
@click.pass_context
def drop(context: click.Context, address: str, yes: bool, as_json: bool) -> None:
    """Delete the workspace at ADDRESS (postgresql://...#NAME).

    Its documents, facts, ledger and jobs are deleted too. This cannot be undone; polyadic copy makes a backup.
    """
    database = _database(address, context)
    name = address.partition("#")[2]
    if not name:
        raise click.UsageError("ADDRESS names no workspace: add #NAME", context)
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("there is no terminal to confirm on: add --yes", context)
        if not click.confirm(f"Delete the workspace {name} with all its contents?", err=True):
            raise click.ClickException("nothing was deleted")
    dropped = database.drop(address)
    if as_json:
        print_json(dropped)
    else:
        say(f"deleted {dropped.name} ({count(dropped.documents, 'document')}, {count(dropped.facts, 'fact')})")


def _database(address: str, context: click.Context) -> ModuleType:
    """Return the module for workspaces of a database, whose driver is an optional package."""
    if not is_address(address):
        raise click.UsageError("ADDRESS is not the address of a database, postgresql://USER@HOST/DATABASE", context)
    try:
        from polyadic.storage.postgres import workspaces
    except ImportError as error:
        raise PackageMissing("PostgreSQL", error.name or "psycopg", "postgres") from error
    return workspaces
