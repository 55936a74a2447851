"""Size and cost of the index of a corpus.

Source: HyperGraphRAG v3 (arXiv 2503.21322v3), Figure 5 and Table 3; HiRAG (arXiv 2503.10150), Table 5.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from polyadic.hierarchy.llm_summarizer import REPORT, SUMMARIZE
from polyadic.model.types import Usage
from polyadic.query.workspace_status import status_of
from polyadic.storage.protocol import Counts, Reader, Store
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
        Model usage of extraction, and of summaries and reports of the workspace's hierarchy.
    seconds
        Duration of indexing and of building the hierarchy; None if the workspace was not filled by an evaluation.
    hierarchies
        The hierarchies that were searched.
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
    hierarchies: tuple["HierarchyCost", ...] = ()

    @property
    def seconds_per_1000_tokens(self) -> float | None:
        """TP1kT: seconds per 1,000 corpus tokens."""
        return None if self.seconds is None or not self.tokens else 1000 * self.seconds / self.tokens

    @property
    def money_per_1000_tokens(self) -> float:
        """CP1kT: model cost per 1,000 corpus tokens."""
        return 1000 * self.usage.money / self.tokens if self.tokens else 0.0


@dataclass(frozen=True, slots=True)
class HierarchyCost:
    """Size of a hierarchy and model usage of its summaries and reports, with the systems (by name) that search it."""

    systems: tuple[str, ...]
    summaries: int
    communities: int
    usage: Usage


def construction_of(
    kb: Workspace, seconds: float | None, hierarchy: Usage | None = None, hierarchies: Sequence[HierarchyCost] = ()
) -> IndexingCost:
    """Measure a workspace.

    Parameters
    ----------
    kb
        The workspace.
    seconds
        Duration of indexing and of building its hierarchy.
    hierarchy
        Model usage of its hierarchy.
    hierarchies
        The hierarchies that were searched.
    """
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
        sum((status.spent_for.get(purpose, Usage()) for purpose in PURPOSES), hierarchy or Usage()),
        seconds,
        tuple(hierarchies),
    )


def hierarchy_usage(store: Store) -> Usage:
    """Return the model usage of summaries and reports that a store has recorded."""
    with store.read() as reader:
        spent = reader.records.spent()
    return sum((usage for (purpose, _), (usage, _) in spent.items() if purpose in (SUMMARIZE, REPORT)), Usage())


def add_seconds(folder: Path, seconds: float) -> None:
    """Add seconds of construction to those of earlier runs into a folder."""
    total = (seconds_so_far(folder) or 0.0) + seconds
    (folder / FILE_NAME).write_text(json.dumps({"seconds": total}) + "\n", encoding="utf-8")


def seconds_so_far(folder: Path) -> float | None:
    """Return the seconds of construction over all runs into a folder; None if its workspace was filled otherwise."""
    file = folder / FILE_NAME
    return float(json.loads(file.read_text(encoding="utf-8"))["seconds"]) if file.exists() else None


def _tokens(reader: Reader, node_type: Literal["fact", "chunk"]) -> int:
    return int(reader.tokens(node_type, reader.rows(node_type)).sum())
