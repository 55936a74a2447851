"""Fingerprint of the extractor and chunking settings that a document was indexed with."""

import json
from dataclasses import dataclass
from enum import Enum, auto

from polyadic.config import ChunkingSettings
from polyadic.extraction.extractor import Extractor
from polyadic.storage.protocol import Fingerprint

# Increment if the same settings and extractor produce other chunks or evidence.
_VERSION = 3


class ReindexAction(Enum):
    """What indexing does with a document.

    ``NONE``: unchanged, skip. ``ADD``: new. ``CHANGE``: the content has changed. ``REREAD``: unchanged, but reindexed
    with another pipeline configuration. ``RESUME``: retry failed chunks. ``OUTDATED``: indexed with another pipeline
    configuration, but not reindexed.
    """

    NONE = auto()
    ADD = auto()
    CHANGE = auto()
    REREAD = auto()
    RESUME = auto()
    OUTDATED = auto()


NOTHING_TO_DO = (ReindexAction.NONE, ReindexAction.OUTDATED)


@dataclass(frozen=True, slots=True)
class PipelineConfig:
    """Extractor and chunking settings of an indexing run."""

    extractor: str
    paid: bool
    chunking: ChunkingSettings

    @classmethod
    def of(cls, extractor: Extractor, chunking: ChunkingSettings) -> "PipelineConfig":
        return cls(extractor.name, extractor.paid, chunking.read_by(extractor.paid))

    def __str__(self) -> str:
        parts = {"version": _VERSION, "extractor": self.extractor, **self.chunking.model_dump()}
        return json.dumps(parts | ({"paid": True} if self.paid else {}), sort_keys=True)

    def stamp(self, content: str) -> Fingerprint:
        """Return the fingerprint of a document with this content digest under this configuration."""
        return Fingerprint(content, str(self), self.extractor)

    def work_for(self, content: str, stamp: Fingerprint | None, reextract: bool) -> ReindexAction:
        """Return the action for a document.

        Parameters
        ----------
        content
            Digest of the document's content.
        stamp
            Fingerprint of the current revision; None for a new document.
        reextract
            Reindex a document whose configuration has changed even if that costs money. Otherwise it is reindexed only
            if that is free and discards nothing that was paid for.
        """
        target = self.stamp(content)
        if stamp is None:
            return ReindexAction.ADD
        if stamp.content != target.content:
            return ReindexAction.CHANGE
        if stamp.pipeline_config == target.pipeline_config:
            return ReindexAction.NONE if stamp.complete else ReindexAction.RESUME
        return ReindexAction.REREAD if reextract or not (self.paid or _was_paid(stamp)) else ReindexAction.OUTDATED


def _was_paid(stamp: Fingerprint) -> bool:
    return bool(json.loads(stamp.pipeline_config).get("paid"))
