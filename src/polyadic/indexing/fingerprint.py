"""How a document was cut and read, in one line of text that the store keeps with it."""

import json
from dataclasses import dataclass
from enum import Enum, auto

from polyadic.config import ChunkingSettings
from polyadic.extraction.extractor import Extractor
from polyadic.storage.protocol import Fingerprint

# Changes when the same settings and extractor would cut or read a document in another way.
_VERSION = 2


class ReindexAction(Enum):
    """What is done for a document.

    ``REREAD``: the document is unchanged, and to be read in another way than it was. ``RESUME``: chunks had failed, and
    are tried again. ``OUTDATED``: nothing, though it was read in another way.
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
    """Which extractor reads, and how documents are cut for it."""

    extractor: str
    paid: bool
    chunking: ChunkingSettings

    @classmethod
    def of(cls, extractor: Extractor, chunking: ChunkingSettings) -> "PipelineConfig":
        return cls(extractor.name, extractor.paid, chunking)

    def __str__(self) -> str:
        parts = {"version": _VERSION, "extractor": self.extractor, **self.chunking.model_dump()}
        return json.dumps(parts | ({"paid": True} if self.paid else {}), sort_keys=True)

    def stamp(self, content: str) -> Fingerprint:
        """What a document of this content, made by this recipe, is stamped with."""
        return Fingerprint(content, str(self), self.extractor)

    def work_for(self, content: str, stamp: Fingerprint | None, anew: bool) -> ReindexAction:
        """What has to be done for a document of this content, whose current revision was made from ``stamp``.

        ``anew``: what was read in another way is to be read again, also where that costs money. Otherwise only what
        costs nothing is, and only where nothing that was paid for would be lost.
        """
        wanted = self.stamp(content)
        if stamp is None:
            return ReindexAction.ADD
        if stamp.content != wanted.content:
            return ReindexAction.CHANGE
        if stamp.recipe == wanted.recipe:
            return ReindexAction.NONE if stamp.complete else ReindexAction.RESUME
        return ReindexAction.REREAD if anew or not (self.paid or _was_paid(stamp)) else ReindexAction.OUTDATED


def _was_paid(stamp: Fingerprint) -> bool:
    return bool(json.loads(stamp.recipe).get("paid"))
