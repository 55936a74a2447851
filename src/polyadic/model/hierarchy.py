"""The terms of the hierarchy (HiRAG, arXiv 2503.10150): clusters with summary entities, communities with reports.

Layer 0 is the entities. What is alike in one layer is a *cluster*; each cluster gets one or more *summary entities*,
which are the next layer; a summary and the members that it covers are joined by one *membership fact*. What is
connected, through facts and memberships, is a *community*, on several levels; each gets a *report*.

All of it is derived from facts and entities, by a language model or without one, and lives beside them: it is never
evidence. What rests on something that has changed is stale: its words are gone, and it is told to nobody until it has
been made again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from polyadic.model import identity

EXTRACTIVE = "extractive"
"""What made a summary or a report where no language model did: its words are those of names and facts."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary entity and its membership fact.

    ``layer`` is 1 or more; ``members`` are the identifiers of the entities (layer 1) or summaries (above) that it
    covers, at least two, sorted; ``cluster`` is the identifier of theirs; ``by`` names the model, or is EXTRACTIVE.
    """

    cluster: str
    layer: int
    name: str
    type: str
    description: str
    members: tuple[str, ...]
    by: str

    @property
    def id(self) -> str:
        """The same as long as the cluster has the same members and the summary its name."""
        return identity.digest("summary", self.cluster, identity.entity_key(self.name))


@dataclass(frozen=True, slots=True)
class Cluster:
    """Members of one layer that are alike, and what sums them up.

    Parameters
    ----------
    layer
        That of its members, from 0.
    members
        Identifiers, sorted; at least two.
    own
        Those of the members that are more likely here than in any other cluster (sparsity counts these alone).
    sources
        Identifiers of all entities, summaries and facts whose words the summaries were made from. If what they
        said then is said no more, or one of them goes, the cluster is stale.
    summaries
        Empty if the cluster is stale.
    stale
        Whether its summaries have to be made again.
    """

    layer: int
    members: tuple[str, ...]
    own: tuple[str, ...]
    sources: tuple[str, ...] = ()
    summaries: tuple[Summary, ...] = ()
    stale: bool = False

    @property
    def id(self) -> str:
        return identity.digest("cluster", str(self.layer), *self.members)


@dataclass(frozen=True, slots=True)
class ReportFinding:
    """One thing that a report says, and the identifiers of the facts that it rests on."""

    text: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What a community is about; ``rating`` in [0, 10] says how much it matters; ``by`` as in Summary."""

    title: str
    summary: str
    rating: float
    findings: tuple[ReportFinding, ...]
    by: str

    @property
    def text(self) -> str:
        """The report as it is read."""
        lines = [f"{self.title}. {self.summary}" if self.summary else self.title, *(f.text for f in self.findings)]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Community:
    """Entities and summaries that are closely connected.

    Parameters
    ----------
    level
        0 for those that no other holds; its parts are one level further down.
    members
        Identifiers of entities and summaries of any layer, sorted.
    parent
        Identifier of the community that holds it; empty on level 0.
    basis
        A digest of what its report was made from; another one where a report would now be made from something else.
    sources
        Identifiers of all entities, summaries and facts whose words the report was made from. If what they said
        then is said no more, or one of them goes, the community is stale.
    tokens
        Of the report's text.
    report
        None if the community is stale or too small for one.
    """

    level: int
    members: tuple[str, ...]
    parent: str = ""
    basis: str = ""
    sources: tuple[str, ...] = ()
    report: Report | None = None
    tokens: int = 0
    stale: bool = False

    @property
    def id(self) -> str:
        return identity.digest("community", str(self.level), *self.members)


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """All clusters and communities of one state of a workspace.

    Parameters
    ----------
    clusters, communities
        By layer or level, then by identifier.
    sparsities
        CS of the clusters of each layer that was clustered, from layer 0 (HiRAG, Eq. 17).
    settled
        How many entities were placed when all were last clustered anew.
    since
        How many have been placed since then.
    """

    clusters: tuple[Cluster, ...] = ()
    communities: tuple[Community, ...] = ()
    sparsities: tuple[float, ...] = ()
    settled: int = 0
    since: int = 0

    @property
    def summaries(self) -> tuple[Summary, ...]:
        return tuple(summary for cluster in self.clusters for summary in cluster.summaries)


@dataclass(frozen=True, slots=True)
class Rearrangement:
    """One step of the hierarchy from a state to the next.

    ``clusters`` and ``communities`` are put in the place of those with the same identifiers; ``gone`` are identifiers
    of clusters and communities that are no more. The numbers are as in Hierarchy.
    """

    clusters: Sequence[Cluster] = ()
    communities: Sequence[Community] = ()
    gone: Sequence[str] = field(default_factory=tuple)
    sparsities: Sequence[float] = ()
    settled: int = 0
    since: int = 0
