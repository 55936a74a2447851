"""Method ``kag``: KAG (arXiv 2409.13731), logical forms solved step by step over facts with their passages.

It differs from the published system in that nothing is aligned with a schema or with concepts, that there is one plan
without reflection, and that steps of deduction and calculation are left to the answer unless a later retrieval needs
them. A language model plans the question as steps: retrievals of a subject, predicate and object, deductions,
calculations and the output. Each retrieval links its names to entities, and takes facts about them, and passages by
Personalized PageRank from these entities and by similarity (the mutual index). The model answers the step from these;
later steps use the answer in place of a variable. Further differences:

- A fact has any number of entities, so that a retrieval looks for facts with the subject and the object, whatever their
  roles. The predicate counts by the similarity of facts to the step as a question, not by the type of an edge.
- A step is answered by one call, from facts and passages together; the original asks with the facts first.
- The model also names the lines from which it answers. They come first in what is retrieved.
- A calculation is made by the model, not by code that it writes.
- Answers of steps are shown in the trace only, because they have no source of their own.
- If a step has no answer, steps that need it are left out, and the question as a whole is searched as well, without a
  further plan.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import numpy as np

from polyadic.config import KAGSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge, Usage
from polyadic.retrieval.entity_linking import analyze_question
from polyadic.retrieval.entity_search import linked_entities
from polyadic.retrieval.items import RetrievedRow, to_items
from polyadic.retrieval.logical_form import LogicalStep, Operator, QuestionSolver, StepAnswer
from polyadic.retrieval.similarity_hits import above
from polyadic.retrieval.step_search import StepHits, search_step
from polyadic.retrieval.token_budget import knowledge_of, truncate_to_budget
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Reader
from polyadic.text.counts import count


@dataclass(slots=True)
class _Solution:
    """What the steps so far have found: answers by variable, what each step asked, and rows by step."""

    results: dict[str, tuple[str, ...]] = field(default_factory=dict)
    answered: list[str] = field(default_factory=list)
    rows: list[list[RetrievedRow]] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    complete: bool = True

    def enter(self, step: LogicalStep, answer: StepAnswer) -> None:
        self.usage += answer.usage
        self.complete = self.complete and bool(answer.answers)
        if answer.answers:
            self.answered.append(f"{step.question} {', '.join(answer.answers)}")
            if step.result:
                self.results[step.result] = answer.answers


class KAG:
    """Retrieve facts and passages for the steps of a question, which a language model plans and answers."""

    name = "kag"

    def __init__(self, settings: KAGSettings, solver: QuestionSolver) -> None:
        self._settings = settings
        self._solver = solver

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        solution = _Solution()
        if reader.size("chunk"):
            await self._solve(question, solution, reader, embedder, trace)
        found = [row for turn in zip_longest(*solution.rows) for row in turn if row is not None]
        knowledge = knowledge_of(question, self.name, found, context_tokens, trace, reader)
        return replace(knowledge, usage=solution.usage)

    async def _solve(
        self, question: str, solution: _Solution, reader: Reader, embedder: Embedder, trace: Trace
    ) -> None:
        plan, solution.usage = await self._solver.plan(question)
        steps = _executed(plan)[: self._settings.steps]
        trace.done("plan", f"{count(len(plan), 'step')}, {len(steps)} to solve" if plan else "no usable plan")
        for number, step in enumerate(steps, 1):
            name = f"step {number}"
            if missing := step.needs - solution.results.keys():
                solution.complete = False
                trace.done(name, f"{step}: left out, as {min(missing)} is unknown")
                continue
            answer = await self._solved(name, step, solution, reader, embedder)
            solution.enter(step.substituted(solution.results), answer)
            trace.done(name, f"{step}: {', '.join(answer.answers) or 'no answer'}")
        if not solution.rows or not solution.complete:
            names = analyze_question(question, reader).mentions
            hits = await self._search(question, names, "similar to the question, or about its names", reader, embedder)
            solution.rows.append(hits.merged(frozenset(), reader))
            trace.done("whole question", f"also searched, with names {', '.join(names) or 'none'}")

    async def _solved(
        self, name: str, step: LogicalStep, solution: _Solution, reader: Reader, embedder: Embedder
    ) -> StepAnswer:
        """Search for a retrieval and answer it, or answer a deduction from earlier answers."""
        asked = step.substituted(solution.results).question
        if step.operator is not Operator.RETRIEVAL:
            return await self._solver.answer(asked, solution.answered)
        hits = await self._search(asked, step.names(solution.results), f"found for {name}: {asked}", reader, embedder)
        shown, _ = truncate_to_budget([*hits.facts, *hits.passages], self._settings.step_tokens)
        answer = await self._solver.answer(asked, [item.text for item in to_items(shown, reader)])
        cited = frozenset((shown[line].kind.value, shown[line].row) for line in answer.lines)
        solution.rows.append(hits.merged(cited, reader))
        return answer

    async def _search(
        self, question: str, names: Sequence[str], why: str, reader: Reader, embedder: Embedder
    ) -> StepHits:
        vector, *name_vectors = await embedder.embed([question, *names])
        linked = linked_entities(names, np.array(name_vectors), reader)
        return search_step(above(self._settings.name_similarity, linked), vector, why, self._settings, reader)


def _executed(plan: Sequence[LogicalStep]) -> list[LogicalStep]:
    """Return the retrievals of a plan, and the other steps that retrievals after them need."""
    needed: set[str] = set()
    executed = []
    for step in reversed(plan):
        if step.operator is Operator.RETRIEVAL or (step.result and step.result in needed):
            needed |= step.needs
            executed.append(step)
    return executed[::-1]
