"""Compare n-ary facts with their clique expansion: ``python -m benchmarks.representations [FOLDER]``.

It prints a section of docs/quality.md: the share of gold passages of 2wiki-101 that are covered within a token budget,
by the same facts in the same order, whole or as pairs (HyperGraphRAG, Propositions 1 and 3), and by each method. FOLDER
keeps the filled workspace.
"""

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks.data import load
from benchmarks.recorded_workspace import RECORDED, recorded_workspace
from polyadic.config import HypergraphSettings
from polyadic.evaluation.datasets import DatasetQuestion, corpus_id
from polyadic.evaluation.measures.all_gold import AllGold
from polyadic.evaluation.measures.passage_recall import PassageRecall
from polyadic.evaluation.outcome import QuestionOutcome
from polyadic.evaluation.retrieval_run import run_method
from polyadic.model.types import Item, ItemKind
from polyadic.retrieval.pair_items import pair_text
from polyadic.retrieval.token_budget import truncate_to_budget
from polyadic.text.tokens import count_tokens
from polyadic.workspace import Workspace

BUDGETS = (250, 500, 1000, 2000, 4000, 8000)
CONTEXT_TOKENS = 4000
EVERYTHING = 10**6
METHODS = (
    "chunks",
    "lightrag",
    "lightrag-bare",
    "pathrag",
    "hipporag2",
    "hypergraph",
    "hypergraph-without-er",
    "hypergraph-without-hr",
    "hypergraph-without-er-hr",
    "hypergraph-without-cr",
    "walk",
)
SHARING_OUT = ("lightrag", "lightrag-bare")
"""Methods whose order of items depends on the budget."""
HEAD = """
## The same facts, whole or in pairs

Made by `python -m benchmarks.representations` from {name}, {questions} questions, with the recorded facts of a large
language model (mean arity 5.1). A gold passage is covered when something that it states is among what fits into so many
tokens; shown is the share of a question's gold passages, on average.

First, one ranking of facts represented in three ways: each fact as its sentence; each as its n(n-1)/2 pairs, every
pair with the sentence; each as pairs of bare names, the same pair once. The rankings: similarity times score as in
`hypergraph` (entity and fact retrieval without thresholds, 100 facts), and the facts of `walk`.
"""
BY_METHOD = """
Bare pairs are short, so they name as many passages, but they no longer tell what holds between the two or which pairs
were one fact (Proposition 1); with the sentence, each fact is paid for once a pair.

Then each method as it is set by default: `lightrag` (LightRAG), `pathrag` (PathRAG) and `hipporag2` (HippoRAG 2) as
[methods.md](methods.md) describes them. Recall@5 and all gold@8 count passages in the order in which they first appear
within {tokens:,} tokens; milliseconds a question (median) leave out embedding.
"""


@dataclass(frozen=True, slots=True)
class Telling:
    """A textual representation of facts."""

    name: str
    sentence: bool
    pairs: bool

    def of(self, facts: Sequence[Item]) -> list[Item]:
        """Convert facts to this representation, in order; items with the same text are merged."""
        items: dict[tuple[str, str], Item] = {}
        for fact in facts:
            for text in self._texts(fact):
                key = (text, fact.id if self.sentence else "")
                places = (*(items[key].places if key in items else ()), *fact.places)
                items[key] = replace(fact, id="/".join(key), text=text, places=places)
        counts = count_tokens([item.text for item in items.values()])
        return [replace(item, tokens=tokens) for item, tokens in zip(items.values(), counts, strict=True)]

    def _texts(self, fact: Item) -> list[str]:
        if not self.pairs:
            return [fact.text]
        sentence = fact.text if self.sentence else ""
        return [pair_text(names, sentence) for names in combinations(sorted(fact.entities), 2)]


TELLINGS = (
    Telling("whole", sentence=True, pairs=False),
    Telling("pairs with the sentence", sentence=True, pairs=True),
    Telling("bare pairs", sentence=False, pairs=True),
)


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(temporary)
        with recorded_workspace(folder) as workspace:
            for line in section(workspace, load(RECORDED).questions):
                print(line, flush=True)


def section(workspace: Workspace, questions: Sequence[DatasetQuestion]) -> Iterator[str]:
    """Yield the lines of the section in docs/quality.md."""
    yield HEAD.format(name=RECORDED, questions=len(questions))
    budgets = " | ".join(f"{budget:,}" for budget in BUDGETS)
    yield f"| ranking | facts as | {budgets} |\n|---|---|{'---|' * len(BUDGETS)}"
    for ranking, facts in _rankings(workspace, questions).items():
        for telling in TELLINGS:
            items = [telling.of(question_facts) for question_facts in facts]
            yield f"| {ranking} | {telling.name} | {' | '.join(_curve(questions, [items] * len(BUDGETS)))} |"
    yield BY_METHOD.format(tokens=CONTEXT_TOKENS)
    yield f"| method | {budgets} | recall@5 | all gold@8 | ms |"
    yield f"|---|{'---|' * (len(BUDGETS) + 3)}"
    for method in METHODS:
        items_by_budget = {budget: _items(workspace, questions, method, budget) for budget in _budgets(method)}
        curve = _curve(questions, [items_by_budget.get(budget) or items_by_budget[EVERYTHING] for budget in BUDGETS])
        yield f"| `{method}` | {' | '.join([*curve, *_ranked(workspace, questions, method)])} |"


def _rankings(workspace: Workspace, questions: Sequence[DatasetQuestion]) -> Mapping[str, list[list[Item]]]:
    """Return the facts of each question, best first, by ranking."""
    unlimited = workspace.settings.model_copy(
        update={"hypergraph": HypergraphSettings(entity_threshold=-1, fact_threshold=-1, chunk_retrieval=False)}
    )
    with Workspace(workspace.folder, unlimited) as unlimited_workspace:
        by_similarity = _items(unlimited_workspace, questions, "hypergraph", EVERYTHING)
    by_walk = _items(workspace, questions, "walk", EVERYTHING)
    return {
        "similarity x score": by_similarity,
        "`walk`": [[item for item in items if item.kind is ItemKind.FACT] for items in by_walk],
    }


def _budgets(method: str) -> Sequence[int]:
    return BUDGETS if method in SHARING_OUT else (EVERYTHING,)


def _items(workspace: Workspace, questions: Sequence[DatasetQuestion], method: str, budget: int) -> list[list[Item]]:
    return [list(workspace.retrieve(question.text, method, budget).items) for question in questions]


def _curve(questions: Sequence[DatasetQuestion], items_by_budget: Sequence[Sequence[Sequence[Item]]]) -> list[str]:
    """Compute the mean share of gold passages covered within each budget.

    ``items_by_budget`` has items by budget, then by question.
    """
    shares = [
        np.mean([_covered(question, items, budget) for question, items in zip(questions, by_question, strict=True)])
        for budget, by_question in zip(BUDGETS, items_by_budget, strict=True)
    ]
    return [f"{share:.3f}" for share in shares]


def _covered(question: DatasetQuestion, items: Sequence[Item], budget: int) -> float:
    kept, _ = truncate_to_budget(items, budget)
    passages = {corpus_id(place.source) for item in kept for place in item.places}
    return len(question.gold & passages) / len(question.gold)


def _ranked(workspace: Workspace, questions: Sequence[DatasetQuestion], method: str) -> list[str]:
    runs = run_method(workspace, questions, method, CONTEXT_TOKENS)
    outcomes: list[QuestionOutcome] = [run.outcome for run in runs]
    measured = [[measure.score(outcome) or 0.0 for outcome in outcomes] for measure in (PassageRecall(5), AllGold(8))]
    return [
        *(f"{np.mean(scores):.3f}" for scores in measured),
        f"{1000 * np.median([run.seconds for run in runs]):.0f}",
    ]


if __name__ == "__main__":
    main()
