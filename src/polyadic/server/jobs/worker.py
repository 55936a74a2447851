"""Worker process that runs one job: ``python -m polyadic.server.jobs.worker``.

Jobs compute for long; in its own process it takes no time from questions, and its memory is freed at the end. The
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
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic_core import to_jsonable_python

from polyadic.errors import PolyadicError, StoreBusy, without_addresses
from polyadic.hierarchy.build_report import BuildProgress, BuildReport
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.llm.budget import SpendingBudget
from polyadic.query.shown_source_names import RelativeNames
from polyadic.server.jobs.folder_changes import FolderChanges
from polyadic.server.jobs.job import JobProgress, JobRequest
from polyadic.server.jobs.uploads import Upload
from polyadic.server.tenants.tenant_backend import WorkspaceLocation
from polyadic.tracing.exporter import exported
from polyadic.tracing.spans import started
from polyadic.workspace import Workspace

_SECONDS_BETWEEN_LINES = 0.2
_SECONDS_TO_WAIT = 60.0
_DEFECT = "internal error: the server log has details"
Progress = TypeVar("Progress", IndexProgress, BuildProgress)

_LEAST_PRIORITY = 19


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
        if isinstance(report, BuildReport):
            plain = _plain_build(report)
        else:
            with kb.store().read() as reader:
                names = RelativeNames.of(reader)
            # Notes begin with the path of their file.
            pruned, notes = ([names.shown(text) for text in texts] for texts in (report.pruned, report.notes))
            plain = _plain(replace(names.applied(report), pruned=pruned, notes=notes))
    _send("report", plain)


async def _run_when_free(kb: Workspace, upload: Upload, request: JobRequest) -> IndexReport | BuildReport:
    """Run the job once no one else writes to the workspace: a killed job may still be ending."""
    limit = (
        None
        if request.budget is None and request.spend_tokens is None
        else SpendingBudget(request.budget, request.spend_tokens)
    )
    deadline = time.monotonic() + _SECONDS_TO_WAIT
    while True:
        try:
            match request.kind:
                case "index":
                    async with kb.ocr_session(limit) as ocr:
                        documents = upload.documents(kb.settings.reading, ocr.recognizer, ocr.captioner)
                        return await kb.aadd(documents, _progress_reporter(_of_index), request.extractor, limit, ocr)
                case "folder":
                    return await FolderChanges.load(upload).index(kb, _progress_reporter(_of_index))
                case "retry":
                    return await kb.aretry(_progress_reporter(_of_index), limit)
                case "hierarchy":
                    report_progress = _progress_reporter(_of_build)
                    return await kb.hierarchy.abuild(report_progress, request.by, request.rebuild, limit)
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


def _progress_reporter(convert: Callable[[Progress], JobProgress]) -> Callable[[Progress], None]:
    """Return a callback that reports progress at most once per interval."""
    last = 0.0

    def report(progress: Progress) -> None:
        nonlocal last
        if (now := time.monotonic()) - last < _SECONDS_BETWEEN_LINES:
            return
        last = now
        _send("progress", asdict(convert(progress)))

    return report


def _of_index(progress: IndexProgress) -> JobProgress:
    counts = progress.documents, progress.chunks, progress.chunks_read, progress.texts_embedded
    return JobProgress(*counts, progress.usage.tokens, progress.usage.money)


def _of_build(progress: BuildProgress) -> JobProgress:
    tokens, money = progress.usage.tokens, progress.usage.money
    return JobProgress(
        tokens=tokens, money=money, step=progress.what, pieces=progress.all, pieces_written=progress.done
    )


def _plain(report: IndexReport) -> dict[str, Any]:
    failed = [replace(failure, reason=without_addresses(failure.reason)) for failure in report.failed]
    return _json(replace(report, failed=failed, stopped=without_addresses(report.stopped)))


def _plain_build(report: BuildReport) -> dict[str, Any]:
    failed: Counter[str] = Counter()
    for reason, number in report.failed.items():
        failed[without_addresses(reason)] += number
    return _json(replace(report, failed=failed, stopped=without_addresses(report.stopped)))


def _json(report: IndexReport | BuildReport) -> dict[str, Any]:
    """Convert a report to JSON values; ``dataclasses.asdict`` does not copy counters correctly."""
    converted: dict[str, Any] = to_jsonable_python(report)
    return converted


def _send(what: str, content: dict[str, Any]) -> None:
    print(json.dumps({what: content}), flush=True)


def stand_behind_questions() -> None:
    """Give this process and its future threads the lowest scheduling priority.

    Niceness alone is not enough. On Linux, a running thread finishes its time slice before a thread that wakes up,
    whatever their niceness, and a question wakes up at each of its steps. So a job runs with the idle policy, which
    yields at once. It still slows other computation on the same processors, and does so less on one half of them.
    """
    with contextlib.suppress(OSError):
        os.nice(_LEAST_PRIORITY)
        if sys.platform == "linux":
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            processors = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, processors[len(processors) // 2 :])


if __name__ == "__main__":
    main()
