"""What an evaluation is to do, and what its records depend on."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from polyadic import __version__
from polyadic.config import METHODS, Settings
from polyadic.errors import SettingsError
from polyadic.evaluation.datasets import Dataset, DatasetQuestion
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.identity import digest
from polyadic.storage.protocol import Counts

AnswersBy = Literal["model", "quotes", "none"]
MEASURES = ("recall@5", "all-gold@5", "all-gold@8", "ndcg@10", "f1", "em", "c-rec", "c-erec", "a-rel")
"""Those that need neither a judge nor an embedder."""
WIN_RATE = "win-rate"

# How a model is reached and what it costs does not change what it says.
_NOT_SAID = {
    "key_variable",
    "at_once",
    "requests_per_minute",
    "tokens_per_minute",
    "timeout",
    "retries",
    "prompt_price",
    "completion_price",
    "batch_discount",
    "folder",
    "threads",
}
# Said apart: the budget by the plan, the method by each record; how files were read shows in the data set.
_APART = {"retrieval", "reading"}
_ANSWER_PROMPTS = ("answer", "answer_think", "answer_alone", "question_entities")
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class EvalPlan:
    """What is to be asked and measured.

    ``limit`` is how many questions are drawn with ``seed``, None for all; a larger draw holds the smaller ones.
    ``at_once`` is how many questions are under way together. ``judge`` names the model that judges. Each method is
    asked with ``context_tokens`` and, for the curve, with each of ``budgets`` as well.
    """

    methods: tuple[str, ...]
    measures: tuple[str, ...] = MEASURES
    context_tokens: int = 4000
    answers: AnswersBy = "quotes"
    limit: int | None = None
    seed: int = 0
    at_once: int = 1
    judge: str = ""
    budgets: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name, given in (("method", self.methods), ("measure", self.measures)):
            if twice := {one for one in given if given.count(one) > 1}:
                raise SettingsError(f"{name} {min(twice)} is named twice", "name it once")
        if unknown := [method for method in self.methods if method not in METHODS]:
            raise SettingsError(f"there is no method {unknown[0]!r}", f"use some of {', '.join(METHODS)}, or all")

    @property
    def variants(self) -> tuple["MethodVariant", ...]:
        """What is asked of each question: all methods with the budget, then those with others."""
        budgets = dict.fromkeys([self.context_tokens, *sorted(self.budgets)])
        return tuple(MethodVariant(self.label(m, budget), m, budget) for budget in budgets for m in self.methods)

    def label(self, method: str, budget: int) -> str:
        """What a method is called in records.

        >>> EvalPlan(("walk",), budgets=(500,)).label("walk", 4000), EvalPlan(("walk",), budgets=(500,)).label("walk",
        ... 500)
        ('walk', 'walk@500')
        """
        return method if budget == self.context_tokens else f"{method}@{budget}"


@dataclass(frozen=True, slots=True)
class MethodVariant:
    """A method with a budget of tokens, and what that is called in records."""

    label: str
    method: str
    context_tokens: int


def drawn(questions: Sequence[DatasetQuestion], limit: int | None, seed: int) -> tuple[DatasetQuestion, ...]:
    """So many of the questions, in their order; which ones depends on the seed and on their ids alone.

    >>> several = [DatasetQuestion(id, "?", (), frozenset()) for id in "abcdef"]
    >>> "".join(question.id for question in drawn(several, 3, 0)), len(drawn(several, None, 0))
    ('bdf', 6)
    """
    if limit is None or limit >= len(questions):
        return tuple(questions)
    lots = sorted((digest("draw", str(seed), question.id), question.id) for question in questions)[:limit]
    chosen = {id for _, id in lots}
    return tuple(question for question in questions if question.id in chosen)


def made_with(
    plan: EvalPlan, dataset: Dataset, settings: Settings, prompts: PromptLibrary, embedder: str, held: Counts
) -> dict[str, str]:
    """What records depend on, in parts by name, as people call them."""
    parts = {
        "version of Polyadic": __version__,
        "data set": _content(dataset),
        "index": digest("index", embedder, str((held.documents, held.chunks, held.facts, held.entities))),
        "--context-tokens": str(plan.context_tokens),
        "--seed": str(plan.seed),
        "--answers": plan.answers,
        "prompts": digest("prompts", *(prompts.get(name).fingerprint for name in _ANSWER_PROMPTS)),
    }
    for section in sorted(set(type(settings).model_fields) - _APART):
        said = getattr(settings, section).model_dump_json(exclude=_NOT_SAID)
        parts[f"section [{section}] of the settings"] = digest("section", said)
    return parts


def _content(dataset: Dataset) -> str:
    state = hashlib.blake2b(repr([(q.id, q.text, q.answers, sorted(q.gold)) for q in dataset.questions]).encode())
    with dataset.corpus.open("rb") as corpus:
        while block := corpus.read(_BLOCK):
            state.update(block)
    return state.hexdigest()[:32]
