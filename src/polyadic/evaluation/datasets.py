"""Data set types, and the BEIR layout ``corpus.jsonl``, ``queries.jsonl``, ``qrels/test.tsv``."""

import csv
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from polyadic.errors import NotFound, UnreadableDataset
from polyadic.evaluation.dataset_files import json_rows, text_of, texts_of, whole_number


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


def load_beir(folder: Path) -> Dataset:
    """Load a data set; of the corpus, only gold passages are kept in memory.

    Raises
    ------
    NotFound
        One of the three files is missing.
    UnreadableDataset
        A file is not in the expected format.
    """
    corpus, queries, qrels = folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels" / "test.tsv"
    for file in (corpus, queries, qrels):
        if not file.is_file():
            raise NotFound(f"{file} does not exist", "a data set has corpus.jsonl, queries.jsonl and qrels/test.tsv")
    gold = _relevant_passages(qrels)
    texts = _passages(corpus, frozenset[str]().union(*gold.values()))
    return Dataset(folder.name, corpus, tuple(_questions(queries, gold, texts)))


def _relevant_passages(qrels: Path) -> dict[str, set[str]]:
    """Return the ids of the relevant passages by question id."""
    gold: dict[str, set[str]] = {}
    with qrels.open(encoding="utf-8-sig", newline="") as rows:
        for number, row in enumerate(csv.DictReader(rows, delimiter="\t"), 2):
            try:
                if float(row["score"]) > 0:
                    gold.setdefault(row["query-id"], set()).add(row["corpus-id"])
            except (KeyError, TypeError, ValueError) as error:
                problem = f"{qrels}, line {number} is not a relevance judgement"
                raise UnreadableDataset(problem, "the columns must be query-id, corpus-id and score") from error
    return gold


def _questions(queries: Path, gold: Mapping[str, Set[str]], texts: Mapping[str, str]) -> Iterator[DatasetQuestion]:
    for number, row in json_rows(queries):
        name, text = text_of(row, "_id"), text_of(row, "text")
        if not name or not text:
            raise UnreadableDataset(f"{queries}, line {number} is not a question", 'it needs "_id" and "text"')
        value = row.get("metadata")
        metadata: Mapping[str, Any] = value if isinstance(value, dict) else {}
        gold_ids = frozenset(gold.get(name, ()))
        yield DatasetQuestion(
            name,
            text,
            texts_of(metadata, "answers", "golden_answers", "answer"),
            gold_ids,
            tuple(passage for id, passage in texts.items() if id in gold_ids),
            whole_number(metadata, "nary"),
            whole_number(metadata, "nhop"),
            text_of(metadata, "type"),
        )


def _passages(corpus: Path, ids: Set[str]) -> dict[str, str]:
    """Return the texts of these passages, each below its title, in corpus order."""
    texts = {}
    for _, row in json_rows(corpus):
        name = text_of(row, "_id")
        if name in ids:
            texts[name] = f"{text_of(row, 'title')}\n{text_of(row, 'text')}".strip()
    return texts


def corpus_id(source: str) -> str:
    """Return the corpus id of a document from its source.

    >>> corpus_id("/data/corpus.jsonl#h0007")
    'h0007'
    """
    return source.rpartition("#")[2]
