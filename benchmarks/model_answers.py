"""Measure the answers of a language model over retrieved knowledge: ``python -m benchmarks.model_answers FOLDER``.

The question is the one of HyperGraphRAG's Table 1: how much better a model answers from the knowledge of a method than
from passages found by vectors, and than from nothing. No model is called. Requests without a recorded reply are
written to ``FOLDER/requests/``, one file for each corpus, method and budget, so that no answer can leak into another.
Have a model answer them, put the response files into ``FOLDER/replies/``, and run the command again: it writes the runs
whose replies are complete into docs/answers-with-a-model.md.
``benchmarks/invented/`` is a corpus that no model can know, with the replies that were recorded.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import load
from benchmarks.recorded_workspace import extracted_workspace, recorded_workspace
from benchmarks.report_sections import DOCS, given_folder, rewrite
from polyadic.batch.request_files import RequestFileWriter
from polyadic.config import AnswerSettings, ExtractionSettings, HierarchyBuildSettings, ModelSettings, Settings
from polyadic.evaluation.batch import EvaluationBatch
from polyadic.evaluation.bootstrap import interval
from polyadic.evaluation.dataset_formats import load_beir
from polyadic.evaluation.datasets import Dataset
from polyadic.evaluation.evaluate import evaluate
from polyadic.evaluation.plan import EvalPlan
from polyadic.evaluation.results import EvaluationResults
from polyadic.llm.batch_model import ReplyPending
from polyadic.workspace import Workspace

PAGE = DOCS / "answers-with-a-model.md"
INVENTED = Path(__file__).parent / "invented"
BASELINE = "chunks"
RUNS = (
    ("none", 1000),
    *((method, budget) for budget in (1000, 2000) for method in (BASELINE, "bm25", "auto", "hypergraph", "walk")),
    ("hierarchy", 1000),
    ("hierarchy", 2000),
)
"""Method and token budget; without retrieval there is no budget.

`hierarchy` comes last: once there is a hierarchy, `auto` uses it for questions about the whole.
"""
STYLE = "the answer alone, in as few words as possible and not as a sentence, followed by its number in brackets"
MODEL = ModelSettings(name="recorded", base_url="http://127.0.0.1:9", key_variable="", context_tokens=128_000)


@dataclass(frozen=True, slots=True)
class MeasuredCorpus:
    """A question set, and the recorded facts of a model for its documents, if they are to be used."""

    name: str
    dataset: Dataset
    recorded: Callable[[Path], AbstractContextManager[Workspace]] | None = None


@dataclass(frozen=True, slots=True)
class AnsweredRun:
    """The answers over one method and budget: F1 and exact match by question, in percent."""

    method: str
    budget: int
    f1: NDArray[np.float64]
    exact: NDArray[np.float64]
    refused: float
    tokens: float


def main() -> None:
    with given_folder() as folder:
        for corpus in _corpora():
            try:
                runs = _answered(corpus, folder)
            except LookupError as missing:
                print(missing)
                continue
            if runs:
                rewrite(PAGE, f"## {corpus.name}", _table(corpus, runs))


def _corpora() -> Iterator[MeasuredCorpus]:
    yield MeasuredCorpus("Invented corpus, facts without a model", load_beir(INVENTED))
    yield MeasuredCorpus("Invented corpus, facts by a model", load_beir(INVENTED), _recorded_invented)
    yield MeasuredCorpus("2wiki-101, facts by a model", load("2wiki-101"), recorded_workspace)
    yield MeasuredCorpus("2wiki-101, facts without a model", load("2wiki-101"))
    yield MeasuredCorpus("hotpotqa-100, facts by a model", load("hotpotqa-100"), _extracted_hotpotqa)
    yield MeasuredCorpus("hotpotqa-100, facts without a model", load("hotpotqa-100"))


def _recorded_invented(folder: Path) -> AbstractContextManager[Workspace]:
    replies, corpus = INVENTED / "extractions.jsonl", INVENTED / "corpus.jsonl"
    return extracted_workspace(replies, corpus, folder / f"{INVENTED.name}-with-a-model")


@contextmanager
def _extracted_hotpotqa(folder: Path) -> Iterator[Workspace]:
    """Open a workspace with facts from the replies in ``FOLDER/replies``; without them, write the requests.

    The facts restate sentences of HotpotQA (CC BY-SA), so they are not part of the project.

    Raises
    ------
    LookupError
        Replies are missing.
    """
    dataset = load("hotpotqa-100")
    with Workspace(folder / f"{dataset.name}-with-a-model", Settings(model=MODEL)) as kb:
        request_file = folder / "requests" / f"{dataset.name}-extraction.jsonl"
        request_file.parent.mkdir(parents=True, exist_ok=True)
        kb.batch.write(request_file, [dataset.corpus], overwrite=True)
        kb.batch.read(sorted((folder / "replies").glob(f"{dataset.name}-extraction*.jsonl")))
        if missing := kb.batch.missing().documents:
            raise LookupError(f"replies for {missing} documents missing: {request_file}")
        yield kb


def _answered(corpus: MeasuredCorpus, folder: Path) -> list[AnsweredRun]:
    """Return the runs over a corpus whose replies are complete."""
    name = corpus.dataset.name
    if corpus.recorded:
        name += "-with-a-model"
        with corpus.recorded(folder):
            """Index with the recorded facts; what follows needs no server."""
    runs = []
    with Workspace(folder / name, _settings(corpus)) as kb:
        for method, budget in RUNS:
            results = asyncio.run(_evaluated(kb, corpus.dataset, method, budget, folder, name))
            if results:
                runs.append(_run(method, budget, results))
    return runs


def _settings(corpus: MeasuredCorpus) -> Settings:
    return Settings(
        model=MODEL,
        extraction=ExtractionSettings(extractor="model" if corpus.recorded else "sentences"),
        answer=AnswerSettings(by="model", style=STYLE),
        hierarchy_build=HierarchyBuildSettings(by="extractive"),
    )


async def _evaluated(
    kb: Workspace, dataset: Dataset, method: str, budget: int, folder: Path, name: str
) -> EvaluationResults | None:
    """Evaluate one run with the replies that there are; otherwise write the requests, and return None."""
    plan = EvalPlan((method,), ("f1", "em"), budget, answers="model")
    run = f"{name}-{method}-{budget}"
    batch = EvaluationBatch(kb, folder / "results" / run)
    try:
        return await evaluate(kb, dataset, plan, folder / "results" / run, by_file=batch)
    except ReplyPending:
        request_file = folder / "requests" / f"{run}.jsonl"
        request_file.parent.mkdir(parents=True, exist_ok=True)
        batch.write(RequestFileWriter(request_file, overwrite=True))
    batch = EvaluationBatch(kb, folder / "results" / run)
    await batch.take([*sorted((INVENTED / "replies").glob("*.jsonl")), *sorted((folder / "replies").glob("*.jsonl"))])
    try:
        return await evaluate(kb, dataset, plan, folder / "results" / run, by_file=batch)
    except ReplyPending as pending:
        print(f"{len(pending.requests)} replies missing: {request_file}")
        return None


def _run(method: str, budget: int, results: EvaluationResults) -> AnsweredRun:
    records = [record for record in results.records[0] if record and record.answer]
    f1, exact = (results.scores.values[0, :, column] for column in range(2))
    refused = np.mean([not record.answer.answered for record in records if record.answer])
    return AnsweredRun(method, budget, f1, exact, float(refused), float(np.mean([one.tokens for one in records])))


def _table(corpus: MeasuredCorpus, runs: Sequence[AnsweredRun]) -> Iterator[str]:
    hops = sorted({question.hops for question in corpus.dataset.questions} - {0})
    of_hops = [np.array([question.hops == n for question in corpus.dataset.questions]) for n in hops]
    headings = [f"F1, {n} hop{'s' * (n > 1)}" for n in hops]
    yield ""
    columns = ["method", "tokens allowed", "F1", "above `chunks` [95%]", "exact", "refused", "tokens used", *headings]
    yield f"| {' | '.join(columns)} |"
    yield f"|---|---|---|---|---|---|---{'|---' * len(hops)}|"
    baselines = {run.budget: run for run in runs if run.method == BASELINE}
    for run in runs:
        gain = interval((run.f1 - baselines[run.budget].f1).tolist())
        above = "–" if run.method == BASELINE else f"{gain.mean:+.1f} [{gain.low:+.1f}, {gain.high:+.1f}]"
        allowed, used = ("–", "–") if run.method == "none" else (f"{run.budget:,}", f"{run.tokens:,.0f}")
        by_hops = "".join(f" | {run.f1[chosen].mean():.1f}" for chosen in of_hops)
        cells = f"{run.f1.mean():.1f} | {above} | {run.exact.mean():.1f} | {run.refused:.2f} | {used}{by_hops}"
        yield f"| `{run.method}` | {allowed} | {cells} |"


if __name__ == "__main__":
    main()
