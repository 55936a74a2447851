"""Load a question set, detecting its layout from its files."""

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

_SUPPORTED = (
    "supported are corpus.jsonl with queries.jsonl and qrels/, *contexts*.json with questions.json or *query.jsonl,"
    " and a .jsonl of questions with their context (docs/evaluation.md)"
)


def load_dataset(path: Path) -> Dataset:
    """Load the question set in a folder or file.

    In the BEIR layout, questions with neither gold passages nor gold answers are skipped, because ``queries.jsonl``
    holds the questions of all splits.

    Raises
    ------
    NotFound
        The path does not exist.
    UnreadableDataset
        The layout is not supported, a file is unreadable, or there are no questions.
    """
    if not path.exists():
        raise NotFound(f"there is no data set {path}", _SUPPORTED)
    dataset = _load(path.resolve())
    if dataset is None:
        raise UnreadableDataset(f"{path} has none of the supported layouts of question sets", _SUPPORTED)
    if not dataset.questions:
        raise UnreadableDataset(f"{path} has no question that can be scored", _SUPPORTED)
    return dataset


def documents(dataset: Dataset, reading: ReadingSettings) -> Iterator[Document | SkippedInput]:
    """Iterate over the passages as documents; ``datasets.corpus_id`` of a source is the corpus id."""
    if dataset.layout is CorpusLayout.CONTEXTS:
        yield from contexts_format.documents(dataset.corpus)
    elif dataset.layout is CorpusLayout.ROWS:
        yield from ultradomain_format.documents(dataset.corpus)
    else:
        yield from read_documents([dataset.corpus], reading)


def _load(path: Path) -> Dataset | None:
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
            raise UnreadableDataset(what, f"give one of them, such as {with_rows[0]}")
        found = load_rows(with_rows[0]) if with_rows else None
    return found


def _with_contexts(folder: Path, questions: Path) -> Dataset | None:
    file = contexts_of(folder)
    return load_contexts(folder, file, questions) if file and file != questions else None
