"""What writes summaries and reports: a language model, or names and facts themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from polyadic.hierarchy.prompt_context import FactContext, MemberContext
from polyadic.model.hierarchy import Report, Summary

OTHER_TYPE = "normal_entity"
"""The type of a summary that is none of the general types of the settings (HiRAG's term for it)."""


@dataclass(frozen=True, slots=True)
class ClusterSummaries:
    """What sums a cluster up.

    Parameters
    ----------
    summaries
        At least one, with identifiers of their own; by a model, or extractive.
    sources
        Identifiers of all members and facts whose words these were made from, sorted.
    lost
        What had to be mended, or left out of a model's reply, in words for people; each as often as it happened.
    failed
        Why a model's words are not here, though one was asked; empty where they are, or where none was asked.
    """

    summaries: tuple[Summary, ...]
    sources: tuple[str, ...]
    lost: tuple[str, ...] = ()
    failed: str = ""


@dataclass(frozen=True, slots=True)
class CommunityDescription:
    """What a community is about; ``report`` is None where no fact is told of it. The rest as in Summaries."""

    report: Report | None
    sources: tuple[str, ...]
    lost: tuple[str, ...] = ()
    failed: str = ""


class Summarizer(Protocol):
    """Writes summaries and reports; ``by`` names the model, or is EXTRACTIVE.

    The same in the same order makes the same request, so that replies are remembered. Calls do not depend on each
    other: any number may be under way.
    """

    by: str

    async def summarise(self, layer: int, members: Sequence[MemberContext]) -> ClusterSummaries:
        """The summaries of a cluster.

        Parameters
        ----------
        layer
            Of the summaries, from 1.
        members
            Those of the cluster, at least two.

        Raises
        ------
        ModelUnavailable
            The model is not to be had, or the budget is used up: no other request will fare better.
        ReplyPending
            The model is asked by file.
        """
        ...

    async def report(self, members: Sequence[MemberContext], facts: Sequence[FactContext]) -> CommunityDescription:
        """The report of a community.

        Parameters
        ----------
        members
            Those of the community, the most important first: where there is no room for all, the last are not shown.
        facts
            Those among its members, the most important first: where there is no room for all, the last are not shown.

        Raises
        ------
        ModelUnavailable, ReplyPending
            As for summarise.
        """
        ...
