"""``polyadic serve``: serve workspaces over HTTP."""

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
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on; any other than loopback needs keys."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="Port; 0 chooses a free one."
)
@click.option(
    "--keys", type=click.Path(dir_okay=False, path_type=Path), help="File with API keys (default: in the folder)."
)
@click.option(
    "--settings",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="For a database: folder with settings, prompts and keys (default: the current folder).",
)
@click.option(
    "--max-upload", type=click.IntRange(min=1), default=256, show_default=True, help="Maximum size of an upload in MB."
)
@click.option(
    "--questions",
    type=click.IntRange(min=1),
    default=32,
    show_default=True,
    help="Maximum number of concurrent questions.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Maximum number of concurrent indexing jobs.",
)
@click.option(
    "--workspaces", type=click.IntRange(min=1), default=1000, show_default=True, help="Maximum number of workspaces."
)
@click.option(
    "--seconds", type=click.FloatRange(min=1), default=300, show_default=True, help="Timeout for a question in seconds."
)
@click.option(
    "--allow-origin",
    "allowed_origins",
    metavar="ORIGIN",
    multiple=True,
    help="Origin of another web page that may send requests, such as https://app.example (default: none); repeatable.",
)
@click.option(
    "--watch",
    metavar="WORKSPACE=FOLDER",
    multiple=True,
    help="Index a folder into a workspace, then every change in it (docs/watched-folders.md); repeatable.",
)
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
    allowed_origins: tuple[str, ...],
    watch: tuple[str, ...],
) -> None:
    """Serve workspaces over HTTP: those in the subfolders of FOLDER, or those in the PostgreSQL database at ADDRESS
    (postgresql://...), which several servers can share (docs/serving.md).

    Without API keys (polyadic keys add), only requests from this machine are served.
    """
    _check_installed()
    if settings is not None and not is_address(place):
        raise click.UsageError("--settings needs a database: in FOLDER each workspace has its own settings", context)
    from polyadic.server import json_logging
    from polyadic.server.server import PolyadicServer, service_for
    from polyadic.server.server_limits import ServerLimits

    limits = ServerLimits(
        upload_bytes=max_upload * 1_000_000,
        questions_at_once=questions,
        jobs_at_once=jobs,
        workspaces=workspaces,
        request_seconds=seconds,
    )
    service = service_for(place, host, keys, limits, settings, allowed_origins, watch)
    json_logging.install()
    access = "API key required" if service.keys else "this machine only"
    address = f"[{host}]" if ":" in host else host

    def started(port: int) -> None:
        say(
            f"serving {shown(str(service.tenants))} at http://{address}:{port} ({access}); press Ctrl-C to stop",
            err=True,
        )

    # Uvicorn raises the signal again after its shutdown, which would skip the cleanup that follows.
    signal.signal(signal.SIGTERM, _exit)
    # Ctrl-C is the normal way to stop the server.
    with suppress(KeyboardInterrupt):
        PolyadicServer(service, host, port, started).run()


def _exit(*_: object) -> NoReturn:
    raise SystemExit(0)


def _check_installed() -> None:
    try:
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise PackageMissing("the server", str(error.name), "serve") from error
