"""Measure what more effort finds that one search misses: ``python -m benchmarks.effort [FOLDER]``.

The questions are the 18 three-hop questions of ``benchmarks/invented/`` that were answered wrongly or not at all from
one search of ``auto`` with 1,000 tokens (docs/answers-with-a-model.md), and two of the others, drawn at random. They
were chosen before anything was run. No model is called. Requests without a recorded reply are written to
``FOLDER/effort-requests-EFFORT-TOKENS.jsonl``; a step is requested once its predecessors are answered. Have a model
answer them, each from its own messages alone, add the replies to ``effort_replies.jsonl``, and run the command again.
When nothing is missing, it writes a section of docs/answers-with-a-model.md.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.model_answers import INVENTED, MODEL, PAGE, STYLE
from benchmarks.report_sections import given_folder, rewrite
from polyadic.config import AnswerSettings, Effort, ExtractionSettings, Settings
from polyadic.evaluation.dataset_formats import load_beir
from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.measures.exact_match_and_f1 import F1, ExactMatch
from polyadic.evaluation.question_record import GeneratedText, QuestionOutcome
from polyadic.llm.batch_model import BatchModel, PendingRequest, ReplyPending
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import ModelReply
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Answer, Usage
from polyadic.query.engine import QueryEngine
from polyadic.query.request import QueryRequest
from polyadic.text.tokens import count_tokens
from polyadic.workspace import Workspace

HEADING = "## More effort"
REPLIES = Path(__file__).with_name("effort_replies.jsonl")
MISSED = (71, 72, 74, 75, 76, 77, 80, 82, 83, 84, 85, 86, 88, 93, 95, 96, 99, 100)
ANSWERED = (78, 87)
RUNS: Sequence[tuple[Effort, int]] = (
    ("low", 1000),
    ("medium", 1000),
    ("high", 1000),
    ("low", 2000),
    ("low", 4000),
)


@dataclass(frozen=True, slots=True)
class EffortRun:
    """The answers with one effort and token budget."""

    effort: Effort
    budget: int
    answers: Sequence[Answer]


def main() -> None:
    chosen = {f"q{number:03}" for number in (*MISSED, *ANSWERED)}
    questions = [question for question in load_beir(INVENTED).questions if question.id in chosen]
    replies = _recorded()
    runs: list[EffortRun] = []
    with given_folder() as folder, Workspace(folder / "effort", _settings()) as workspace:
        workspace.index([load_beir(INVENTED).corpus])
        for effort, budget in RUNS:
            answers, pending = asyncio.run(_answered(workspace, questions, effort, budget, replies))
            if pending:
                _write(pending, folder / f"effort-requests-{effort}-{budget}.jsonl")
            runs.append(EffortRun(effort, budget, answers))
    if all(len(run.answers) == len(questions) for run in runs):
        rewrite(PAGE, HEADING, _section(questions, runs))


def _settings() -> Settings:
    return Settings(model=MODEL, extraction=ExtractionSettings(extractor="sentences"))


async def _answered(
    workspace: Workspace,
    questions: Sequence[DatasetQuestion],
    effort: Effort,
    budget: int,
    replies: Mapping[str, ModelReply],
) -> tuple[list[Answer], dict[str, PendingRequest]]:
    """Answer as far as replies are recorded; also return the requests without one, by question."""
    model = BatchModel(EndpointModel(MODEL), replies.get)
    engine = QueryEngine(workspace.settings, workspace.store(), workspace.embedder, lambda role: model, PromptLibrary())
    how = AnswerSettings(by="model", style=STYLE, effort=effort)
    answers, pending = list[Answer](), dict[str, PendingRequest]()
    for question in questions:
        try:
            answers.append(await engine.answer(QueryRequest(question.text, "auto", budget, answer=how)))
        except ReplyPending as problem:
            pending[question.id] = problem.requests[0]
    return answers, pending


def _recorded() -> Mapping[str, ModelReply]:
    rows = [json.loads(line) for line in REPLIES.read_text(encoding="utf-8").splitlines()] if REPLIES.exists() else []
    replies = {row["key"]: row["reply"] for row in rows}
    texts = [reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False) for reply in replies.values()]
    sent = {row["key"]: row["prompt_tokens"] for row in rows}
    received = count_tokens(texts)
    return {
        key: ModelReply(text, True, Usage(1, sent[key], tokens), 0.0)
        for key, text, tokens in zip(replies, texts, received, strict=True)
    }


HEAD = """
`python -m benchmarks.effort` writes this section. [More effort](methods.md#search-again-for-what-is-missing) lets the
model search again for what the first search missed, within the same token budget. The questions are {questions} of the
invented corpus with three hops: the {missed} that were answered wrongly or not at all from one search of `auto` with
1,000 tokens, and {answered} of the others, drawn at random. They were chosen before anything was run. A single search
looks worse on them than on all 30. Facts were extracted without a model.

- A large language model of a 2026 assistant answered all requests in one session: first `low` with 1,000 tokens, then
  the steps of `medium` and `high` in order, finally `low` with more tokens, where it recognized passages of earlier
  requests by their titles. It answered each request from its own passages, but had seen those of other requests.
- The way in which contexts are merged was changed after the first contexts of second searches were seen, but before any
  of them was answered: facts of noted passages are left out, and items noted before take no tokens from a new search.
  Nothing was changed after that, and the expected answers were not looked at.
- Calls and tokens are means per question; the tokens sent are those of all calls.
"""


def _section(questions: Sequence[DatasetQuestion], runs: Sequence[EffortRun]) -> Iterator[str]:
    yield HEAD.format(questions=len(questions), missed=len(MISSED), answered=len(ANSWERED))
    yield "| effort | tokens allowed | F1 | exact | refused | calls | maximum calls | tokens sent | tokens received |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for run in runs:
        outcomes = [
            QuestionOutcome(question, generation=GeneratedText.read(answer.text))
            for question, answer in zip(questions, run.answers, strict=True)
        ]
        f1, exact = (np.mean([measure.score(outcome) for outcome in outcomes]) for measure in (F1(), ExactMatch()))
        refused = np.mean([not answer.answered for answer in run.answers])
        usages = [answer.usage for answer in run.answers]
        calls, sent, received = (
            np.mean([getattr(usage, name) for usage in usages])
            for name in ("calls", "prompt_tokens", "completion_tokens")
        )
        most = max(usage.calls for usage in usages)
        scores = f"{f1:.1f} | {exact:.1f} | {refused:.2f}"
        cost = f"{calls:.1f} | {most} | {sent:,.0f} | {received:,.0f}"
        yield f"| {run.effort} | {run.budget:,} | {scores} | {cost} |"


def _write(pending: Mapping[str, PendingRequest], file: Path) -> None:
    rows = []
    for question, request in pending.items():
        texts = [message["content"] for message in request.body["messages"]]
        row = {"key": request.key, "purpose": request.purpose, "question": question}
        rows.append(
            json.dumps(row | {"prompt_tokens": sum(count_tokens(texts)), "messages": texts}, ensure_ascii=False)
        )
    file.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    print(f"{len(rows)} replies missing: {file}")


if __name__ == "__main__":
    main()
