"""Evaluation plan, and the settings that its records depend on."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from polyadic import __version__
from polyadic.config import Settings
from polyadic.errors import SettingsError
from polyadic.evaluation.datasets import Dataset, DatasetQuestion
from polyadic.evaluation.systems import System, systems_of
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.identity import digest
from polyadic.storage.protocol import Counts

AnswersBy = Literal["model", "quotes", "none"]
MEASURES = ("recall@5", "all-gold@5", "all-gold@8", "ndcg@10", "f1", "em", "c-rec", "c-erec", "a-rel")
"""Default measures; they need neither a judge nor an embedder."""
WIN_RATE = "win-rate"

# Connection and price settings of a model do not change its replies.
_IRRELEVANT_SETTINGS = {
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
# Recorded elsewhere: the budget in the plan, the method in each record; reading settings affect the data set's digest.
_OTHER_SECTIONS = {"retrieval", "reading"}
_ANSWER_PROMPTS = (
    "answer",
    "answer_think",
    "answer_alone",
    "question_entities",
    "plan_steps",
    "answer_step",
    "next_queries",
)
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class EvalPlan:
    """Methods, measures and parameters of an evaluation.

    Parameters
    ----------
    methods, measures
        Names of retrieval methods and measures.
    context_tokens
        Token budget of each question.
    answers
        How questions are answered: by a language model, by quoted sentences, or not at all.
    limit
        Number of questions drawn with ``seed``, None for all. A larger draw contains the smaller ones.
    seed
        Seed of the draw and of bootstrap intervals.
    at_once
        Number of concurrent questions.
    judge
        Name of the judging model; empty for the one that answers.
    budgets
        Further token budgets, for quality by budget.
    variants
        Settings to compare with those of the workspace, such as ``fill=false`` or ``facts=20,entities=20``; each is
        evaluated with all of the methods that have these settings.
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
    variants: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if duplicates := {value for value in self.measures if self.measures.count(value) > 1}:
            raise SettingsError(f"measure {min(duplicates)} is given twice", "give it once")
        systems_of(self.methods, self.variants)

    @property
    def systems(self) -> tuple[System, ...]:
        """The compared systems, one per row of the results: all methods, then their variants."""
        return systems_of(self.methods, self.variants)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the systems."""
        return tuple(system.name for system in self.systems)

    @property
    def runs(self) -> tuple["SystemRun", ...]:
        """Combinations of system and budget: all systems with the main budget, then with the others."""
        budgets = dict.fromkeys([self.context_tokens, *sorted(self.budgets)])
        return tuple(SystemRun(self.label(s.name, budget), s, budget) for budget in budgets for s in self.systems)

    def label(self, system: str, budget: int) -> str:
        """Return the label of a system (by name) with a budget, as used in records.

        >>> EvalPlan(("walk",), budgets=(500,)).label("walk", 4000), EvalPlan(("walk",), budgets=(500,)).label("walk",
        ... 500)
        ('walk', 'walk@500')
        """
        return system if budget == self.context_tokens else f"{system}@{budget}"


@dataclass(frozen=True, slots=True)
class SystemRun:
    """A system with a token budget, and its label in records."""

    label: str
    system: System
    context_tokens: int


def drawn(questions: Sequence[DatasetQuestion], limit: int | None, seed: int) -> tuple[DatasetQuestion, ...]:
    """Draw ``limit`` questions, keeping their order; the draw depends only on the seed and the ids.

    >>> several = [DatasetQuestion(id, "?", (), frozenset()) for id in "abcdef"]
    >>> "".join(question.id for question in drawn(several, 3, 0)), len(drawn(several, None, 0))
    ('bdf', 6)
    """
    if limit is None or limit >= len(questions):
        return tuple(questions)
    ranked_ids = sorted((digest("draw", str(seed), question.id), question.id) for question in questions)[:limit]
    chosen = {id for _, id in ranked_ids}
    return tuple(question for question in questions if question.id in chosen)


def made_with(
    plan: EvalPlan, dataset: Dataset, settings: Settings, prompts: PromptLibrary, embedder: str, held: Counts
) -> dict[str, str]:
    """Return digests of everything that records depend on, by a name to show to users."""
    parts = {
        "version of Polyadic": __version__,
        "data set": _content(dataset),
        "index": digest("index", embedder, str((held.documents, held.chunks, held.facts, held.entities))),
        "--context-tokens": str(plan.context_tokens),
        "--seed": str(plan.seed),
        "--answers": plan.answers,
        "prompts": digest("prompts", *(prompts.get(name).fingerprint for name in _ANSWER_PROMPTS)),
    }
    for section in sorted(set(type(settings).model_fields) - _OTHER_SECTIONS):
        section_json = getattr(settings, section).model_dump_json(exclude=_IRRELEVANT_SETTINGS)
        parts[f"section [{section}] of the settings"] = digest("section", section_json)
    return parts


def _content(dataset: Dataset) -> str:
    state = hashlib.blake2b(repr([(q.id, q.text, q.answers, sorted(q.gold)) for q in dataset.questions]).encode())
    with dataset.corpus.open("rb") as corpus:
        while block := corpus.read(_BLOCK):
            state.update(block)
    return state.hexdigest()[:32]
