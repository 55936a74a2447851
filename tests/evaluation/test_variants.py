"""Settings side by side in one evaluation."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyadic.config import ChunksSettings
from polyadic.evaluation.journal import FILE_NAME
from polyadic.evaluation.report import page
from polyadic.evaluation.results import as_json
from tests.evaluation.tiny_dataset import HASHING, evaluated, without_times, write_beir


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_beir(tmp_path / "little")


def results_by_name(said: dict[str, Any], name: str) -> list[Any]:
    return [without_times(question["results"][name]) for question in said["questions"]]


def test_variant_equals_a_run_with_its_settings(data: Path, tmp_path: Path) -> None:
    results = evaluated(data, tmp_path / "out", methods=("chunks", "walk"), variants=("chunks.passages=1",))
    said = as_json(results)
    one_passage = HASHING.model_copy(update={"chunks": ChunksSettings(passages=1)})
    alone = as_json(evaluated(data, tmp_path / "alone", one_passage, methods=("chunks",)))
    name = "chunks chunks.passages=1"
    assert [method["method"] for method in said["methods"]] == ["chunks", "walk", name]
    assert [method["settings"] for method in said["methods"]] == [{}, {}, {"chunks.passages": "1"}]
    assert results_by_name(said, name) == results_by_name(alone, "chunks") != results_by_name(said, "chunks")


def test_differences_are_paired_by_question(data: Path, tmp_path: Path) -> None:
    results = evaluated(data, tmp_path / "out", methods=("chunks", "walk"), variants=("passages=1",))
    compared = [(one.system, one.other) for one in results.differences]
    assert compared == [("walk", "chunks"), ("chunks passages=1", "chunks"), ("walk passages=1", "walk")]
    place = [column.name for column in results.scores.columns].index("f1")
    values = results.scores.values[:, :, place]
    for difference, rows in zip(results.differences, ((1, 0), (2, 0), (3, 1)), strict=True):
        interval = difference.intervals[place]
        assert interval is not None
        assert interval.mean == pytest.approx(np.mean(values[rows[0]] - values[rows[1]]))
        assert interval.low <= interval.mean <= interval.high


def test_added_variants_reuse_the_records_of_the_methods(data: Path, tmp_path: Path) -> None:
    evaluated(data, tmp_path / "out", methods=("chunks",))
    before = (tmp_path / "out" / FILE_NAME).read_bytes()
    evaluated(data, tmp_path / "out", methods=("chunks",), variants=("passages=1",), budgets=(20,))
    after = (tmp_path / "out" / FILE_NAME).read_bytes()
    added = [json.loads(line)["method"] for line in after[len(before) :].splitlines()]
    assert after.startswith(before)
    assert sorted(set(added)) == ["chunks passages=1", "chunks passages=1@20", "chunks@20"]
    assert len(added) == 3 * 4


def test_unequal_contexts_are_named(data: Path, tmp_path: Path) -> None:
    unequal = evaluated(data, tmp_path / "out", methods=("chunks", "none"), variants=("passages=1",))
    (note,) = [note for note in unequal.notes if "fewer" in note]
    assert note.startswith("all methods may use 4,000 tokens, but some use fewer on average: chunks passages=1 ")
    assert note.endswith("compare them with --budgets as well")
    swept = evaluated(data, tmp_path / "out", methods=("chunks", "none"), variants=("passages=1",), budgets=(20,))
    (note,) = [note for note in swept.notes if "fewer" in note]
    assert "--budgets" not in note
    equal = evaluated(
        data, tmp_path / "equal", methods=("chunks", "none", "hypergraph-without-all"), variants=("passages=19",)
    )
    assert not [note for note in equal.notes if "fewer" in note]


@pytest.mark.slow
def test_report_shows_variants(data: Path, tmp_path: Path) -> None:
    results = evaluated(data, tmp_path / "out", methods=("chunks",), variants=("passages=1",))
    assert "chunks passages=1 − chunks" in page(results) and "% of the budget" in page(results)
