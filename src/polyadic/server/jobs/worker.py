"""The process in which one job runs: ``python -m polyadic.server.jobs.worker``.

Reading documents computes for long; in a process of its own it takes no question's time, and its memory ends with it.
The first line of standard input says what to do. Each line of standard output says how far it is, and the last what
became of it. Where standard input ends, the job is to stop: also where the server was killed.
"""

import asyncio
import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from polyadic.errors import PolyadicError, StoreBusy, without_addresses
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.llm.budget import SpendingBudget
from polyadic.server.jobs.job import JobProgress, JobRequest
from polyadic.server.jobs.priority import stand_behind_questions
from polyadic.server.jobs.upload import Upload
from polyadic.server.tenants.tenant_backend import WorkspaceLocation
from polyadic.tracing.exporter import exported
from polyadic.tracing.spans import started
from polyadic.workspace import Workspace

_SECONDS_BETWEEN_LINES = 0.2
_SECONDS_FOR_OTHERS = 60.0
_DEFECT = "the job ran into a defect"


def main() -> None:
    """Do what standard input says."""
    asked = json.loads(sys.stdin.readline())
    stand_behind_questions()
    try:
        with exported(lambda problem: print(problem, file=sys.stderr)), started("job"):
            asyncio.run(
                _run(WorkspaceLocation(**asked["workspace"]), Path(asked["incoming"]), JobRequest(**asked["wish"]))
            )
    except asyncio.CancelledError:
        _say("cancelled", {})
    except PolyadicError as error:
        _say("problem", {"kind": type(error).__name__, "said": str(error)})
    except Exception as error:
        if os.environ.get("POLYADIC_DEBUG"):
            raise
        _say("problem", {"kind": type(error).__name__, "said": _DEFECT})


async def _run(at: WorkspaceLocation, incoming: Path, wish: JobRequest) -> None:
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    assert task is not None  # noqa: S101 - this is a coroutine
    threading.Thread(target=_watch, args=(lambda: loop.call_soon_threadsafe(task.cancel),), daemon=True).start()
    async with Workspace(at.place, folder=at.folder) as kb:
        report = await _when_free(kb, Upload(incoming), wish)
    _say("report", _plain(report))


async def _when_free(kb: Workspace, incoming: Upload, wish: JobRequest) -> IndexReport:
    """The report, once nobody else writes to the workspace: a job that was killed may still be ending."""
    most = None if wish.budget is None and wish.spend_tokens is None else SpendingBudget(wish.budget, wish.spend_tokens)
    deadline = time.monotonic() + _SECONDS_FOR_OTHERS
    while True:
        try:
            if wish.kind == "retry":
                return await kb.aretry(_told(), most)
            return await kb.aadd(incoming.documents(kb.settings.reading), _told(), wish.extractor, most)
        except StoreBusy:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.2)


def _watch(stop: Callable[[], object]) -> None:
    while sys.stdin.readline():
        pass
    # The loop may have ended already.
    with contextlib.suppress(RuntimeError):
        stop()


def _told() -> Callable[[IndexProgress], None]:
    """What is called with each progress, and says those that differ by more than a moment."""
    last = 0.0

    def tell(progress: IndexProgress) -> None:
        nonlocal last
        if (now := time.monotonic()) - last < _SECONDS_BETWEEN_LINES:
            return
        last = now
        usage = progress.usage
        counts = progress.documents, progress.chunks, progress.chunks_read, progress.texts_embedded
        _say("reached", asdict(JobProgress(*counts, usage.tokens, usage.money)))

    return tell


def _plain(report: IndexReport) -> dict[str, Any]:
    failed = [replace(one, reason=without_addresses(one.reason)) for one in report.failed]
    return asdict(replace(report, failed=failed, stopped=without_addresses(report.stopped)))


def _say(what: str, content: dict[str, Any]) -> None:
    print(json.dumps({what: content}), flush=True)


if __name__ == "__main__":
    main()
