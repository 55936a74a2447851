"""Ends a process that writes into a store, as a machine does that loses its power supply, and sees what is left."""

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.footprint import written
from benchmarks.peers.measured import Asking
from benchmarks.peers.running import Runner
from benchmarks.peers.systems import SYSTEMS
from benchmarks.peers.tasks import READY

_PAUSE = 0.001


def survivors(runner: Runner, name: str, store: Path, a_document: int, times: int) -> int:
    """How many copies of a store still open and answer after their writer was killed in the midst of writing.

    ``a_document`` is how many bytes it writes for a document: it is killed after a part of these.
    """
    drawn = random.Random(0)  # noqa: S311
    alive = 0
    for number in range(times):
        copy = runner.work / f"killed-{name}"
        shutil.copytree(store, copy)
        _kill(runner, name, copy, int(drawn.uniform(0.1, 0.9) * a_document))
        found = runner.run(Asking, name, "ask", copy, questions=1, method=SYSTEMS[name].methods[0])
        alive += isinstance(found, Asking) and found.told > 0
        shutil.rmtree(copy)
        print(f"           {name} killed {number + 1} times, {alive} alive", file=sys.stderr, flush=True)
    return alive


def _kill(runner: Runner, name: str, store: Path, after: int) -> None:
    command, environment = runner.command(name, "go_on", store, {}), runner.environment(name)
    with subprocess.Popen(
        command, cwd=runner.work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout and process.stdout.readline().strip() == READY
        before, deadline = written(process.pid), time.monotonic() + runner.limit
        while written(process.pid) - before < after and time.monotonic() < deadline:
            time.sleep(_PAUSE)
        process.kill()
