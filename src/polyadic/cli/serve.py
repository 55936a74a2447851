"""polyadic serve: many workspaces behind one server."""

import signal
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import click

from polyadic.cli.common import say, shown
from polyadic.errors import PackageMissing


@click.command("serve")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at; others need keys.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0: any that is free.")
@click.option("--keys", type=click.Path(dir_okay=False, path_type=Path), help="File of keys, if not FOLDER's own.")
@click.option("--max-upload", type=click.IntRange(min=1), default=256, show_default=True, help="Megabytes an upload.")
@click.option("--questions", type=click.IntRange(min=1), default=32, show_default=True, help="Answered at once.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Indexing jobs at once.")
@click.option("--seconds", type=click.FloatRange(min=1), default=300, show_default=True, help="Most for a question.")
def command(
    folder: Path, host: str, port: int, keys: Path | None, max_upload: int, questions: int, jobs: int, seconds: float
) -> None:
    """Serve the workspaces in FOLDER by HTTP: each folder in it that holds one (docs/serving.md).

    Without keys (polyadic keys add) it serves this machine alone.
    """
    _check_installed()
    from polyadic.serving import logs
    from polyadic.serving.limits import Limits
    from polyadic.serving.server import Server, service_for

    limits = Limits(
        upload_bytes=max_upload * 1_000_000, questions_at_once=questions, jobs_at_once=jobs, request_seconds=seconds
    )
    service = service_for(folder, host, keys, limits)
    logs.install()
    who = "with a key" if service.keys else "this machine alone"
    at = f"[{host}]" if ":" in host else host

    def started(port: int) -> None:
        say(f"serving {shown(str(folder.absolute()))} at http://{at}:{port} ({who}); Ctrl-C stops it", err=True)

    # Uvicorn ends in order and then signals anew: what is to be done after it would not be done.
    signal.signal(signal.SIGTERM, _end)
    # Ctrl-C is how it is to end.
    with suppress(KeyboardInterrupt):
        Server(service, host, port, started).run()


def _end(*_: object) -> NoReturn:
    raise SystemExit(0)


def _check_installed() -> None:
    try:
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise PackageMissing("the server", str(error.name), "serve") from error
