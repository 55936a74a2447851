"""A defect that one document brings to light costs that document alone."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from polyadic.chunking.chunker import extraction_windows
from polyadic.config import ReadingSettings
from polyadic.indexing import batch_pipeline as indexing
from polyadic.indexing import publisher
from polyadic.indexing.indexer import Indexer
from polyadic.indexing.report import IndexReport
from polyadic.loaders import loader
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Document
from polyadic.text import named_entities
from tests.support.canonical import canonical
from tests.support.indexers import indexer

GOOD = "Ada Lovelace met Charles Babbage in London."
BAD = "Luigi Menabrea wrote about the Engine in 1842."
CORPUS = [Document("/docs/1", "", GOOD), Document("/docs/bad", "", BAD), Document("/docs/2", "", f"{GOOD} Again.")]


def broken(work: Any, error: Exception) -> Any:
    """The same function, which fails where it is given the bad document or a piece of it."""

    def fails(*arguments: Any, **named: Any) -> Any:
        if "Menabrea" in repr(arguments):
            raise type(error)(*error.args)
        return work(*arguments, **named)

    return fails


STEPS = [
    (indexing, "extraction_windows", "indexing/batch_pipeline.py"),
    (named_entities, "_capitalized", "text/named_entities.py"),
    (publisher, "windows", "indexing/publisher.py"),
    (publisher, "tally", "indexing/publisher.py"),
]
ERRORS = [IndexError("secret"), RecursionError(), MemoryError(), KeyError("x")]


def index(work: Indexer, documents: Sequence[Document]) -> IndexReport:
    return asyncio.run(work.index(documents))


@pytest.mark.parametrize(
    ("module", "function", "place", "error"),
    [(*step, ERRORS[0]) for step in STEPS] + [(*STEPS[0], error) for error in ERRORS[1:]],
)
def test_a_defect_at_any_step_skips_its_document_alone(
    module: Any, function: str, place: str, error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with indexer(tmp_path / "undisturbed") as other:
        index(other, [one for one in CORPUS if one.text != BAD])
        expected = canonical(other.store)
    with indexer(tmp_path / "kb") as work:
        monkeypatch.setattr(module, function, broken(getattr(module, function), error))
        report = index(work, CORPUS)
        assert (report.added, report.documents) == (2, 2)
        [skipped] = report.skipped
        assert skipped.source == "/docs/bad"
        assert f"{type(error).__name__} in {place}, line " in skipped.reason
        assert "secret" not in str(skipped)
        assert "report" in skipped.next_step
        assert canonical(work.store) == expected


@pytest.mark.parametrize(("module", "function", "place"), STEPS)
def test_previous_version_stays_while_a_defect_persists(
    module: Any, function: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = [Document("/docs/bad", "", f"{BAD} It was long."), Document("/docs/3", "", GOOD)]
    with indexer(tmp_path / "kb") as work:
        index(work, CORPUS)
        before = {one.source: one.content for one in _documents(work)}
        with monkeypatch.context() as patch:
            patch.setattr(module, function, broken(getattr(module, function), IndexError()))
            report = index(work, changed)
        assert (report.added, report.changed, len(report.skipped)) == (1, 0, 1)
        assert {one.source: one.content for one in _documents(work)} == before | {"/docs/3": changed[1].content}
        report = index(work, changed)
        assert (report.changed, report.unchanged, report.skipped) == (1, 1, [])


def _documents(work: Indexer) -> list[Document]:
    with work.store.read() as reader:
        found = [reader.records.document(record.id) for record in reader.records.documents()]
    return [document for document in found if document is not None]


def test_defect_without_a_document_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: object, change: object) -> None:
        raise IndexError("of the store")

    with indexer(tmp_path) as work:
        with work.store.write() as writer:
            kind = type(writer)
        monkeypatch.setattr(kind, "apply", fails)
        with pytest.raises(IndexError, match="of the store"):
            index(work, CORPUS)


def test_a_defect_of_a_reader_skips_its_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(path: Path, settings: ReadingSettings) -> Iterator[Document]:
        raise ZeroDivisionError(str(path))
        yield

    monkeypatch.setattr(loader, "READERS", {**loader.READERS, ".md": fails})
    for name in ("a.txt", "b.md", "c.txt"):
        (tmp_path / name).write_text(GOOD)
    first, second, third = read_documents([tmp_path], ReadingSettings())
    assert isinstance(first, Document)
    assert isinstance(second, loader.SkippedInput)
    assert isinstance(third, Document)
    assert second.source.endswith("b.md")
    assert "ZeroDivisionError" in second.reason


def test_debug_mode_raises_defects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYADIC_DEBUG", "1")
    monkeypatch.setattr(indexing, "extraction_windows", broken(extraction_windows, IndexError("here")))
    with indexer(tmp_path) as work, pytest.raises(Exception, match="IndexError") as caught:
        index(work, CORPUS)
    assert isinstance(caught.value.__cause__, IndexError)
