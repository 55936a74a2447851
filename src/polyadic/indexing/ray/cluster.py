"""Join a Ray cluster, or start a local one for the duration of a run."""

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from polyadic.errors import PolyadicError
from polyadic.optional_dependencies import need

_CONNECT_SECONDS = 10.0


def need_ray() -> None:
    """Check that Ray is installed; raise PackageMissing if not."""
    need("--engine ray", "ray", ray="ray[data]", pyarrow="ray[data]", fsspec="fsspec")


@contextmanager
def joined(address: str | None) -> Iterator[None]:
    """Join a Ray cluster for the duration of the context.

    Parameters
    ----------
    address
        Address of the cluster, in Ray's syntax. None: the cluster that ``RAY_ADDRESS`` names, or else a local one that
        listens on the loopback interface only, without dashboard. If Ray is initialized already, its cluster is used.

    Raises
    ------
    PolyadicError
        The cluster cannot be reached.
    """
    address = address or os.environ.get("RAY_ADDRESS")
    # Read when Ray is imported; without it Ray sends usage statistics.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    if not address:
        # With this setting (default on systems without multi-host clusters) Ray listens on the loopback interface only.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    import ray

    _silence_ray_data()
    if ray.is_initialized():
        yield
        return
    options = {} if address else {"include_dashboard": False}
    try:
        _check_reachable(address or "")
        with _silent():
            ray.init(address or "local", log_to_driver=False, logging_level=logging.ERROR, **options)
    except (OSError, ValueError, RuntimeError) as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise PolyadicError(
            f"cannot join the Ray cluster ({reason})", "check that it is running: ray status"
        ) from error
    try:
        yield
    finally:
        with suppress(Exception):
            ray.shutdown()


def _check_reachable(address: str) -> None:
    """Raise OSError if nothing listens at the host and port; Ray itself would retry for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()


@contextmanager
def _silent() -> Iterator[None]:
    """Discard standard error within the context; Ray writes to it even with logging turned off."""
    saved = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as devnull:
            os.dup2(devnull.fileno(), 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


def _silence_ray_data() -> None:
    """Restrict Ray Data's messages to its log files; Polyadic reports progress and problems itself."""
    from ray.data import DataContext

    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    for handler in logging.getLogger("ray.data").handlers:
        if type(handler).__name__ == "PlainRayHandler":
            handler.setLevel(logging.CRITICAL)
