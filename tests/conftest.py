"""What holds for all tests."""

import gc
import os
import re
import shutil
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.examples import FEW
from tests.support.forked import import_before

# How long one example takes says more about the machine than about the code.
settings.register_profile("untimed", deadline=None, max_examples=100 if os.environ.get("CI") else 40)
settings.register_profile(FEW, deadline=None, max_examples=10)
settings.load_profile("untimed")

# Tests write thousands of stores; on a disk, a fifth of their time would go into syncing them.
_MEMORY = Path("/dev/shm")  # noqa: S108
if "TMPDIR" not in os.environ and _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > 4_000_000_000:
    os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)

# What a shell starts in the background ignores it, and so would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What is imported and collected lives as long as the tests; garbage collection need not traverse it again and again.
gc.disable()

# `make test` selects these. On PostgreSQL it runs what every store promises; the rest is slow.
_FAST = "not slow"
_ALWAYS_ON_POSTGRES = "test_contract"
_SLOW_FOLDERS = ("browser", "languages", "ocr", "postgres")
_SLOW_MODULE = re.compile(r"^pytestmark = .*\bmark\.slow\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import slow modules where slow tests are not run: importing what they need takes seconds."""
    if config.getoption("markexpr") != _FAST:
        return None
    if collection_path.is_dir():
        return collection_path.name in _SLOW_FOLDERS or None
    return (collection_path.suffix == ".py" and bool(_SLOW_MODULE.search(collection_path.read_text()))) or None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Collect garbage of tests only."""
    import_before(is_fast=session.config.getoption("markexpr") == _FAST)
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests of slow folders, and tests on PostgreSQL, as slow."""
    for item in items:
        on_postgres = "postgres" in item.name and not item.path.name.startswith(_ALWAYS_ON_POSTGRES)
        if on_postgres or item.path.parent.name in _SLOW_FOLDERS:
            item.add_marker(pytest.mark.slow)
