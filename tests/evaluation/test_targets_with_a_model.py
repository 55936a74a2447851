"""What ``walk`` finds in 2wiki-101 when a large model's facts are in the store, read through real calls."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from polyadic.config import ModelSettings, Settings
from polyadic.embeddings.minilm.weights import find_weights
from polyadic.errors import WeightsMissing
from polyadic.evaluation.dataset_formats import load_beir
from polyadic.evaluation.measures.measure import scores_of
from polyadic.evaluation.measures.ranking_measures import AllGold, PassageRecall
from polyadic.evaluation.question_runner import run_method
from polyadic.workspace import Workspace
from tests.model_server import ModelServer
from tests.model_server.fixtures import recorded_server

pytestmark = [pytest.mark.slow, pytest.mark.data, pytest.mark.weights]

__all__ = ["recorded_server"]


@pytest.fixture
def workspace(recorded_server: ModelServer, tmp_path: Path) -> Iterator[Workspace]:
    try:
        find_weights()
    except WeightsMissing as missing:
        pytest.skip(str(missing))
    model = ModelSettings(name="recorded", base_url=recorded_server.url, key_variable="")
    with Workspace(tmp_path, Settings(model=model)) as opened:
        yield opened


def test_walk_reaches_its_recall_target_with_model_facts(workspace: Workspace, recorded_server: ModelServer) -> None:
    dataset = load_beir(Path(os.environ["POLYADIC_DATA"]) / "2wiki-101")
    report = workspace.index([dataset.corpus])
    assert (report.usage.calls, len(report.failed), report.stopped) == (report.documents, 0, "")
    recorded_server.reset()
    outcomes = [run.outcome for run in run_method(workspace, dataset.questions, "walk", 4000)]
    assert np.mean(scores_of(PassageRecall(5), outcomes)) >= 0.97
    assert np.mean(scores_of(AllGold(8), outcomes)) >= 0.96
    assert recorded_server.asked == []
