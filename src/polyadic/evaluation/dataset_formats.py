"""A question set of any layout that is known: which it has is seen from its files."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.errors import NotFound, UnreadableDataset
from polyadic.evaluation import contexts_format, ultradomain_format
from polyadic.evaluation.contexts_format import contexts_of, load_contexts, questions_of
from polyadic.evaluation.datasets import CorpusLayout, Dataset, load_beir
from polyadic.evaluation.ultradomain_format import has_rows, load_rows
from polyadic.loaders.loader import SkippedInput, read_documents
from polyadic.model.types import Document

_KNOWN = (
    "known are corpus.jsonl with queries.jsonl and qrels/, *contexts*.json with questions.json or *query.jsonl,"
    " and a .jsonl of questions with their context (docs/evaluation.md)"
)


def load_dataset(path: Path) -> Dataset:
    """The question set in a folder or a file.

    Of the BEIR layout those questions are left out that have neither gold passages nor golden answers: its
    ``queries.jsonl`` holds the questions of all splits.

    Raises
    ------
    NotFound
        Nothing is there.
    UnreadableDataset
        It has none of the known layouts, its files cannot be read, or no question is in them.
    """
    if not path.exists():
        raise NotFound(f"there is no data set {path}", _KNOWN)
    dataset = _loaded(path.resolve())
    if dataset is None:
        raise UnreadableDataset(f"{path} has none of the layouts of question sets", _KNOWN)
    if not dataset.questions:
        raise UnreadableDataset(f"{path} has no question that can be scored", _KNOWN)
    return dataset


def documents(dataset: Dataset, reading: ReadingSettings) -> Iterator[Document | SkippedInput]:
    """The passages of a data set, each a document; ``datasets.corpus_id`` of its source is its id there."""
    if dataset.layout is CorpusLayout.CONTEXTS:
        yield from contexts_format.documents(dataset.corpus)
    elif dataset.layout is CorpusLayout.ROWS:
        yield from ultradomain_format.documents(dataset.corpus)
    else:
        yield from read_documents([dataset.corpus], reading)


def _loaded(path: Path) -> Dataset | None:
    if path.is_file():
        if path.suffix == ".jsonl" and has_rows(path):
            return load_rows(path)
        return _with_contexts(path.parent, path) if path.suffix in {".json", ".jsonl", ".txt"} else None
    if (path / "corpus.jsonl").exists() or (path / "qrels").exists():
        dataset = load_beir(path)
        return replace(dataset, questions=tuple(q for q in dataset.questions if q.gold or q.answers))
    questions = questions_of(path)
    found = _with_contexts(path, questions) if questions else None
    if found is None:
        with_rows = [file for file in sorted(path.glob("*.jsonl")) if has_rows(file)]
        if len(with_rows) > 1:
            what = f"{path} holds {len(with_rows)} question sets"
            raise UnreadableDataset(what, f"name one of them, such as {with_rows[0]}")
        found = load_rows(with_rows[0]) if with_rows else None
    return found


def _with_contexts(folder: Path, questions: Path) -> Dataset | None:
    file = contexts_of(folder)
    return load_contexts(folder, file, questions) if file and file != questions else None
