"""Evaluate question condensing in conversations: ``python -m benchmarks.question_condensing [FOLDER]``.

``conversations.jsonl`` has conversations about ``examples/spaceflight`` and texts of ``tests/languages``, whose last
question usually refers back; ``needed`` is a regular expression that matches the answer. The last question is asked
unchanged, appended to the previous question, and condensed by Polyadic. Each question of two data sets is also asked
after an unrelated one, which should change nothing. FOLDER keeps the filled workspaces for the next run.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import SETS, filled, load
from benchmarks.report_sections import given_folder
from polyadic.evaluation.bootstrap import interval
from polyadic.evaluation.datasets import corpus_id
from polyadic.generation.rule_question_condenser import standalone
from polyadic.model.types import Answer, Turn
from polyadic.workspace import Workspace

ROOT = Path(__file__).parents[1]
CONVERSATIONS = Path(__file__).with_name("conversations.jsonl")
CORPORA = {
    "spaceflight": ROOT / "examples/spaceflight",
    "de": ROOT / "tests/languages/texts/de",
    "es": ROOT / "tests/languages/texts/es",
    "zh": ROOT / "tests/languages/texts/zh",
}
TOKENS = 500

Resolve = Callable[[str, Sequence[Turn]], str]
WAYS: dict[str, Resolve | None] = {
    "as it stands": lambda question, history: question,
    "after the last question": lambda question, history: f"{history[-1].question} {question}" if history else question,
    "within the conversation": None,
}


@dataclass(frozen=True, slots=True)
class Conversation:
    corpus: str
    turns: tuple[str, ...]
    needed: re.Pattern[str]


def conversations() -> Iterator[Conversation]:
    for line in CONVERSATIONS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Conversation(row["corpus"], tuple(row["turns"]), re.compile(row["needed"]))


def main() -> None:
    with given_folder() as folder:
        workspaces = {}
        for name, texts in CORPORA.items():
            workspaces[name] = Workspace(folder / f"talk-{name}")
            workspaces[name].index([texts])
        print("| last question of a conversation | quoted first | quoted | within 500 tokens |\n|---|---|---|---|")
        for way, resolve in WAYS.items():
            rows = [_scores(conversation, workspaces[conversation.corpus], resolve) for conversation in conversations()]
            print(f"| {way} | " + " | ".join(str(interval(column)) for column in zip(*rows, strict=True)) + " |")
        print("\n| question after an unrelated one | changed | recall@5, less that alone |\n|---|---|---|")
        for name in SETS:
            print(f"| {name} | {_after_unrelated(name, folder)} |", flush=True)


def _scores(conversation: Conversation, workspace: Workspace, resolve: Resolve | None) -> tuple[float, float, float]:
    """Whether the last answer is in the first quotation, in any quotation, and in the first tokens retrieved."""
    history: list[Turn] = []
    for question in conversation.turns:
        if resolve is None:
            answer = workspace.query(question, history=history)
        else:
            answer = workspace.query(resolve(question, history))
        history.append(Turn(question, answer.text))
    quoted = [conversation.needed.search(" ".join(c.place.quote.split())) is not None for c in answer.citations]
    return float(any(quoted[:1])), float(any(quoted)), float(_is_within_budget(answer, conversation.needed))


def _is_within_budget(answer: Answer, needed: re.Pattern[str]) -> bool:
    tokens = 0
    for item in answer.knowledge.items:
        tokens += item.tokens
        if tokens > TOKENS:
            return False
        if needed.search(" ".join(item.text.split())):
            return True
    return False


def _after_unrelated(name: str, folder: Path) -> str:
    """Count the questions that a preceding unrelated question changes, and the effect on recall@5."""
    dataset = load(name)
    workspace = filled(dataset, folder)
    questions = dataset.questions
    changed, losses = 0, []
    for index, question in enumerate(questions):
        previous = questions[index - len(questions) // 2]
        condensed = standalone(question.text, [Turn(previous.text, " ".join(previous.answers))])
        changed += condensed != question.text
        if condensed == question.text:
            losses.append(0.0)
            continue
        losses.append(_recall(workspace, condensed, question.gold) - _recall(workspace, question.text, question.gold))
    return f"{changed} of {len(questions)} | {interval(losses)}"


def _recall(workspace: Workspace, text: str, gold: frozenset[str]) -> float:
    passages = [corpus_id(source) for source in workspace.retrieve(text).documents[:5]]
    return len(gold & set(passages)) / len(gold)


if __name__ == "__main__":
    main()
