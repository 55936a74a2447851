"""Data types of the hierarchy (HiRAG, arXiv 2503.10150): clusters with summary entities, communities with reports.

Layer 0 consists of the entities. Similar members of one layer form a *cluster*. Each cluster gets one or more *summary
entities*, which form the next layer; one *membership fact* connects a summary with the members that it covers. Nodes
that are connected by facts and memberships form *communities* on several levels; each community gets a *report*.

The hierarchy is derived from facts and entities, with or without a language model, and is stored beside them; it is
never evidence. A cluster or community whose sources have changed is stale: its texts are deleted, and it is not
retrieved until it is rebuilt.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from polyadic.model import identity

EXTRACTIVE = "extractive"
"""Value of ``by`` for summaries and reports made without a language model, from the words of names and facts."""


@dataclass(frozen=True, slots=True)
class Membership:
    """Why a member belongs to a summary, and how strongly (HiRAG, Figure 9).

    Parameters
    ----------
    member
        Identifier of the member.
    description
        Why it belongs to the summary, in the words of a model.
    strength
        How strongly, in [0, 10].
    """

    member: str
    description: str
    strength: float


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary entity and its membership fact.

    Parameters
    ----------
    cluster
        Identifier of the cluster of its members.
    layer
        Layer of the summary, 1 or more.
    name, type, description
        As for an entity.
    members
        Identifiers of the entities (layer 1) or summaries (higher layers) that it covers, sorted; at least two.
    by
        Name of the language model, or EXTRACTIVE.
    memberships
        Descriptions of the memberships, sorted by member; empty unless the prompt asked a model for them.
    """

    cluster: str
    layer: int
    name: str
    type: str
    description: str
    members: tuple[str, ...]
    by: str
    memberships: tuple[Membership, ...] = ()

    @property
    def id(self) -> str:
        """Identifier; unchanged while the members of the cluster and the name of the summary stay the same."""
        return identity.digest("summary", self.cluster, identity.entity_key(self.name))


@dataclass(frozen=True, slots=True)
class Cluster:
    """Similar members of one layer, with their summaries.

    Parameters
    ----------
    layer
        Layer of its members, from 0.
    members
        Identifiers, sorted; at least two.
    own
        Members whose most likely cluster is this one; cluster sparsity counts only these.
    sources
        Identifiers of all entities, summaries and facts whose text the summaries were made from. If one of them
        changes or is deleted, the cluster becomes stale.
    summaries
        Empty if the cluster is stale.
    stale
        Whether its summaries have to be rebuilt.
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
    """A finding of a community report, with the identifiers of the facts that support it."""

    text: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Report of a community.

    Parameters
    ----------
    title, summary
        What the community is about.
    rating
        Importance of the community, in [0, 10].
    findings
        Findings with their supporting facts.
    by
        Name of the language model, or EXTRACTIVE.
    """

    title: str
    summary: str
    rating: float
    findings: tuple[ReportFinding, ...]
    by: str

    @property
    def text(self) -> str:
        """Title, summary and findings, one per line."""
        lines = [f"{self.title}. {self.summary}" if self.summary else self.title, *(f.text for f in self.findings)]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Community:
    """A group of densely connected entities and summaries.

    Parameters
    ----------
    level
        0 for top-level communities; sub-communities are one level deeper.
    members
        Identifiers of entities and summaries of any layer, sorted.
    parent
        Identifier of the community that contains it; empty on level 0.
    basis
        Digest of the input of its report; if the digest of the current input differs, the report is outdated.
    sources
        Identifiers of all entities, summaries and facts whose text the report was made from. If one of them changes
        or is deleted, the community becomes stale.
    report
        None if the community is stale or too small for a report.
    tokens
        Number of tokens of the report.
    stale
        Whether its report has to be rebuilt.
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
        Sorted by layer or level, then by identifier.
    sparsities
        Cluster sparsity of each clustered layer, from layer 0 (HiRAG, Eq. 17).
    settled
        Number of entities assigned at the last full clustering.
    since
        Number of entities assigned since then.
    """

    clusters: tuple[Cluster, ...] = ()
    communities: tuple[Community, ...] = ()
    sparsities: tuple[float, ...] = ()
    settled: int = 0
    since: int = 0

    @property
    def fingerprint(self) -> str:
        """Digest of everything that retrieval uses: clusters, summaries, communities and reports.

        >>> Hierarchy().fingerprint == Hierarchy(settled=2).fingerprint
        True
        """
        return identity.digest("hierarchy", repr(self.clusters), repr(self.communities))

    @property
    def summaries(self) -> tuple[Summary, ...]:
        return tuple(summary for cluster in self.clusters for summary in cluster.summaries)


@dataclass(frozen=True, slots=True)
class Rearrangement:
    """A change of the hierarchy.

    Parameters
    ----------
    clusters, communities
        New or changed ones; they replace those with the same identifiers.
    removed
        Identifiers of deleted clusters and communities.
    sparsities, settled, since
        As in :class:`Hierarchy`.
    """

    clusters: Sequence[Cluster] = ()
    communities: Sequence[Community] = ()
    removed: Sequence[str] = field(default_factory=tuple)
    sparsities: Sequence[float] = ()
    settled: int = 0
    since: int = 0
