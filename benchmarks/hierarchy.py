"""Evaluate the hierarchy for docs/quality-hierarchy.md: ``python -m benchmarks.hierarchy [FOLDER]``.

It measures the shape of the hierarchy on the question sets, and its retrieval methods. Everything is built without a
language model. FOLDER keeps the filled workspaces.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.data import SETS, filled, load
from benchmarks.holdout_log import note_look
from benchmarks.recorded_workspace import RECORDED, recorded_workspace
from benchmarks.report_sections import DOCS, given_folder, rewrite
from polyadic.config import HierarchySearchSettings
from polyadic.evaluation.bootstrap import interval
from polyadic.evaluation.datasets import DatasetQuestion, corpus_id
from polyadic.evaluation.measures.all_gold import AllGold
from polyadic.evaluation.measures.passage_recall import PassageRecall
from polyadic.evaluation.measures.token_sets import covered, token_set
from polyadic.evaluation.outcome import QuestionOutcome
from polyadic.evaluation.retrieval_run import run_method
from polyadic.hierarchy.community_graph import build_community_graph
from polyadic.hierarchy.transitivity import transitivity
from polyadic.model.types import Knowledge
from polyadic.storage.protocol import Links, Reader
from polyadic.workspace import Workspace

PAGE = DOCS / "quality-hierarchy.md"
HEADING = "## The hierarchy"
BUDGETS = (1000, 2000, 4000)
CONTEXT_TOKENS = 4000
METHODS = ("hypergraph", "walk", "hierarchy", "local", "bridge", "global", "graphrag")
PLAIN = ("hierarchy", "bridge")
"""Methods that are evaluated with the paper's paths as well."""
_ABOUT = """
Made by `python -m benchmarks.hierarchy`. Summaries and reports are extractive: no language model was asked, neither to
build nor to retrieve. The questions of these sets ask for single facts, which is what `walk` is made for; a hierarchy
is for questions about many of them. *Covered* is the share of gold passages that are mentioned within so many
tokens; each budget was queried separately. A description or a report counts for one passage only, that of
the fact below it nearest to the question. `plain` are the paper's paths, of fewest steps. Milliseconds a question
(median) leave out embedding.
"""
_SHAPE = """
### What was built

The clustering coefficient is the share of closed triples (HiRAG, Eq. 18) among entities that share a fact, without the
hierarchy and with summaries joined to their members: stars close few triples, so a higher share would come from
members that share facts as well.

| set | entities | facts | summaries by layer | communities by level | members: median, most | C without | C with |
|---|---|---|---|---|---|---|---|"""
_OVERLAP = f"""
### What the bridge holds of the other parts

The share of the tokens of the local and of the global context that the bridge has as well (HiRAG, Table 7): each part
retrieved alone with {CONTEXT_TOKENS:,} tokens, a mean over the questions. For comparison, the bridge of the next
question, which shares no more than the language and the corpus.

| set | local in bridge | in another's | global in bridge | in another's |
|---|---|---|---|---|"""


@dataclass(frozen=True, slots=True)
class Built:
    """A question set and a workspace with its passages and a hierarchy."""

    name: str
    questions: Sequence[DatasetQuestion]
    workspace: Workspace

    def with_paths(self, paths: str) -> Workspace:
        """Open the workspace with another type of paths."""
        settings = self.workspace.settings
        changed = HierarchySearchSettings.model_validate({**settings.hierarchy.model_dump(), "paths": paths})
        return Workspace(self.workspace.folder, settings.model_copy(update={"hierarchy": changed}))


def main() -> None:
    note_look("`benchmarks.hierarchy`")
    with given_folder() as folder:
        rewrite(PAGE, HEADING, section(folder))


def section(folder: Path) -> Iterator[str]:
    """Yield the lines of the section below its heading."""
    with ExitStack() as stack:
        sets = [Built(name, load(name).questions, stack.enter_context(filled(load(name), folder))) for name in SETS]
        recorded = stack.enter_context(recorded_workspace(folder))
        sets.append(Built(f"{RECORDED}, recorded facts", load(RECORDED).questions, recorded))
        for built in sets:
            built.workspace.hierarchy.build(by="extractive")
        yield _ABOUT
        for built in sets:
            yield from _methods(built)
        yield _SHAPE
        for built in sets:
            with built.workspace.store().read() as reader:
                yield _shape(built.name, reader)
        yield _OVERLAP
        for built in sets:
            yield _overlap_row(built)


def _methods(built: Built) -> Iterator[str]:
    yield f"### {built.name}, {len(built.questions)} questions\n"
    yield f"| method | recall@5 | odd half | all gold@8 | {' | '.join(f'{budget:,}' for budget in BUDGETS)} | ms |"
    yield f"|---|---|---|---|{'---|' * (len(BUDGETS) + 1)}"
    for method in METHODS:
        yield _row(built, built.workspace, method, f"`{method}`")
        if method in PLAIN:
            with built.with_paths("plain") as workspace:
                yield _row(built, workspace, method, f"`{method}`, plain")
    yield ""


def _row(built: Built, workspace: Workspace, method: str, name: str) -> str:
    runs = run_method(workspace, built.questions, method, CONTEXT_TOKENS)
    outcomes: list[QuestionOutcome] = [run.outcome for run in runs]
    recall = [PassageRecall(5).score(outcome) or 0.0 for outcome in outcomes]
    all_gold = [AllGold(8).score(outcome) or 0.0 for outcome in outcomes]
    cells = [str(interval(scores)) for scores in (recall, recall[1::2], all_gold)]
    cells += [f"{_covered(built, workspace, method, budget):.3f}" for budget in BUDGETS]
    return f"| {name} | {' | '.join(cells)} | {1000 * np.median([run.seconds for run in runs]):.0f} |"


def _covered(built: Built, workspace: Workspace, method: str, budget: int) -> float:
    shares = []
    for question in built.questions:
        items = workspace.retrieve(question.text, method, budget).items
        passages = {corpus_id(place.source) for item in items for place in item.shown_places}
        shares.append(len(question.gold & passages) / len(question.gold))
    return float(np.mean(shares))


def _shape(name: str, reader: Reader) -> str:
    hierarchy = reader.records.hierarchy()
    layers = np.bincount([summary.layer for summary in hierarchy.summaries])[1:]
    levels = np.bincount([community.level for community in hierarchy.communities])
    sizes = [len(community.members) for community in hierarchy.communities]
    without_summaries, with_summaries = (
        _clustering(reader, with_summaries=False),
        _clustering(reader, with_summaries=True),
    )
    cells = [
        f"{reader.size('entity'):,}",
        f"{reader.size('fact'):,}",
        ", ".join(map(str, layers)),
        ", ".join(map(str, levels)),
        f"{np.median(sizes):.0f}, {max(sizes)}",
        f"{without_summaries:.3f}",
        f"{with_summaries:.3f}",
    ]
    return f"| {name} | {' | '.join(cells)} |"


def _clustering(reader: Reader, with_summaries: bool) -> float:
    """Compute the global clustering coefficient of entities, optionally with summaries joined to their members."""
    entities, facts, hierarchy = reader.size("entity"), np.arange(reader.size("fact")), reader.hierarchy_reader()
    links = reader.links("fact_entities", facts)
    rows = np.arange(hierarchy.summary_count if with_summaries else 0)
    below = hierarchy.covered(rows)
    sources = np.concatenate([below.entities.sources, below.summaries.sources]) + entities
    targets = np.concatenate([below.entities.targets, below.summaries.targets + entities])
    scores = reader.scores("fact", facts)
    return transitivity(build_community_graph(links, scores, Links(sources, targets), entities + len(rows)))


def _overlap_row(built: Built) -> str:
    tokens = {
        part: [_tokens(built, part, question) for question in built.questions] for part in ("local", "bridge", "global")
    }
    others = [*tokens["bridge"][1:], tokens["bridge"][0]]
    cells = []
    for part in ("local", "global"):
        for bridges in (tokens["bridge"], others):
            shares = [
                covered(part_tokens, bridge) or 0.0 for part_tokens, bridge in zip(tokens[part], bridges, strict=True)
            ]
            cells.append(f"{np.mean(shares) / 100:.3f}")
    return f"| {built.name} | {' | '.join(cells)} |"


def _tokens(built: Built, part: str, question: DatasetQuestion) -> frozenset[int]:
    knowledge: Knowledge = built.workspace.retrieve(question.text, part, CONTEXT_TOKENS)
    return token_set("\n".join(item.text for item in knowledge.items))


if __name__ == "__main__":
    main()
