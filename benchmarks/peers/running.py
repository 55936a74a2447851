"""Run tasks, each in its own process in the environment of the measured system."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from benchmarks.peers.environments import ROOT
from benchmarks.peers.measured import Missing
from benchmarks.peers.systems import POLYADIC
from benchmarks.peers.tasks import WORKER

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Runner:
    """Runner with the interpreter of each system, a folder ``work`` for stores, and a time ``limit`` in seconds."""

    interpreters: Mapping[str, Path]
    work: Path
    limit: float

    @property
    def systems(self) -> list[str]:
        return list(self.interpreters)

    def run(self, kind: type[T], name: str, task: str, folder: Path, **given: object) -> T | Missing:
        """Run a task; returns its result, or Missing if it timed out or failed (details go to standard error)."""
        folder.mkdir(parents=True, exist_ok=True)
        started = time.perf_counter()
        outcome = self._outcome(kind, self.command(name, task, folder, given), name)
        arguments = ", ".join(f"{key} {value}" for key, value in given.items())
        state = f": {outcome.why}" if isinstance(outcome, Missing) else ""
        print(f"{time.perf_counter() - started:7.1f} s  {name} {task} {arguments}{state}", file=sys.stderr, flush=True)
        return outcome

    def command(self, name: str, task: str, folder: Path, given: Mapping[str, object]) -> list[str]:
        return [str(self.interpreters[name]), "-m", WORKER, name, task, str(folder), json.dumps(given)]

    def environment(self, name: str) -> dict[str, str]:
        """Return the environment variables; Polyadic's command uses one BLAS thread, peers use their default."""
        thread_settings = {"OPENBLAS_NUM_THREADS": "1"} if name == POLYADIC else {}
        python_path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
        return {
            **os.environ,
            "PYTHONPATH": python_path,
            "PYTHONWARNINGS": "ignore",
            "TQDM_DISABLE": "1",
            **thread_settings,
        }

    def _outcome(self, kind: type[T], command: list[str], name: str) -> T | Missing:
        try:
            process = subprocess.run(
                command,
                cwd=self.work,
                env=self.environment(name),
                timeout=self.limit,
                capture_output=True,
                text=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Missing(f"> {self.limit:.0f}")
        if process.returncode:
            print(process.stderr[-2_000:], file=sys.stderr)
            return Missing("failed")
        return TypeAdapter(kind).validate_json(process.stdout.splitlines()[-1])
