"""Question sets: their terms, and the BEIR layout ``corpus.jsonl``, ``queries.jsonl``, ``qrels/test.tsv``."""

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
    """A question, its golden answers, and the passages (by corpus id) that are all needed to answer it.

    ``knowledge`` are the texts of the gold knowledge: gold facts, or gold passages in the order of the corpus. Where
    the data set tells, ``arity`` is that of the fact asked about, ``hops`` says how many facts have to be joined, and
    ``kind`` is its own word for what kind of question this is; 0 and empty where it does not.
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
    """How the passages of a data set lie in its corpus file."""

    BEIR = "beir"
    """JSON lines with ``_id``, ``title``, ``text``."""
    CONTEXTS = "contexts"
    """One JSON list of texts, as HyperGraphRAG's and LightRAG's repositories have them."""
    ROWS = "rows"
    """JSON lines of questions that bring their own ``context``, as in UltraDomain."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A question set and the file with its corpus, which stays where it is until it is indexed."""

    name: str
    corpus: Path
    questions: tuple[DatasetQuestion, ...]
    layout: CorpusLayout = CorpusLayout.BEIR


def load_beir(folder: Path) -> Dataset:
    """Read a data set; the corpus itself is indexed from its file, and only gold passages are kept of it here.

    Raises
    ------
    NotFound
        One of the three files is not there.
    UnreadableDataset
        One of them is no such file.
    """
    corpus, queries, qrels = folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels" / "test.tsv"
    for file in (corpus, queries, qrels):
        if not file.is_file():
            raise NotFound(f"{file} is not there", "a data set has corpus.jsonl, queries.jsonl and qrels/test.tsv")
    gold = _judged(qrels)
    texts = _passages(corpus, frozenset[str]().union(*gold.values()))
    return Dataset(folder.name, corpus, tuple(_questions(queries, gold, texts)))


def _judged(qrels: Path) -> dict[str, set[str]]:
    """The passages that are relevant to each question, by id."""
    gold: dict[str, set[str]] = {}
    with qrels.open(encoding="utf-8-sig", newline="") as rows:
        for number, row in enumerate(csv.DictReader(rows, delimiter="\t"), 2):
            try:
                if float(row["score"]) > 0:
                    gold.setdefault(row["query-id"], set()).add(row["corpus-id"])
            except (KeyError, TypeError, ValueError) as error:
                problem = f"{qrels}, line {number} is no judgement"
                raise UnreadableDataset(problem, "its columns are query-id, corpus-id and score") from error
    return gold


def _questions(queries: Path, gold: Mapping[str, Set[str]], texts: Mapping[str, str]) -> Iterator[DatasetQuestion]:
    for number, row in json_rows(queries):
        name, text = text_of(row, "_id"), text_of(row, "text")
        if not name or not text:
            raise UnreadableDataset(f"{queries}, line {number} is no question", 'it needs "_id" and "text"')
        said = row.get("metadata")
        about: Mapping[str, Any] = said if isinstance(said, dict) else {}
        own = frozenset(gold.get(name, ()))
        yield DatasetQuestion(
            name,
            text,
            texts_of(about, "answers", "golden_answers", "answer"),
            own,
            tuple(passage for id, passage in texts.items() if id in own),
            whole_number(about, "nary"),
            whole_number(about, "nhop"),
            text_of(about, "type"),
        )


def _passages(corpus: Path, ids: Set[str]) -> dict[str, str]:
    """The texts of these passages, each below its title, in the order of the corpus."""
    found = {}
    for _, row in json_rows(corpus):
        name = text_of(row, "_id")
        if name in ids:
            found[name] = f"{text_of(row, 'title')}\n{text_of(row, 'text')}".strip()
    return found


def corpus_id(source: str) -> str:
    """The id that a row of a corpus file has in its data set.

    >>> corpus_id("/data/corpus.jsonl#h0007")
    'h0007'
    """
    return source.rpartition("#")[2]
