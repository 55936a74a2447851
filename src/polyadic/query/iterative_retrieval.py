"""Iterative retrieval: a language model notes what was found, and what is missing is searched, within stated bounds.

Every search is retrieval by the usual method. What all searches found is fitted to the token budget of one search, so
that more effort costs calls, but not a longer context. If a reply is unusable, or the bound of calls or money is
reached, the answer is made from what was found so far.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from polyadic.config import Effort
from polyadic.errors import NO_MODEL, NoReply, SettingsError
from polyadic.generation.context import lay_out
from polyadic.generation.query_planner import LLMQueryPlanner, NextQueries, Note
from polyadic.llm.budget import SpendingBudget
from polyadic.llm.language_model import LanguageModel, ModelRequest
from polyadic.model.types import Item, ItemKind, Knowledge, RetrievalSection, SourceSpan, Usage
from polyadic.retrieval.registry import needs_model
from polyadic.retrieval.trace import Trace
from polyadic.text.counts import count
from polyadic.text.tokens import count_tokens

Search = Callable[[str, int], Awaitable[Knowledge]]
"""Retrieve the knowledge for a query within a token budget."""


def check_effort(effort: Effort, has_model: bool, method: str) -> None:
    """Check that an answer can be made with this effort.

    Raises
    ------
    SettingsError
        More than low effort needs a language model, and a method that does not ask one itself.
    """
    if effort == "low":
        return
    if not has_model:
        raise SettingsError(f"effort {effort} needs a language model, but none is set", NO_MODEL.next_step)
    if needs_model(method):
        raise SettingsError(f"the method {method} plans its own searches", f"use it without effort {effort}")


@dataclass(frozen=True, slots=True)
class IterationLimits:
    """Bounds for the steps before an answer.

    Parameters
    ----------
    steps
        Maximum number of steps; each is one call.
    context_tokens
        Token budget for what all searches found.
    budget
        What all calls may cost, that for the answer included.
    """

    steps: int
    context_tokens: int
    budget: SpendingBudget


@dataclass(slots=True)
class _Progress:
    """What the steps so far have noted, searched and found; ``found`` has the result of each round, latest last."""

    searches: list[str]
    found: list[Knowledge]
    notes: list[Note] = field(default_factory=list)
    problem: str = ""

    @property
    def noted(self) -> list[Item]:
        """The items that were noted, in order, each once."""
        return list(dict.fromkeys(item for note in self.notes for item in note.items))

    def enter(self, step: NextQueries) -> list[str]:
        """Add the notes of a step, and return its new queries."""
        self.notes += step.notes
        known = {query.casefold() for query in self.searches}
        queries = [query for query in step.queries if query.casefold() not in known]
        self.searches += queries
        return queries


async def retrieve_iteratively(
    first: Knowledge, search: Search, planner: LLMQueryPlanner, usage: Callable[[], Usage], limits: IterationLimits
) -> Knowledge:
    """Search for what is missing until a model finds that it is enough, and merge what was found.

    Parameters
    ----------
    first
        What was found for the question itself.
    search
        Retrieves the knowledge for a query.
    planner
        Notes what was found, and names what is missing.
    usage
        Returns what the calls for this question have cost so far.
    limits
        Bounds of calls, money and tokens.

    Returns
    -------
    Knowledge
        The items that were noted first, then those of the latest searches.

    Raises
    ------
    ModelUnavailable
        As LanguageModel.complete.
    """
    progress, trace = _Progress([first.question], [first]), Trace()
    for number in range(1, limits.steps + 1):
        step = planner.planned(first.question, progress.notes, progress.searches, progress.found[-1])
        if not step.context.pieces:
            break
        try:
            _check_budget(step.request, planner.model, usage(), limits.budget)
            planned = await planner.next(step)
        except NoReply as problem:
            progress.problem = f"step {number} was the last, because {problem.what}"
            break
        queries = progress.enter(planned)
        trace.done(f"look for gaps {number}", _described(planned, queries))
        if not queries:
            break
        # What was noted is found again, but is not shown again.
        room = limits.context_tokens + sum(item.tokens for item in progress.noted)
        results = [await search(query, room) for query in queries]
        progress.found.append(_merged(first, _unnoted(results, progress.noted), limits.context_tokens))
        trace.done(f"search {number}", f"{count(len(progress.found[-1].items), 'item')} found")
    items = [*progress.noted, *(item for found in reversed(progress.found) for item in _listed(found))]
    searches = count(len(progress.searches), "search", "searches")
    note = "; ".join(filter(None, (first.note, searches, progress.problem)))
    merged = _merged(first, items, limits.context_tokens)
    return replace(merged, note=note, trace=(*first.trace, *trace.steps))


def _check_budget(request: ModelRequest, model: LanguageModel, spent: Usage, budget: SpendingBudget) -> None:
    """Raise NoReply unless the budget allows this request, and after it one for the answer, which is no longer."""
    most = model.max_usage(request)
    if not budget.allows(spent, most + most):
        raise NoReply(f"the budget of {budget} has no room for another")


def _described(planned: NextQueries, queries: Sequence[str]) -> str:
    noted = "; ".join(note.text for note in planned.notes) or "nothing"
    return f"noted: {noted}; missing: {'; '.join(queries) or 'nothing'}"


def _unnoted(results: Sequence[Knowledge], noted: Sequence[Item]) -> list[Item]:
    """Take the items of several searches in turn, without those that were noted, and the facts of noted passages."""
    known = {item.id: item for item in noted}
    passages = [item.places[0] for item in known.values() if item.kind is ItemKind.CHUNK]
    in_turn = zip_longest(*([_explained(item, found.question) for item in _listed(found)] for found in results))
    items = [item for turn in in_turn for item in turn if item and item.id not in known]
    return [item for item in items if item.kind is not ItemKind.FACT or not _is_stated(item, passages)]


def _is_stated(fact: Item, passages: Sequence[SourceSpan]) -> bool:
    return any(
        passage.document_id == place.document_id
        and passage.span.start <= place.span.start
        and place.span.end <= passage.span.end
        for passage in passages
        for place in fact.places
    )


def _listed(found: Knowledge) -> list[Item]:
    """Return the items that take tokens: a fact that a passage states takes none, and comes and goes with it."""
    return [item for item in found.items if item.tokens]


def _explained(item: Item, query: str) -> Item:
    return replace(item, why=f"searched “{query}”: {item.why}")


def _merged(first: Knowledge, items: Iterable[Item], context_tokens: int) -> Knowledge:
    """Fit the items of several searches to one budget, as they will be shown to a model, each once."""
    distinct: dict[tuple[str, str], Item] = {}
    for item in items:
        known = distinct.get((item.kind, item.id))
        # A passage may have been cut for one query, but not for another.
        if known is None or len(known.text) < len(item.text):
            # Not all items of a list may have been noted.
            section = RetrievalSection.LIST if item.section.is_list else item.section
            distinct[item.kind, item.id] = replace(item, section=section)
    everything = replace(first, items=tuple(distinct.values()))
    tokens: dict[tuple[str, str], int] = {}
    for piece in lay_out(everything, context_tokens).pieces:
        key = (piece.item.kind, piece.item.id)
        tokens[key] = tokens.get(key, 0) + sum(count_tokens([piece.text]))
    kept = tuple(replace(item, tokens=tokens[key]) for key, item in distinct.items() if key in tokens)
    return replace(everything, items=kept, tokens=sum(tokens.values()), omitted=len(distinct) - len(kept))
