"""How much of a run is done, and how long the rest takes."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from polyadic.config import ChunkingSettings, EmbeddingSettings, Settings
from polyadic.indexing.progress import RunProgress
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.loaders.loader import SkippedInput
from polyadic.model.types import Document, Usage
from polyadic.workspace import Workspace

HASHING = Settings(embedding=EmbeddingSettings(model="hashing"), chunking=ChunkingSettings(tokens=50))


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def progress(documents: int, embedded: int = 0, due: int = 0, **more: int) -> IndexProgress:
    chunks, read, usage = more.get("chunks", 0), more.get("read", 0), Usage(more.get("calls", 0))
    return IndexProgress(documents, chunks, read, 0, usage, characters_embedded=embedded, characters_due=due)


def taken_in(tmp_path: Path, sizes: list[int], run: RunProgress, documents: int) -> None:
    """Have files of these sizes found, and so many documents taken from them, one a file."""
    files: list[Path | SkippedInput] = []
    for number, size in enumerate(sizes):
        files.append(tmp_path / f"{number}.txt")
        (tmp_path / f"{number}.txt").write_text("a" * size)
    found = (Document(str(file), "", "a" * size) for file, size in zip(run.watch_files(files), sizes, strict=True))
    watched = run.watch_documents(found)
    for _ in range(documents):
        next(watched)


def test_progress_share_is_by_bytes_of_completed_documents(tmp_path: Path) -> None:
    run = RunProgress()
    taken_in(tmp_path, [100, 300, 600], run, 3)
    assert [run.completed(progress(done)).share for done in range(4)] == [0.0, 0.1, 0.4, 1.0]
    assert run.completed(progress(3)).files == 3


def test_documents_are_counted_when_read_and_when_done_without_skipped_inputs(tmp_path: Path) -> None:
    run = RunProgress()
    skipped = SkippedInput("b.zip", "unsupported file type", "unpack it")
    list(run.watch_documents([Document("a.txt", "", "a"), skipped, Document("c.txt", "", "c")]))
    report = IndexReport(added=1)
    report.skip(skipped)
    reached = run.completed(report.progress())
    assert (reached.documents_read, reached.documents_done) == (2, 1)


def test_documents_in_progress_count_by_embedded_texts(tmp_path: Path) -> None:
    run = RunProgress()
    taken_in(tmp_path, [200, 800], run, 1)
    shares = [run.completed(progress(0, embedded, 40)).share for embedded in (0, 10, 20, 40)]
    assert shares == pytest.approx([0, 0.05, 0.1, 0.2])


def test_documents_in_progress_count_by_replies(tmp_path: Path) -> None:
    run = RunProgress()
    taken_in(tmp_path, [500, 500], run, 2)
    assert run.completed(progress(0, chunks=10, read=5, calls=5)).share == pytest.approx(0.45)


def test_remaining_time_follows_recent_speed(tmp_path: Path) -> None:
    clock = Clock()
    run = RunProgress(clock)
    taken_in(tmp_path, [10] * 100, run, 100)
    assert run.completed(progress(0)).seconds_left is None
    clock.now = 1
    assert run.completed(progress(1)).seconds_left is None
    clock.now = 10
    assert run.completed(progress(10)).seconds_left == pytest.approx(90)
    for number in range(11, 31):
        clock.now += 10
        last = run.completed(progress(number)).seconds_left
    assert last == pytest.approx(700)


def test_remaining_time_is_not_estimated_from_the_first_steps(tmp_path: Path) -> None:
    clock = Clock()
    run = RunProgress(clock)
    taken_in(tmp_path, [740, 10, 10, 240], run, 4)
    assert run.completed(progress(1)).seconds_left is None
    clock.now = 10
    assert run.completed(progress(2)).seconds_left is None
    clock.now = 20
    assert run.completed(progress(3)).seconds_left == pytest.approx(240)


def test_no_progress_has_no_remaining_time(tmp_path: Path) -> None:
    clock = Clock()
    run = RunProgress(clock)
    taken_in(tmp_path, [10, 10], run, 2)
    run.completed(progress(0))
    clock.now = 100
    assert run.completed(progress(0)).seconds_left is None


def test_progress_goes_from_zero_to_one(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(100):
        (folder / f"{number}.txt").write_text(f"Ada Lovelace met Person Number{number} in London in {1800 + number}.\n")
    (folder / "rows.jsonl").write_text(
        "".join(f'{{"id": {n}, "text": "Otto {n} met Ada Byron."}}\n' for n in range(99))
    )
    (folder / "broken.pdf").write_bytes(b"no PDF")
    reports: list[IndexProgress] = []
    with Workspace(tmp_path / "kb", HASHING) as kb:
        report = kb.index([folder], reports.append)
    shares = [one.share for one in reports if one.share is not None]
    assert shares == sorted(shares) and len(shares) == len(reports) and len(set(shares)) > 2
    assert {one.files for one in reports} == {102} and report.documents == 199
    assert 0 < shares[-1] <= 1


def test_documents_passed_directly_have_no_share(tmp_path: Path) -> None:
    reports: list[IndexProgress] = []
    with Workspace(tmp_path / "kb", HASHING) as kb:
        kb.add([Document("memory:ada", "", "Ada Lovelace met Charles Babbage.")], reports.append)
    assert reports and all(one.share is None for one in reports)
