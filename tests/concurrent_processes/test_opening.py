"""A new workspace that many processes open at the same moment is made once, and all of them get it."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from polyadic.storage.sqlite.store import SqliteStore

pytestmark = pytest.mark.slow

PROCESSES = 5
FOLDERS = 20
OPENING = """
import sys, time
from pathlib import Path
from polyadic.storage.sqlite.store import SqliteStore

start = float(sys.argv[1])
for number, folder in enumerate(sys.argv[2:]):
    time.sleep(max(0.0, start + number / 20 - time.time()))
    SqliteStore(Path(folder), "hashing").close()
"""


def test_new_store_can_be_opened_by_many_processes_at_once(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(FOLDERS)]
    command = [sys.executable, "-c", OPENING, str(time.time() + 5), *map(str, folders)]
    runs = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(PROCESSES)]
    assert [run.communicate()[1] for run in runs] == [""] * PROCESSES
    assert [run.returncode for run in runs] == [0] * PROCESSES
    assert all(SqliteStore(folder, "hashing").problems() == [] for folder in folders)
