"""Joining a cluster of Ray, or having one on this machine for the length of a run."""

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from polyadic.errors import PolyadicError
from polyadic.optional_dependencies import need

_TO_CONNECT = 10.0


def need_ray() -> None:
    """Make sure that Ray is installed; raises PackageMissing."""
    need("--engine ray", "ray", ray="ray[data]", pyarrow="ray[data]", fsspec="fsspec")


@contextmanager
def joined(address: str | None) -> Iterator[None]:
    """Be part of a cluster as long as the context lasts.

    Parameters
    ----------
    address
        Of a cluster, as Ray takes it; None: the one that ``RAY_ADDRESS`` names, else one of this machine alone, which
        listens here only, without dashboard. A program that has joined one already stays in that.

    Raises
    ------
    PolyadicError
        The cluster cannot be reached.
    """
    address = address or os.environ.get("RAY_ADDRESS")
    # Read when Ray is imported; it would report its use to its makers.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    if not address:
        # As on systems where Ray makes no cluster of several machines: it then listens on the loopback interface alone.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    import ray

    _quieten()
    if ray.is_initialized():
        yield
        return
    options = {} if address else {"include_dashboard": False}
    try:
        _reach(address or "")
        with _silent():
            ray.init(address or "local", log_to_driver=False, logging_level=logging.ERROR, **options)
    except (OSError, ValueError, RuntimeError) as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise PolyadicError(
            f"the cluster of Ray cannot be joined ({reason})", "see that it runs: ray status"
        ) from error
    try:
        yield
    finally:
        with suppress(Exception):
            ray.shutdown()


def _reach(address: str) -> None:
    """Raises OSError where nobody listens at a host and port: Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), _TO_CONNECT).close()


@contextmanager
def _silent() -> Iterator[None]:
    """What is written to standard error within is dropped: Ray says there what it has been told to be silent about."""
    kept = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _quieten() -> None:
    """Progress and problems are told by us: Ray Data's own words go to its log files alone."""
    from ray.data import DataContext

    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    for handler in logging.getLogger("ray.data").handlers:
        if type(handler).__name__ == "PlainRayHandler":
            handler.setLevel(logging.CRITICAL)
