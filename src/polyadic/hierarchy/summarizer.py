"""Protocol of summarizers, which write cluster summaries and community reports."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from polyadic.hierarchy.prompt_context import FactContext, MemberContext
from polyadic.model.hierarchy import Report, Summary

OTHER_TYPE = "normal_entity"
"""Type of a summary that has none of the configured general types (HiRAG's term)."""


@dataclass(frozen=True, slots=True)
class ClusterSummaries:
    """Summaries of a cluster.

    Parameters
    ----------
    summaries
        At least one summary, by a model or extractive.
    sources
        Sorted identifiers of all members and facts whose text was used.
    dropped
        Problems repaired or dropped in a model's reply, as messages; one entry per occurrence.
    failed
        Why the model's reply could not be used; empty if it was used or no model was called.
    """

    summaries: tuple[Summary, ...]
    sources: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    failed: str = ""


@dataclass(frozen=True, slots=True)
class CommunityDescription:
    """Report of a community, None without facts; the other fields are as in :class:`ClusterSummaries`."""

    report: Report | None
    sources: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    failed: str = ""


class Summarizer(Protocol):
    """Writes summaries and reports.

    The same input in the same order must give the same request, so that replies can be cached. Calls are independent
    and may run concurrently.

    Attributes
    ----------
    by
        Name of the model, or EXTRACTIVE.
    """

    by: str

    async def summarize(self, layer: int, members: Sequence[MemberContext]) -> ClusterSummaries:
        """Write the summaries of a cluster.

        Parameters
        ----------
        layer
            Layer of the summaries, from 1.
        members
            Members of the cluster, at least two.

        Raises
        ------
        ModelUnavailable
            The model is not available, or the budget is exhausted; other requests would fail as well.
        ReplyPending
            The reply is expected from a batch file.
        """
        ...

    async def report(self, members: Sequence[MemberContext], facts: Sequence[FactContext]) -> CommunityDescription:
        """Write the report of a community.

        Parameters
        ----------
        members
            Members of the community, the most important first; the last ones are dropped if there is no room.
        facts
            Facts among its members, the most important first; the last ones are dropped if there is no room.

        Raises
        ------
        ModelUnavailable, ReplyPending
            As for :meth:`summarize`.
        """
        ...
