"""Question sets in the BEIR layout: ``corpus.jsonl``, ``queries.jsonl``, ``qrels/test.tsv``."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path

from polyadic.errors import NotFound


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its golden answers, and the passages (by corpus id) that are all needed to answer it."""

    id: str
    text: str
    answers: tuple[str, ...]
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dataset:
    name: str
    corpus: Path
    questions: tuple[Question, ...]


def load_beir(folder: Path) -> Dataset:
    """Read a data set; the corpus itself is indexed from its file.

    Raises
    ------
    NotFound
        One of the three files is not there.
    """
    corpus, queries, qrels = folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels" / "test.tsv"
    for file in (corpus, queries, qrels):
        if not file.is_file():
            raise NotFound(f"{file} is not there", "a data set has corpus.jsonl, queries.jsonl and qrels/test.tsv")
    gold: dict[str, set[str]] = {}
    with qrels.open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            if int(row["score"]) > 0:
                gold.setdefault(row["query-id"], set()).add(row["corpus-id"])
    questions = []
    for line in queries.read_text(encoding="utf-8").splitlines():
        query = json.loads(line)
        answers = tuple(query.get("metadata", {}).get("answers", ()))
        questions.append(Question(query["_id"], query["text"], answers, frozenset(gold.get(query["_id"], ()))))
    return Dataset(folder.name, corpus, tuple(questions))


def corpus_id(source: str) -> str:
    """The id that a row of a corpus file has in its data set.

    >>> corpus_id("/data/corpus.jsonl#h0007")
    'h0007'
    """
    return source.rpartition("#")[2]
