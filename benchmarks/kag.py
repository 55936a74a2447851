"""Measure method ``kag`` with recorded replies of a language model: ``python -m benchmarks.kag [FOLDER]``.

The questions are the first 20 with even numbers of 2wiki-101. No model is called. Requests without a recorded reply are
written to ``FOLDER/kag-requests.jsonl``; a plan comes first, and each step is requested once its predecessors are
answered. Have a model answer them, each from its own messages alone, add the replies to ``kag_replies.jsonl``, and run
the command again. When nothing is missing, it writes a section of docs/baselines.md.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.data import load
from benchmarks.recorded_workspace import RECORDED, recorded_workspace
from benchmarks.report_sections import DOCS, given_folder, rewrite
from polyadic.config import ModelSettings
from polyadic.evaluation.datasets import DatasetQuestion, corpus_id
from polyadic.evaluation.question_runner import run_method
from polyadic.llm.batch_model import BatchModel, PendingRequest, ReplyPending
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import ModelReply
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Knowledge, Usage
from polyadic.query.engine import QueryEngine
from polyadic.query.request import QueryRequest
from polyadic.text.tokens import count_tokens
from polyadic.workspace import Workspace

HEADING = "## KAG, with a model"
REPLIES = Path(__file__).with_name("kag_replies.jsonl")
QUESTIONS = 20
CONTEXT_TOKENS = 4_000
OTHERS = ("chunks", "hipporag", "hipporag2", "fastgraphrag", "hypergraph", "walk")
MODEL = ModelSettings(name="recorded", base_url="http://127.0.0.1:9", key_variable="", context_tokens=128_000)
HEAD = """
`python -m benchmarks.kag` writes this section: the first {questions} questions of {name} with even numbers, {tokens:,}
tokens, facts by a model. A large language model of a 2026 assistant planned the questions and answered the steps; its
replies are in `benchmarks/kag_replies.jsonl`. It answered all requests in one session. It knows most of Wikipedia, but
was told to use only the facts and passages shown to it; for two questions, these did not contain the answer, and it
gave none. No setting was chosen on these questions. `kag` made {calls:.1f} calls per question, with {sent:,.0f} tokens
sent and {received:,.0f} received. With so few questions, only the order of magnitude is meaningful.

| method | recall@5 | all gold@8 |
|---|---|---|"""


def main() -> None:
    questions = load(RECORDED).questions[::2][:QUESTIONS]
    with given_folder() as folder, recorded_workspace(folder) as workspace:
        found, pending = asyncio.run(_retrieved(workspace, questions))
        if pending:
            _write(pending, folder / "kag-requests.jsonl")
            return
        lines = list(section(workspace, questions, found))
    rewrite(DOCS / "baselines.md", HEADING, lines)


def section(workspace: Workspace, questions: Sequence[DatasetQuestion], found: Sequence[Knowledge]) -> Iterator[str]:
    """Yield the lines of the section."""
    usage = sum((knowledge.usage for knowledge in found), Usage())
    calls, sent, received = (
        total / len(found) for total in (usage.calls, usage.prompt_tokens, usage.completion_tokens)
    )
    yield HEAD.format(
        questions=len(questions), name=RECORDED, tokens=CONTEXT_TOKENS, calls=calls, sent=sent, received=received
    )
    passages = [[corpus_id(source) for source in knowledge.documents] for knowledge in found]
    yield f"| `kag` | {_scores(questions, passages)} |"
    for method in OTHERS:
        runs = run_method(workspace, questions, method, CONTEXT_TOKENS)
        yield f"| `{method}` | {_scores(questions, [run.outcome.passages for run in runs])} |"


async def _retrieved(
    workspace: Workspace, questions: Sequence[DatasetQuestion]
) -> tuple[list[Knowledge], list[PendingRequest]]:
    """Retrieve as far as replies are recorded; also return the requests without one."""
    endpoint = EndpointModel(MODEL)
    replies = _recorded()

    def lookup(key: str) -> ModelReply | None:
        return replies.get(key)

    model = BatchModel(endpoint, lookup)
    engine = QueryEngine(workspace.settings, workspace.store(), workspace.embedder, lambda role: model, PromptLibrary())
    found, pending = list[Knowledge](), list[PendingRequest]()
    for question in questions:
        try:
            found.append(await engine.retrieve(QueryRequest(question.text, "kag", CONTEXT_TOKENS)))
        except ReplyPending as problem:
            pending += problem.requests
    return found, pending


def _recorded() -> Mapping[str, ModelReply]:
    rows = [json.loads(line) for line in REPLIES.read_text(encoding="utf-8").splitlines()] if REPLIES.exists() else []
    replies = {row["key"]: json.dumps(row["reply"], ensure_ascii=False) for row in rows}
    received = dict(zip(replies, count_tokens([*replies.values()]), strict=True))
    sent = {row["key"]: row["prompt_tokens"] for row in rows}
    return {key: ModelReply(text, True, Usage(1, sent[key], received[key]), 0.0) for key, text in replies.items()}


def _scores(questions: Sequence[DatasetQuestion], ranked: Sequence[Sequence[str | None]]) -> str:
    pairs = [(question.gold, passages) for question, passages in zip(questions, ranked, strict=True)]
    recall = np.mean([len(gold & set(passages[:5])) / len(gold) for gold, passages in pairs])
    complete = np.mean([gold <= set(passages[:8]) for gold, passages in pairs])
    return f"{recall:.3f} | {complete:.3f}"


def _write(pending: Sequence[PendingRequest], file: Path) -> None:
    rows = []
    for request in pending:
        texts = [message["content"] for message in request.body["messages"]]
        row = {"key": request.key, "purpose": request.purpose, "prompt_tokens": sum(count_tokens(texts))}
        rows.append(json.dumps(row | {"messages": texts}, ensure_ascii=False))
    file.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    print(f"{len(rows)} replies missing: {file}")


if __name__ == "__main__":
    main()
