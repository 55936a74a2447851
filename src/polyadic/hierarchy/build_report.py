"""What building a hierarchy did, while it runs and when it is over."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from polyadic.model.types import Usage


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """How far a step has come: ``done`` of ``all`` pieces are written, or it has none; ``usage`` is what was paid."""

    what: str
    done: int
    all: int
    usage: Usage


@dataclass(slots=True)
class BuildReport:
    """The honest sum of building a hierarchy.

    Parameters
    ----------
    by
        What wrote: the name of a model, or "extractive".
    anew
        Whether everything was clustered anew.
    entities, layers, clusters, summaries, communities, reports
        How many there are now.
    sparsities
        Cluster sparsity of each layer that was clustered, from layer 0.
    clusters_made, reports_made
        Clusters that were summed up in this run, and communities that were reported on; all others stayed as they were.
    removed
        Clusters and communities that are no more.
    failed
        By reason, what a model gave no words for that can be used: there are names and facts in its place, and the next
        run asks again.
    lost
        By reason, what was mended or left out in a model's replies.
    awaited
        How many clusters and communities wait for replies from a batch file.
    recalled
        Replies that were known from an earlier run.
    changed
        Whether the workspace has another hierarchy than before.
    usage, embedding_usage
        What a language model and an endpoint that embeds were paid.
    slowed
        How often fewer calls were made from then on, because the endpoint said that there were too many.
    stopped
        Why the run ended early; nothing has changed then, and what was replied is kept for the next run.
    """

    by: str = ""
    anew: bool = False
    entities: int = 0
    layers: int = 0
    clusters: int = 0
    summaries: int = 0
    communities: int = 0
    reports: int = 0
    sparsities: tuple[float, ...] = ()
    clusters_made: int = 0
    reports_made: int = 0
    removed: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    awaited: int = 0
    recalled: int = 0
    changed: bool = False
    texts_embedded: int = 0
    usage: Usage = field(default_factory=Usage)
    embedding_usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    slowed: int = 0
    stopped: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether there is a hierarchy of all that the workspace holds."""
        return not self.stopped and not self.awaited

    def enter(self, lost: Iterable[str], failed: str) -> None:
        """Note what was left out of a reply, and why there is none of use."""
        self.lost.update(lost)
        if failed:
            self.failed[failed] += 1
