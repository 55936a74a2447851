"""Hierarchies that the systems of an evaluation search: built if missing, one for each set of build settings."""

import json
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from polyadic.concurrency.run_in_thread import run_in_thread
from polyadic.config import HierarchyBuildSettings, Settings
from polyadic.embeddings.loading import embedder_name
from polyadic.errors import ModelUnavailable
from polyadic.evaluation.batch import EvaluationBatch
from polyadic.evaluation.indexing_cost import HierarchyCost, add_seconds, hierarchy_usage
from polyadic.evaluation.systems import System
from polyadic.hierarchy.api import wanted
from polyadic.hierarchy.build_report import BuildProgress
from polyadic.model.identity import digest
from polyadic.model.types import Usage
from polyadic.query.workspace_status import hierarchy_status
from polyadic.storage.protocol import Store
from polyadic.storage.transfer import copy_rows
from polyadic.storage.url import LocalFolder
from polyadic.workspace import Workspace

FOLDER = "hierarchies"
"""Folder, below that of the results, of copies of the workspace with hierarchies of other settings."""
_COPIED, _BUILT = "copied.json", "built.json"


@dataclass(slots=True)
class Hierarchies:
    """The hierarchies of an evaluation.

    Attributes
    ----------
    own
        Fingerprint of the hierarchy of the workspace, which methods such as ``auto`` use for overview questions.
    own_usage
        Model usage of its summaries and reports.
    seconds
        Duration of building it in this run.
    stores, fingerprints
        Store and fingerprint of the hierarchy of each system (by name) that needs one.
    costs
        Size and cost of each of these hierarchies.
    """

    own: str = ""
    own_usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    stores: dict[str, Store] = field(default_factory=dict)
    fingerprints: dict[str, str] = field(default_factory=dict)
    costs: list[HierarchyCost] = field(default_factory=list)

    def fingerprint(self, system: System) -> str:
        """Return the fingerprint of the hierarchy that a system can search."""
        return self.fingerprints.get(system.name, self.own)

    def add(self, store: Store, group: Sequence[System], usage: Usage) -> str:
        """Add the hierarchy of a store for a group of systems; return its fingerprint."""
        with store.read() as reader:
            hierarchy = reader.records.hierarchy()
        names = tuple(system.name for system in group)
        self.stores |= dict.fromkeys(names, store)
        self.fingerprints |= dict.fromkeys(names, hierarchy.fingerprint)
        if names:
            self.costs.append(HierarchyCost(names, len(hierarchy.summaries), len(hierarchy.communities), usage))
        return hierarchy.fingerprint


@dataclass(frozen=True, slots=True)
class _Paid:
    """Model usage of a hierarchy; ``by_file`` if it was built by batch files, which the workspace paid for."""

    usage: Usage
    by_file: bool = False

    @classmethod
    def read(cls, file: Path) -> "_Paid":
        stored = json.loads(file.read_text(encoding="utf-8"))
        return cls(Usage(**stored["usage"]), stored["by_file"])

    def write(self, file: Path) -> None:
        file.write_text(json.dumps(asdict(self)) + "\n", encoding="utf-8")


@dataclass(frozen=True, slots=True)
class HierarchyPreparation:
    """Builds missing hierarchies.

    Parameters
    ----------
    kb
        The indexed workspace. Its own hierarchy is built with its own settings; hierarchies of other settings are built
        in copies of it.
    folder
        Folder of the evaluation, for the copies.
    say_progress
        Called with progress messages.
    by_file
        Sends model requests by batch files instead of online calls.
    """

    kb: Workspace
    folder: Path
    say_progress: Callable[[str], None]
    by_file: EvaluationBatch | None

    @asynccontextmanager
    async def prepared(self, systems: Sequence[System]) -> AsyncIterator[Hierarchies]:
        """Build the hierarchies that these systems need; copies of the workspace are closed at the end.

        Raises
        ------
        ModelUnavailable
            The model that writes summaries is unavailable.
        ReplyPending
            Summaries or reports wait for replies from batch files.
        """
        hierarchies, own, copies = Hierarchies(), self.kb.store(), list[Store]()
        groups = _by_build_settings(systems, self.kb.settings)
        try:
            if own_group := groups.pop(self.kb.settings.hierarchy_build, []):
                await self._build_own(own, hierarchies)
            paid_by_file = Usage()
            for build, group in groups.items():
                copies.append(copy := await self._copy(build))
                paid = await self._build_copy(copy, build)
                hierarchies.add(copy, group, paid.usage)
                paid_by_file += paid.usage if paid.by_file else Usage()
            hierarchies.own_usage = hierarchy_usage(own) - paid_by_file
            hierarchies.own = hierarchies.add(own, own_group, hierarchies.own_usage)
            yield hierarchies
        finally:
            for copy in copies:
                await run_in_thread(copy.close)

    async def _build_own(self, store: Store, hierarchies: Hierarchies) -> None:
        """Build the hierarchy of the workspace unless it is up to date."""
        with store.read() as reader:
            status = hierarchy_status(reader)
        if status is None or not status.is_up_to_date:
            hierarchies.seconds = await self._build(store, self.kb.settings, rebuild=False)
            add_seconds(self.folder, hierarchies.seconds)

    async def _build_copy(self, store: Store, build: HierarchyBuildSettings) -> _Paid:
        """Build the hierarchy of a copy unless it has been built."""
        place = self._place(build)
        if not (file := place / _BUILT).exists():
            await self._build(store, self._settings(build), rebuild=True)
            paid = _Paid(hierarchy_usage(store) - _Paid.read(place / _COPIED).usage, self.by_file is not None)
            paid.write(file)
        return _Paid.read(file)

    async def _build(self, store: Store, settings: Settings, rebuild: bool) -> float:
        def report_progress(progress: BuildProgress) -> None:
            self.say_progress(f"building the hierarchy: {progress.what}, {progress.done:,} of {progress.all:,}")

        self.say_progress("building the hierarchy")
        hierarchies = replace(self.kb.hierarchy, settings=settings, store=lambda: store)
        if self.by_file and wanted(None, settings) == "model":
            report = await self.by_file.build_hierarchy(hierarchies, store, rebuild)
        else:
            report = await hierarchies.abuild(report_progress, rebuild=rebuild)
        if report.stopped:
            raise ModelUnavailable(f"the hierarchy could not be built ({report.stopped})")
        return report.seconds

    async def _copy(self, build: HierarchyBuildSettings) -> Store:
        """Open the copy of the workspace for these build settings; create it if there is none."""
        place = self._place(build)
        if not place.exists():
            self.say_progress("copying the workspace")
            partial = place.with_name(f".{place.name}.part")
            shutil.rmtree(partial, ignore_errors=True)
            await run_in_thread(_copied, self.kb.store(), partial)
            # The ledger is copied as well.
            _Paid(hierarchy_usage(self.kb.store())).write(partial / _COPIED)
            partial.replace(place)
        return LocalFolder(place).open(embedder_name(self.kb.settings.embedding))

    def _settings(self, build: HierarchyBuildSettings) -> Settings:
        return self.kb.settings.model_copy(update={"hierarchy_build": build})

    def _place(self, build: HierarchyBuildSettings) -> Path:
        with self.kb.store().read() as reader:
            counts = reader.records.counts()
        writer = replace(self.kb.hierarchy, settings=self._settings(build)).writer_fingerprint()
        name = digest("hierarchy copy", build.model_dump_json(), writer, self.kb.embedder.name, str(counts))
        return self.folder / FOLDER / name[:16]


def _by_build_settings(systems: Sequence[System], settings: Settings) -> dict[HierarchyBuildSettings, list[System]]:
    """Group the systems that need a hierarchy by its settings."""
    groups: dict[HierarchyBuildSettings, list[System]] = {}
    for system in systems:
        if system.needs_hierarchy:
            groups.setdefault(system.settings(settings).hierarchy_build, []).append(system)
    return groups


def _copied(store: Store, folder: Path) -> None:
    target = LocalFolder(folder).open(None)
    try:
        with store.copy_source() as original, target.copy_target() as duplicate:
            duplicate.begin(original.state)
            for _ in copy_rows(original, duplicate):
                pass
            duplicate.settle()
            duplicate.finish()
    finally:
        target.close()
