"""Worker process that runs one job: ``python -m polyadic.server.jobs.worker``.

Indexing computes for long; in its own process it takes no time from questions, and its memory is freed at the end. The
first line of standard input describes the job. Each line of standard output reports progress, the last one the result.
When standard input closes, also because the server was killed, the job stops.
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
from polyadic.query.source_names import RelativeNames
from polyadic.server.jobs.job import JobProgress, JobRequest
from polyadic.server.jobs.priority import stand_behind_questions
from polyadic.server.jobs.upload import Upload
from polyadic.server.tenants.tenant_backend import WorkspaceLocation
from polyadic.tracing.exporter import exported
from polyadic.tracing.spans import started
from polyadic.workspace import Workspace

_SECONDS_BETWEEN_LINES = 0.2
_SECONDS_TO_WAIT = 60.0
_DEFECT = "internal error: the server log has details"


def main() -> None:
    """Run the job described on standard input."""
    order = json.loads(sys.stdin.readline())
    stand_behind_questions()
    try:
        with exported(lambda problem: print(problem, file=sys.stderr)), started("job"):
            asyncio.run(
                _run(
                    WorkspaceLocation(**order["workspace"]),
                    Path(order["upload_folder"]),
                    JobRequest(**order["request"]),
                )
            )
    except asyncio.CancelledError:
        _send("cancelled", {})
    except PolyadicError as error:
        _send("problem", {"kind": type(error).__name__, "message": str(error)})
    except Exception as error:
        if os.environ.get("POLYADIC_DEBUG"):
            raise
        _send("problem", {"kind": type(error).__name__, "message": _DEFECT})


async def _run(location: WorkspaceLocation, upload_folder: Path, request: JobRequest) -> None:
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    assert task is not None  # noqa: S101 - this is a coroutine
    threading.Thread(target=_watch, args=(lambda: loop.call_soon_threadsafe(task.cancel),), daemon=True).start()
    async with Workspace(location.place, folder=location.folder) as kb:
        report = await _run_when_free(kb, Upload(upload_folder), request)
        with kb.store().read() as reader:
            names = RelativeNames.of(reader)
    _send("report", _plain(names.applied(report)))


async def _run_when_free(kb: Workspace, upload: Upload, request: JobRequest) -> IndexReport:
    """Run the job once no one else writes to the workspace: a killed job may still be ending."""
    limit = (
        None
        if request.budget is None and request.spend_tokens is None
        else SpendingBudget(request.budget, request.spend_tokens)
    )
    deadline = time.monotonic() + _SECONDS_TO_WAIT
    while True:
        try:
            if request.kind == "retry":
                return await kb.aretry(_progress_reporter(), limit)
            return await kb.aadd(upload.documents(kb.settings.reading), _progress_reporter(), request.extractor, limit)
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


def _progress_reporter() -> Callable[[IndexProgress], None]:
    """Return a callback that reports progress at most once per interval."""
    last = 0.0

    def report(progress: IndexProgress) -> None:
        nonlocal last
        if (now := time.monotonic()) - last < _SECONDS_BETWEEN_LINES:
            return
        last = now
        usage = progress.usage
        counts = progress.documents, progress.chunks, progress.chunks_read, progress.texts_embedded
        _send("progress", asdict(JobProgress(*counts, usage.tokens, usage.money)))

    return report


def _plain(report: IndexReport) -> dict[str, Any]:
    failed = [replace(failure, reason=without_addresses(failure.reason)) for failure in report.failed]
    return asdict(replace(report, failed=failed, stopped=without_addresses(report.stopped)))


def _send(what: str, content: dict[str, Any]) -> None:
    print(json.dumps({what: content}), flush=True)


if __name__ == "__main__":
    main()
