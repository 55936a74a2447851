"""Types of data sets: questions with gold answers and passages, and the layout of their corpus."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


@dataclass(frozen=True, slots=True)
class DatasetQuestion:
    """A question with its gold answers and gold passages.

    Attributes
    ----------
    gold
        Corpus ids of the passages that are all needed to answer the question.
    knowledge
        Texts of the gold knowledge: gold facts, or gold passages in corpus order.
    arity
        Arity of the fact asked about; 0 if unknown.
    hops
        Number of facts to combine; 0 if unknown.
    kind
        Question type of the data set; empty if unknown.
    """

    id: str
    text: str
    answers: tuple[str, ...]
    gold: frozenset[str]
    knowledge: tuple[str, ...] = ()
    arity: int = 0
    hops: int = 0
    kind: str = ""


class CorpusLayout(StrEnum):
    """Format of a corpus file."""

    BEIR = "beir"
    """JSON lines with ``_id``, ``title``, ``text``."""
    CONTEXTS = "contexts"
    """One JSON list of texts, as in the repositories of HyperGraphRAG and LightRAG."""
    ROWS = "rows"
    """JSON lines of questions with their own ``context``, as in UltraDomain."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A question set and the path of its corpus file."""

    name: str
    corpus: Path
    questions: tuple[DatasetQuestion, ...]
    layout: CorpusLayout = CorpusLayout.BEIR


def corpus_id(source: str) -> str:
    """Return the corpus id of a document from its source.

    >>> corpus_id("/data/corpus.jsonl#h0007")
    'h0007'
    """
    return source.rpartition("#")[2]
