"""Keep a workspace up to date with folders: ``polyadic index --watch``."""

import signal
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from types import FrameType

from polyadic.cli.common import say, shown
from polyadic.cli.index_report import print_report, progress_shown
from polyadic.errors import PolyadicError
from polyadic.extraction.factory import ExtractorName
from polyadic.indexing.report import IndexReport
from polyadic.llm.budget import SpendingBudget
from polyadic.loaders.folder_watcher import FolderWatcher
from polyadic.workspace import Workspace

_SECONDS_TO_RETRY = 30.0
_NAMES_SHOWN = 3


def watch_folders(
    kb: Workspace,
    folders: Sequence[Path],
    extractor: ExtractorName | None,
    budget: SpendingBudget | None,
    exclude: Sequence[str],
) -> int:
    """Index folders, then every change below them, until Ctrl-C; return the exit code.

    If a file is deleted, so is its document, but nothing is deleted while a whole folder is missing. Once the budget is
    used up, the exit code is 3.
    """
    watcher = FolderWatcher(folders, [kb.folder])
    signal.signal(signal.SIGTERM, _interrupt)
    loop = _Loop(kb, watcher, folders, extractor, budget, exclude)
    try:
        return loop.run()
    except KeyboardInterrupt:
        say("stopped watching; finished work is kept", err=True)
        return 0


class _Loop:
    def __init__(
        self,
        kb: Workspace,
        watcher: FolderWatcher,
        folders: Sequence[Path],
        extractor: ExtractorName | None,
        budget: SpendingBudget | None,
        exclude: Sequence[str],
    ) -> None:
        self._kb, self._watcher, self._folders = kb, watcher, folders
        self._extractor, self._budget, self._exclude = extractor, budget, exclude
        self._pending: frozenset[Path] = frozenset()
        self._missing: list[Path] = []
        self._problem = ""
        self._retry_at = 0.0

    def run(self) -> int:
        """Index each batch of changes; return only if the budget is used up."""
        say(f"watching {', '.join(shown(str(folder)) for folder in self._folders)}; press Ctrl-C to stop", err=True)
        for changed in self._watcher.batches():
            self._pending |= changed
            self._report_missing()
            due = frozenset(path for path in self._pending if not any(map(path.is_relative_to, self._missing)))
            if not due or (not changed and time.monotonic() < self._retry_at):
                continue
            report = self._index(due)
            if report is not None and report.budget_used_up:
                say(_out_of_budget(due), err=True)
                return 3
        return 0

    def _index(self, due: frozenset[Path]) -> IndexReport | None:
        try:
            with progress_shown() as report_progress:
                report = self._kb.index(
                    self._folders, report_progress, self._extractor, True, self._budget, self._exclude, due
                )
        except PolyadicError as error:
            self._try_again(str(error))
            return None
        if report.documents > report.unchanged or report.pruned or report.skipped or report.failed:
            print_report(report)
        if self._budget is not None:
            self._budget = self._budget.after(report.usage)
        if report.stopped and not report.budget_used_up:
            self._try_again(report.stopped)
        elif not report.stopped:
            self._pending -= due
            self._problem = ""
        return report

    def _try_again(self, problem: str) -> None:
        """Keep the changes for a later attempt, and report each problem once."""
        if problem != self._problem:
            say(f"polyadic: {problem}; trying again every {_SECONDS_TO_RETRY:.0f} seconds", err=True)
        self._problem = problem
        self._retry_at = time.monotonic() + _SECONDS_TO_RETRY

    def _report_missing(self) -> None:
        missing = self._watcher.missing
        for folder in missing:
            if folder not in self._missing:
                say(f"{shown(str(folder))} is missing: its documents are kept until it is back", err=True)
        self._missing = missing


def _out_of_budget(due: Collection[Path]) -> str:
    names = [shown(str(path)) for path in sorted(due)]
    more = f" and {len(names) - _NAMES_SHOWN:,} more" if len(names) > _NAMES_SHOWN else ""
    return (
        f"stopped watching, because the budget is used up; changes in {', '.join(names[:_NAMES_SHOWN])}{more} are not "
        "completely indexed: start again with a larger budget"
    )


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
