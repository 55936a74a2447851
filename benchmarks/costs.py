"""Generate docs/costs.md: ``python -m benchmarks.costs``.

Tokens are counted on 2wiki-101, with recorded facts from POLYADIC_DATA that the test server returns over HTTP. Costs
are computed from the prices of the presets.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.data import data_folder, load
from polyadic.config import EmbeddingSettings, ModelSettings, Settings
from polyadic.config.presets import PRESETS
from polyadic.evaluation.datasets import Dataset
from polyadic.llm.endpoint_model import price
from polyadic.model.types import Usage
from polyadic.text.tokens import count_tokens
from polyadic.workspace import Workspace
from tests.model_server import ModelServer, ready, recorded_model

REPORT = Path(__file__).parent.parent / "docs" / "costs.md"
SET = "2wiki-101"
BUDGETS = (1000, 2000, 4000)
SPEEDS = (20, 60)
# Typical length of an answer; those of the test server are shorter.
ANSWER_TOKENS = 150

HEAD = """# Costs

This page shows what indexing and questions cost with a language model. It is made by `python -m benchmarks.costs`.
Tokens are counted on 2wiki-101 (780 short encyclopaedic passages), with recorded facts of a large language model that a
test server returns over HTTP. These passages are dense: a reply is several times as long as its passage. Replies for
prose are shorter. `polyadic estimate PATH` estimates the cost of *your* documents before anything is spent; after the
first calls it uses the measured length of your model's replies.
"""


def main() -> None:
    dataset = load(SET)
    with (
        tempfile.TemporaryDirectory() as folder,
        ModelServer([recorded_model(data_folder() / SET), *ready()]) as server,
    ):
        model_settings = ModelSettings(name="recorded", base_url=server.url, key_variable="", context_tokens=128_000)
        settings = Settings(model=model_settings, embedding=EmbeddingSettings(model="hashing"))
        with Workspace(folder, settings) as workspace:
            indexing = workspace.index([dataset.corpus]).usage
            lines = [HEAD, *_indexing(dataset, indexing), *_questions(workspace, dataset)]
    REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"wrote {REPORT}")


def _priced() -> dict[str, ModelSettings]:
    """Return the presets that have a price."""
    models = {
        name: ModelSettings.model_validate(preset["model"]) for name, preset in PRESETS.items() if name != "paper"
    }
    return {name: model for name, model in models.items() if model.prompt_price}


def _indexing(dataset: Dataset, usage: Usage) -> Iterator[str]:
    text = sum(count_tokens(dataset.corpus.read_text(encoding="utf-8").splitlines()))
    yield "## Indexing\n"
    sent, received = usage.prompt_tokens, usage.completion_tokens
    chunks = f"{usage.calls} chunks with about {text:,} tokens of text"
    yield f"{chunks} took {sent:,} prompt tokens and {received:,} completion tokens.\n"
    yield "| extractor | cost | per million tokens of text |\n|---|---|---|"
    yield "| no language model (the default) | 0 | 0 |"
    for name, model in _priced().items():
        money = price(usage.prompt_tokens, usage.completion_tokens, model)
        yield f"| preset `{name}` ({model.name}) | {money:.2f} $ | {money / text * 1e6:.2f} $ |"
    for speed in SPEEDS:
        hours = usage.completion_tokens / speed / 3600
        duration = f"0, and {hours:.1f} hours | {hours / text * 1e6:.0f} hours"
        yield f"| a local model, {speed} tokens per second in total | {duration} |"
    yield "\nReplies are cached by their request, so nothing is paid for twice. Deleting is free."


def _questions(workspace: Workspace, dataset: Dataset) -> Iterator[str]:
    yield "\n## Questions\n"
    yield f"Method `walk` calls no model; the answer takes one call and is assumed to have {ANSWER_TOKENS} tokens.\n"
    names = list(_priced())
    yield f"| `--context-tokens` | prompt tokens, mean | {' | '.join(f'1,000 questions, `{name}`' for name in names)} |"
    yield "|---|---|" + "---|" * len(names)
    for budget in BUDGETS:
        sent = np.mean([workspace.query(q.text, "walk", budget).usage.prompt_tokens for q in dataset.questions])
        money = [f"{1000 * price(round(sent), ANSWER_TOKENS, model):.2f} $" for model in _priced().values()]
        yield f"| {budget:,} | {sent:,.0f} | {' | '.join(money)} |"
    yield "\nQuoted answers (no model, or `--by quotes`) cost nothing."


if __name__ == "__main__":
    main()
