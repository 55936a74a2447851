"""What the measures give on recorded judgements and retrievals, beside the figures that were published for them."""

import json
import os
from pathlib import Path

import pytest

from polyadic.evaluation.dataset_formats import load_beir
from polyadic.evaluation.measures.judge import read_winners
from polyadic.evaluation.measures.measure import scores_of
from polyadic.evaluation.measures.ranking_measures import AllGold
from polyadic.evaluation.measures.win_rate import CRITERIA, PairVerdict, count
from polyadic.evaluation.question_record import QuestionOutcome

pytestmark = pytest.mark.data


@pytest.fixture
def data() -> Path:
    folder = os.environ.get("POLYADIC_DATA")
    if not folder:
        pytest.skip("POLYADIC_DATA is not set: it names the folder with hirag-judgements and 2wiki-101")
    return Path(folder)


def verdicts(file: Path) -> list[PairVerdict]:
    """Recorded without question ids; in the first part of a file the first system's answer was shown first."""
    in_order = 130 if file.name.startswith("mix_") else 100
    rows = file.read_text(encoding="utf-8").splitlines()
    return [PairVerdict(str(n), n < in_order, read_winners(row, CRITERIA)) for n, row in enumerate(rows)]


def test_win_rates_reproduce_the_hirag_table(data: Path) -> None:
    folder = data / "hirag-judgements"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["win_rate"]
    assert len(expected) == 19
    found = {
        name: {criterion: count(said, criterion.lower()).rate for criterion in cells}
        for name, cells in expected.items()
        for said in [verdicts(folder / name)]
    }
    rounded = {name: {key: round(rate or 0.0, 1) for key, rate in cells.items()} for name, cells in found.items()}
    assert rounded == expected
    assert all({criterion.lower() for criterion in cells} == set(CRITERIA) for cells in expected.values())


@pytest.mark.parametrize(
    ("system", "perfect"),
    [("fast-graphrag", 0.931), ("nano-graphrag", 0.733), ("lightrag", 0.446), ("vector-db", 0.416)],
)
def test_perfect_at_8_reproduces_published_figures_on_2wiki(data: Path, system: str, perfect: float) -> None:
    dataset = load_beir(data / "2wiki-101")
    retrieved = json.loads((data / "2wiki-101" / "peers.json").read_text(encoding="utf-8"))
    outcomes = [
        # What is not in this corpus takes its place in the ranking all the same.
        QuestionOutcome(question, tuple(passage or "elsewhere" for passage in retrieved[system][question.id]))
        for question in dataset.questions
    ]
    scores = scores_of(AllGold(8), outcomes)
    assert len(scores) == 101
    assert sum(scores) / len(scores) == pytest.approx(perfect, abs=5e-4)
