"""Run one task of one system: ``python -m benchmarks.peers.worker SYSTEM TASK FOLDER [JSON]``.

It runs in the system's own environment, which contains no Polyadic code except for this folder. Output of systems goes
to standard error; the last line of standard output is the measurement.
"""

import asyncio
import contextlib
import dataclasses
import json
import sys
from pathlib import Path

from benchmarks.peers import tasks

TASKS = {task.__name__: task for task in (tasks.read, tasks.insert, tasks.share, tasks.look, tasks.ask, tasks.go_on)}


def main(name: str, task: str, folder: str, given: str = "{}") -> None:
    with contextlib.redirect_stdout(sys.stderr):
        measured = asyncio.run(TASKS[task](name, Path(folder), **json.loads(given)))
    if measured is not None:
        print(json.dumps(dataclasses.asdict(measured)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
