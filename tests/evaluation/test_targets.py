"""What docs/quality.md claims of ``walk``, on half of hotpotqa-100 with the real embedder."""

import os
from itertools import islice
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

QUESTIONS, PASSAGES = 50, 500


@pytest.fixture
def data() -> Path:
    folder = os.environ.get("POLYADIC_DATA")
    if not folder:
        pytest.skip("POLYADIC_DATA is not set: it names the folder with hotpotqa-100")
    try:
        find_weights()
    except WeightsMissing as missing:
        pytest.skip(str(missing))
    return Path(folder)


def test_walk_reaches_95_percent_recall_and_beats_dense_retrieval(data: Path, tmp_path: Path) -> None:
    """The passages of each question stand together in the corpus, so its first half answers the first half of them."""
    dataset = load_beir(data / "hotpotqa-100")
    questions, half = dataset.questions[:QUESTIONS], tmp_path / "half.jsonl"
    with dataset.corpus.open(encoding="utf-8") as corpus:
        half.write_text("".join(islice(corpus, PASSAGES)), encoding="utf-8")
    with Workspace(tmp_path / "kb") as workspace:
        workspace.index([half])
        walk, dense = (
            np.mean(scores_of(PassageRecall(5), (run.outcome for run in runs)))
            for runs in (run_method(workspace, questions, method, 4000) for method in ("walk", "chunks"))
        )
    assert walk >= 0.95
    assert walk > dense + 0.1
