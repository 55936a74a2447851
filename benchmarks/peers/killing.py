"""Kill a process while it writes to a store, and check whether the store is still usable."""

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
    """Count the copies of a store that still open and answer after their writer was killed while writing.

    ``a_document`` is the number of bytes written per document; the writer is killed after a part of them.
    """
    rng = random.Random(0)  # noqa: S311
    surviving = 0
    for number in range(times):
        copy = runner.work / f"killed-{name}"
        shutil.copytree(store, copy)
        _kill(runner, name, copy, int(rng.uniform(0.1, 0.9) * a_document))
        outcome = runner.run(Asking, name, "ask", copy, questions=1, method=SYSTEMS[name].methods[0])
        surviving += isinstance(outcome, Asking) and outcome.answered > 0
        shutil.rmtree(copy)
        print(f"           {name} killed {number + 1} times, {surviving} alive", file=sys.stderr, flush=True)
    return surviving


def _kill(runner: Runner, name: str, store: Path, after: int) -> None:
    command, environment = runner.command(name, "go_on", store, {}), runner.environment(name)
    with subprocess.Popen(
        command, cwd=runner.work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout and process.stdout.readline().strip() == READY
        written_before, deadline = written(process.pid), time.monotonic() + runner.limit
        while written(process.pid) - written_before < after and time.monotonic() < deadline:
            time.sleep(_PAUSE)
        process.kill()
