"""Size and cost of the index of a corpus.

Source: HyperGraphRAG v3 (arXiv 2503.21322v3), Figure 5 and Table 3; HiRAG (arXiv 2503.10150), Table 5.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from polyadic.indexing.report import IndexReport
from polyadic.model.types import Usage
from polyadic.query.workspace_status import status_of
from polyadic.storage.protocol import Counts, Reader
from polyadic.workspace import Workspace

FILE_NAME = "construction.json"
PURPOSES = ("extract", "glean")


@dataclass(frozen=True, slots=True)
class IndexingCost:
    """Contents of a workspace and the cost of indexing it.

    Attributes
    ----------
    tokens, fact_tokens
        Tokens of all passages, and of all facts.
    pairs
        Entity pairs in the clique expansion of the facts.
    arities
        Number of facts by arity.
    degrees
        Number of entities by degree.
    usage
        Model usage of extraction.
    seconds
        Duration of indexing; None if the workspace was not filled by an evaluation.
    """

    counts: Counts
    tokens: int
    fact_tokens: int
    pairs: int
    arities: tuple[tuple[int, int], ...]
    degrees: tuple[tuple[int, int], ...]
    extractors: tuple[str, ...]
    embedder: str
    usage: Usage
    seconds: float | None

    @property
    def seconds_per_1000_tokens(self) -> float | None:
        """TP1kT: seconds per 1,000 corpus tokens."""
        return None if self.seconds is None or not self.tokens else 1000 * self.seconds / self.tokens

    @property
    def money_per_1000_tokens(self) -> float:
        """CP1kT: model cost per 1,000 corpus tokens."""
        return 1000 * self.usage.money / self.tokens if self.tokens else 0.0


def construction_of(kb: Workspace, seconds: float | None) -> IndexingCost:
    """Measure a workspace."""
    status = status_of(kb.store(), str(kb.home), kb.embedder.name)
    with kb.store().read() as reader:
        tokens, fact_tokens = _tokens(reader, "chunk"), _tokens(reader, "fact")
        degrees = np.bincount(reader.degrees("entity_facts", reader.rows("entity")))
    return IndexingCost(
        status.counts,
        tokens,
        fact_tokens,
        sum(facts * arity * (arity - 1) // 2 for arity, facts in status.arities.items()),
        tuple(sorted(status.arities.items())),
        tuple((degree, int(count)) for degree, count in enumerate(degrees) if count and degree),
        tuple(sorted(status.extractors)),
        status.embedder,
        sum((status.spent_for.get(purpose, Usage()) for purpose in PURPOSES), Usage()),
        seconds,
    )


def seconds_so_far(folder: Path, report: IndexReport | None = None) -> float | None:
    """Return the total seconds of indexing over all runs into a folder, after adding those of a report.

    None if no run has indexed anything, because the workspace was filled otherwise.
    """
    file = folder / FILE_NAME
    stored_seconds = json.loads(file.read_text(encoding="utf-8"))["seconds"] if file.exists() else None
    if report is None or not report.chunks:
        return None if stored_seconds is None else float(stored_seconds)
    seconds = float(stored_seconds or 0.0) + report.seconds
    file.write_text(json.dumps({"seconds": seconds}) + "\n", encoding="utf-8")
    return seconds


def _tokens(reader: Reader, side: Literal["fact", "chunk"]) -> int:
    return int(reader.tokens(side, reader.rows(side)).sum())
