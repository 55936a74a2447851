"""Progress and result of a hierarchy build."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from polyadic.model.types import Usage


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """Progress of one step of a build.

    Parameters
    ----------
    what
        Name of the step.
    done, all
        Number of pieces written, and of all pieces; 0 if the step has none.
    usage
        Usage of the language model so far.
    """

    what: str
    done: int
    all: int
    usage: Usage


@dataclass(slots=True)
class BuildReport:
    """Result of a hierarchy build.

    Parameters
    ----------
    by
        Name of the language model, or "extractive".
    rebuilt
        Whether everything was clustered again.
    entities, layers, clusters, summaries, communities, reports
        Current numbers.
    sparsities
        Cluster sparsity of each clustered layer, from layer 0.
    clusters_built, reports_written
        Number of clusters summarized and of communities reported on in this run; all others were kept.
    removed
        Number of clusters and communities deleted.
    failed
        Number of summaries and reports that the model could not provide, by reason. They are extractive instead, and
        the next run asks the model again.
    dropped
        Number of items repaired or dropped in the model's replies, by reason.
    pending
        Number of clusters and communities that wait for replies from a batch file.
    cache_hits
        Number of replies taken from the cache.
    changed
        Whether the hierarchy of the workspace has changed.
    texts_embedded
        Number of texts embedded.
    usage, embedding_usage
        Usage of the language model and of the embedding endpoint.
    seconds
        Duration of the run, in seconds.
    throttle_count
        How often the number of concurrent calls was reduced because the endpoint reported too many.
    stopped
        Why the run ended early. The hierarchy is then unchanged, and replies are cached for the next run.
    """

    by: str = ""
    rebuilt: bool = False
    entities: int = 0
    layers: int = 0
    clusters: int = 0
    summaries: int = 0
    communities: int = 0
    reports: int = 0
    sparsities: tuple[float, ...] = ()
    clusters_built: int = 0
    reports_written: int = 0
    removed: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    pending: int = 0
    cache_hits: int = 0
    changed: bool = False
    texts_embedded: int = 0
    usage: Usage = field(default_factory=Usage)
    embedding_usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    throttle_count: int = 0
    stopped: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the build was completed."""
        return not self.stopped and not self.pending

    def enter(self, dropped: Iterable[str], failed: str) -> None:
        """Count what was repaired or dropped in a reply, and why a reply could not be used."""
        self.dropped.update(dropped)
        if failed:
            self.failed[failed] += 1
