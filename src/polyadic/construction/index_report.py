"""What an indexing run did, while it runs and when it is over."""

from collections import Counter
from dataclasses import dataclass, field

from polyadic.construction.reading.skipped import Skipped
from polyadic.knowledge import Usage
from polyadic.store.protocol import FailedChunk


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come: documents looked at, and what has been done so far for those that needed work.

    ``usage`` is what language models were paid for.
    """

    documents: int
    chunks: int
    chunks_read: int
    texts_embedded: int
    usage: Usage


@dataclass(slots=True)
class IndexReport:
    """The honest sum of an indexing run; times in seconds, ``embedding_seconds`` being part of ``seconds``.

    ``withdrawn`` are sources that were gone and were to be pruned; ``resumed`` documents had failed chunks, which
    were tried again; ``outdated`` ones are unchanged, and were read in another way than the settings now say, or
    could not be read in that way at all. ``decided`` counts decisions on who is who that an import brought, and that
    hold for all documents from now on. ``by_model`` says that a language model read. ``problems`` counts, by reason,
    what extraction left out or mended; ``failed`` are chunks that gave no evidence. ``usage`` is what a language model
    was paid, ``embedding_usage`` what an endpoint was paid for embedding. ``slowed`` counts how often fewer calls were
    made from then on, because the endpoint said that there were too many. ``stopped`` says why the run ended early, if
    it did.
    """

    added: int = 0
    changed: int = 0
    resumed: int = 0
    unchanged: int = 0
    withdrawn: list[str] = field(default_factory=list)
    outdated: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    same_text: int = 0
    extractor: str = ""
    by_model: bool = False
    chunks: int = 0
    chunks_read: int = 0
    evidence: int = 0
    without_fact: int = 0
    decided: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    failed: list[FailedChunk] = field(default_factory=list)
    texts_embedded: int = 0
    usage: Usage = field(default_factory=Usage)
    embedding_usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    embedding_seconds: float = 0.0
    slowed: int = 0
    stopped: str = ""

    @property
    def documents(self) -> int:
        return self.added + self.changed + self.resumed + self.unchanged

    def progress(self) -> Progress:
        """How far the run has come."""
        looked_at = self.documents + len(self.skipped)
        return Progress(looked_at, self.chunks, self.chunks_read, self.texts_embedded, self.usage)

    @property
    def facts(self) -> int:
        """Statements that make a fact."""
        return self.evidence - self.without_fact
