"""What a server has to know of the book in which its jobs are kept, alone or together with other servers."""

from collections.abc import Collection, Sequence
from typing import Protocol

from polyadic.server.jobs.job import Job, JobState


class JobStore(Protocol):
    """Jobs by identifier, in the order in which they came.

    A job changes by :meth:`swap` alone, from what it was known to be; so of several who would change it one does. The
    jobs of a workspace are run by the server that has taken them (:meth:`take`).

    Every method may raise StoreError, where the book cannot be used.
    """

    @property
    def seconds_between_looks(self) -> float:
        """After how many seconds to look again: others may have written, or there may be room again."""

    async def begin(self) -> None:
        """Make ready, before anything else."""

    async def add(self, job: Job, most: int) -> bool:
        """Enter a new job, for good; False where ``most`` of its workspace have not ended yet."""

    async def swap(self, was: Job, becomes: Job) -> bool:
        """Enter what becomes of a job; False where it is not, or no longer, at the stage that ``was`` tells."""

    async def job(self, identifier: str, workspace: str) -> Job | None:
        """A job of a workspace; None where it has none with this identifier."""

    async def jobs(self, workspace: str, limit: int) -> list[Job]:
        """The jobs of a workspace, the latest first."""

    async def these(self, identifiers: Collection[str]) -> list[Job]:
        """Those that are there of these."""

    async def going(self, workspace: str) -> list[Job]:
        """The jobs of a workspace that have not ended, the first first."""

    async def first(self) -> list[Job]:
        """Of each workspace the first job that has not ended, in the order in which they came."""

    async def counts(self) -> dict[JobState, int]:
        """How many jobs are in each state."""

    async def old(self, workspace: str, keep: int) -> list[Job]:
        """The jobs of a workspace that have ended, but for the latest."""

    async def forget(self, identifiers: Sequence[str]) -> None:
        """Forget jobs."""

    async def forget_workspace(self, workspace: str) -> None:
        """Forget all jobs of a workspace."""

    # who runs them

    async def take(self, job: Job) -> bool:
        """Have the jobs of this one's workspace for this server alone, until let go or until it ends, however it ends.

        False where another server has them, or where this is not the first of them any more.
        """

    async def holds(self, job: Job) -> bool:
        """Whether what was taken is still this server's."""

    async def let_go(self, job: Job) -> None:
        """Leave to others what was taken."""

    async def ask_to_stop(self, job: Job) -> None:
        """Let whoever runs a job know that it is to end."""

    async def asked_to_stop(self, identifiers: Collection[str]) -> frozenset[str]:
        """Those of the jobs that somebody wants to end."""

    def close(self) -> None:
        """Let go of files and connections."""
