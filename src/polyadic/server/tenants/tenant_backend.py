"""What a server has to know of the place where its workspaces are."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from polyadic.server.jobs.job_store import JobStore
from polyadic.server.jobs.upload_store import UploadStore


@dataclass(frozen=True, slots=True)
class WorkspaceLocation:
    """What :class:`polyadic.workspace.Workspace` is told to open: its place, and the folder of settings and prompts."""

    place: str
    folder: str


class TenantBackend(Protocol):
    """Workspaces by name, and what the server keeps beside them; as text, what to call it where people read it.

    Names are those that :func:`polyadic.server.tenants.names.is_name` allows, whatever else is there.
    """

    @property
    def book(self) -> JobStore:
        """The jobs."""

    @property
    def intake(self) -> UploadStore:
        """What was handed in for them."""

    @property
    def aside(self) -> Path:
        """A folder of this machine for what is on its way; this server's alone, and empty when it starts."""

    async def begin(self) -> None:
        """Make ready, and remove what was left half done where a server was killed."""

    def close(self) -> None:
        """Let go of files and connections."""

    async def names(self, opens: Callable[[str], bool]) -> list[str]:
        """The names of the workspaces of which ``opens`` holds, sorted; of others nothing is looked up."""

    async def state(self, name: str) -> Hashable | None:
        """What is another where the workspace is another one, or is set up in another way; None where there is none."""

    def whereabouts(self, name: str) -> WorkspaceLocation:
        """Where a workspace of this name is, or would be."""

    async def make(self, name: str) -> None:
        """Make a workspace, whole or not at all.

        Raises
        ------
        Refused
            There is something of this name (409).
        """

    async def remove(self, name: str) -> None:
        """Remove a workspace with all that it holds, whose jobs have been stopped and forgotten."""
