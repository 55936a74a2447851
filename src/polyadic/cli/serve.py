"""polyadic serve: many workspaces behind one server."""

import signal
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import click

from polyadic.cli.common import say, shown
from polyadic.errors import PackageMissing
from polyadic.storage.url import is_address


@click.command("serve")
@click.argument("place", metavar="FOLDER|ADDRESS")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at; others need keys.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0: any that is free.")
@click.option("--keys", type=click.Path(dir_okay=False, path_type=Path), help="File of keys, if not the folder's own.")
@click.option(
    "--settings",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of settings, prompts and keys for the workspaces of a database, if not the current one.",
)
@click.option("--max-upload", type=click.IntRange(min=1), default=256, show_default=True, help="Megabytes an upload.")
@click.option("--questions", type=click.IntRange(min=1), default=32, show_default=True, help="Answered at once.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Indexing jobs at once.")
@click.option("--workspaces", type=click.IntRange(min=1), default=1000, show_default=True, help="Most there may be.")
@click.option("--seconds", type=click.FloatRange(min=1), default=300, show_default=True, help="Most for a question.")
@click.pass_context
def command(
    context: click.Context,
    place: str,
    host: str,
    port: int,
    keys: Path | None,
    settings: Path | None,
    max_upload: int,
    questions: int,
    jobs: int,
    workspaces: int,
    seconds: float,
) -> None:
    """Serve workspaces by HTTP: each folder in FOLDER that holds one, or those of the database at ADDRESS
    (postgresql://..., beside other servers over the same; docs/serving.md).

    Without keys (polyadic keys add) it serves this machine alone.
    """
    _check_installed()
    if settings is not None and not is_address(place):
        raise click.UsageError("--settings is for a database: in a folder each workspace has its own", context)
    from polyadic.server import logs
    from polyadic.server.limits import ServerLimits
    from polyadic.server.server import PolyadicServer, service_for

    limits = ServerLimits(
        upload_bytes=max_upload * 1_000_000,
        questions_at_once=questions,
        jobs_at_once=jobs,
        workspaces=workspaces,
        request_seconds=seconds,
    )
    service = service_for(place, host, keys, limits, settings)
    logs.install()
    who = "with a key" if service.keys else "this machine alone"
    at = f"[{host}]" if ":" in host else host

    def started(port: int) -> None:
        say(f"serving {shown(str(service.site))} at http://{at}:{port} ({who}); Ctrl-C stops it", err=True)

    # Uvicorn ends in order and then signals anew: what is to be done after it would not be done.
    signal.signal(signal.SIGTERM, _end)
    # Ctrl-C is how it is to end.
    with suppress(KeyboardInterrupt):
        PolyadicServer(service, host, port, started).run()


def _end(*_: object) -> NoReturn:
    raise SystemExit(0)


def _check_installed() -> None:
    try:
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise PackageMissing("the server", str(error.name), "serve") from error
