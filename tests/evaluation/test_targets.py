"""What docs/quality.md claims of ``walk``, on whole data sets with the real embedder."""

import os
from pathlib import Path

import numpy as np
import pytest

from polyadic.embeddings.minilm.weights import find_weights
from polyadic.errors import WeightsMissing
from polyadic.evaluation.dataset_formats import load_beir
from polyadic.evaluation.measures.measure import scores_of
from polyadic.evaluation.measures.ranking_measures import PassageRecall
from polyadic.evaluation.question_runner import run_method
from polyadic.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.data, pytest.mark.weights]


@pytest.fixture
def data() -> Path:
    folder = os.environ.get("POLYADIC_DATA")
    if not folder:
        pytest.skip("POLYADIC_DATA is not set: it names the folder with hotpotqa-100 and 2wiki-101")
    try:
        find_weights()
    except WeightsMissing as missing:
        pytest.skip(str(missing))
    return Path(folder)


@pytest.mark.parametrize("name", ["hotpotqa-100", "2wiki-101"])
def test_walk_reaches_95_percent_recall_and_beats_dense_retrieval(data: Path, tmp_path: Path, name: str) -> None:
    dataset = load_beir(data / name)
    with Workspace(tmp_path) as workspace:
        workspace.index([dataset.corpus])
        walk, dense = (
            np.mean(scores_of(PassageRecall(5), (run.outcome for run in runs)))
            for runs in (run_method(workspace, dataset.questions, method, 4000) for method in ("walk", "chunks"))
        )
    assert walk >= 0.95
    assert walk > dense + 0.1
