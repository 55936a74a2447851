"""What an indexing run did, while it runs and when it is over."""

from collections import Counter
from dataclasses import dataclass, field

from polyadic.loaders.skipped import SkippedInput
from polyadic.model.types import Usage
from polyadic.storage.protocol import FailedChunk


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a run has come: documents looked at, and what has been done so far for those that needed work.

    ``usage`` is what language models were paid for. ``characters_due`` counts the characters to embed of documents
    whose chunks have been read, of which ``characters_embedded`` are embedded. Where files are read, ``files`` is how
    many there are, ``share`` how much of the run is done (0 to 1), and ``seconds_left`` what the rest will take; None
    where that is not known.
    """

    documents: int
    chunks: int
    chunks_read: int
    texts_embedded: int
    usage: Usage
    characters_embedded: int = 0
    characters_due: int = 0
    files: int = 0
    share: float | None = None
    seconds_left: float | None = None


@dataclass(slots=True)
class IndexReport:
    """The honest sum of an indexing run; times in seconds, ``embedding_seconds`` being part of ``seconds``.

    ``unsupported`` counts files in folders that no reader reads, by suffix; ``encodings`` counts files by their
    encoding, where that is not UTF-8; ``notes`` say how files were read where that was a choice.

    ``withdrawn`` are sources that were gone and were to be pruned; ``resumed`` documents had failed chunks, which
    were tried again; ``outdated`` ones are unchanged, and were read in another way than the settings now say, or
    could not be read in that way at all. ``decided`` counts decisions on who is who that an import brought, and that
    hold for all documents from now on. ``by_model`` says that a language model read. ``problems`` counts, by reason,
    what extraction left out or mended; ``failed`` are chunks that gave no evidence. ``usage`` is what a language model
    was paid, ``embedding_usage`` what an endpoint was paid for embedding. ``slowed`` counts how often fewer calls were
    made from then on, because the endpoint said that there were too many. ``stopped`` says why the run ended early, if
    it did. ``characters_embedded`` and ``characters_due`` are as in :class:`Progress`.
    """

    added: int = 0
    changed: int = 0
    resumed: int = 0
    unchanged: int = 0
    withdrawn: list[str] = field(default_factory=list)
    outdated: int = 0
    skipped: list[SkippedInput] = field(default_factory=list)
    unsupported: Counter[str] = field(default_factory=Counter)
    encodings: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
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
    characters_embedded: int = 0
    characters_due: int = 0
    usage: Usage = field(default_factory=Usage)
    embedding_usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    embedding_seconds: float = 0.0
    slowed: int = 0
    stopped: str = ""

    @property
    def documents(self) -> int:
        return self.added + self.changed + self.resumed + self.unchanged

    @property
    def left_out(self) -> bool:
        """Whether anything was skipped."""
        return bool(self.skipped or self.unsupported)

    def skip(self, *skipped: SkippedInput) -> None:
        """Enter what was skipped; files of unsupported types are counted."""
        self.unsupported.update(one.file_type for one in skipped if one.file_type)
        self.skipped += [one for one in skipped if not one.file_type]

    def progress(self) -> IndexProgress:
        """How far the run has come."""
        looked_at = self.documents + len(self.skipped) + self.unsupported.total()
        return IndexProgress(
            looked_at,
            self.chunks,
            self.chunks_read,
            self.texts_embedded,
            self.usage,
            self.characters_embedded,
            self.characters_due,
        )

    @property
    def facts(self) -> int:
        """Statements that make a fact."""
        return self.evidence - self.without_fact
