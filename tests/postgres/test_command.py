"""The command over PostgreSQL: what it prints and exports is what it does over SQLite."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.crashes.commands import COMMAND, ended, started
from tests.support import postgres

EXAMPLES = Path(__file__).parents[2] / "examples" / "spaceflight"
ENVIRONMENT = {**os.environ, "POLYADIC_EMBEDDING__MODEL": "hashing"}
FORMATS = ("hif", "graphml", "jsonl")
CONFIDENCE = re.compile(r"confidence (\d+)%")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A folder and a database that hold the same documents."""
    both = (str(tmp_path_factory.mktemp("kb")), f"{postgres.server()}#{postgres.fresh()}")
    for place in both:
        assert ended(started(COMMAND, "-w", place, "index", str(EXAMPLES))) == (0, "")
    return both


@pytest.mark.parametrize("format_", FORMATS)
def test_exports_are_the_same_byte_for_byte(places: tuple[str, str], tmp_path: Path, format_: str) -> None:
    files = [tmp_path / f"{number}.{format_}" for number in range(2)]
    for place, file in zip(places, files, strict=True):
        assert ended(started(COMMAND, "-w", place, "export", "--format", format_, "-o", str(file))) == (0, "")
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("method", ["auto", "bm25", "chunks", "hypergraph", "walk"])
def test_answers_equal_those_of_sqlite(places: tuple[str, str], method: str) -> None:
    printed_by_each = [
        printed(place, "query", "--method", method, "Who was the first physician in space?") for place in places
    ]
    answers = [text.partition(f"(method {method})")[0] for text in printed_by_each]
    first, second = (CONFIDENCE.sub("", answer) for answer in answers)
    assert "[1]" in first and first == second
    # Engines cut words of some texts differently, so BM25 scores, and what rests on them, differ in the third digit.
    percents = [int(CONFIDENCE.findall(answer)[0]) for answer in answers]
    assert abs(percents[0] - percents[1]) <= 1


def test_reindexing_finds_nothing_to_do(places: tuple[str, str]) -> None:
    assert "0 added, 0 changed" in printed(places[1], "index", str(EXAMPLES))
    assert "consistent" in printed(places[1], "doctor")


def test_workspace_exists_only_after_indexing() -> None:
    place = f"{postgres.server()}#{postgres.fresh()}"
    code, said = ended(started(COMMAND, "-w", place, "status"))
    assert code != 0 and "there is no workspace in postgresql://" in said and len(said.splitlines()) == 1


def printed(place: str, *arguments: str) -> str:
    run = subprocess.run(
        [*COMMAND, "-w", place, *arguments], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    return run.stdout
