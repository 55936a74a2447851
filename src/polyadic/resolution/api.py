"""API of entity resolution: review candidates, make, list and undo decisions; ``Workspace.entities``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from polyadic.concurrency.async_to_sync import async_to_sync
from polyadic.embeddings.embedder import Embedder
from polyadic.llm.budget import SpendingBudget
from polyadic.llm.cached_model import CachedModel, StoreResponseCache
from polyadic.llm.language_model import LanguageModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.resolution import ResolutionDecision
from polyadic.model.types import Usage
from polyadic.resolution import decision_builder
from polyadic.resolution.apply_decisions import LISTED, DecisionOutcome, apply_decisions
from polyadic.resolution.decision_builder import resolve_id_prefix
from polyadic.resolution.homonyms import Homonym, homonyms
from polyadic.resolution.llm_adjudication import LLMAdjudication, adjudicate, pairs_to_judge
from polyadic.resolution.merge_candidates import CERTAIN, CandidatePairs, MergeCandidate
from polyadic.storage.protocol import Store

SHOWN = 20
"""Default number of pairs in a review."""

LEAST_WITH_A_MODEL = 0.6
"""Recommended minimum score for merging pairs that a language model confirms."""


@dataclass(frozen=True, slots=True)
class ResolutionReview:
    """Candidate pairs for merging, and names that may be homonyms.

    Parameters
    ----------
    candidates
        Pairs of entities, the most likely first. Pairs with an entity that is merged already come last; their ``why``
        says which decision to undo first.
    homonyms
        Names that may refer to several entities.
    total
        Number of all pairs, including those not shown.
    certain
        Number of pairs that ``merge_automatically`` would merge.
    usage, unreadable, stopped
        As in :class:`~polyadic.resolution.llm_adjudication.LLMAdjudication`, if a model was asked.
    """

    candidates: tuple[MergeCandidate, ...]
    homonyms: tuple[Homonym, ...]
    total: int
    certain: int
    usage: Usage = field(default_factory=Usage)
    unreadable: int = 0
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class AutoMergeReport:
    """Result of automatic merging; ``adjudication`` is the model's adjudication, if one was asked."""

    outcome: DecisionOutcome
    adjudication: LLMAdjudication


@dataclass(frozen=True, slots=True)
class ResolutionApi:
    """Review and make resolution decisions. Evidence stays unchanged, so undoing a decision restores the state before.

    Parameters
    ----------
    store, embedder, model
        Factories, called on first use; ``model`` raises if no model is configured.
    prompts
        Prompts for the language model.
    at_once
        Maximum number of concurrent model calls.
    """

    store: Callable[[], Store]
    embedder: Callable[[], Embedder]
    model: Callable[[], LanguageModel]
    prompts: PromptLibrary
    at_once: int = 1

    async def areview(
        self, limit: int = SHOWN, by_model: bool = False, budget: SpendingBudget | None = None, start: int = 0
    ) -> ResolutionReview:
        """List candidate pairs for merging, and possible homonyms.

        Parameters
        ----------
        limit
            Maximum number of pairs, the most likely first.
        by_model
            Ask the language model about the listed pairs below the score ``CERTAIN``, in full requests.
        budget
            Spending limit for the language model.
        start
            Number of pairs to leave out, from the most likely one on.

        Returns
        -------
        ResolutionReview
            Pairs and homonyms.

        Raises
        ------
        NotFound
            There is no workspace.
        SettingsError
            ``by_model`` is set, and no model is configured.
        """
        store = self.store()
        with store.read() as reader:
            found = CandidatePairs.of(reader)
            hints = homonyms(reader, found)
            ranked = found.ranked()[start : start + limit]
            shown = [found.candidate(pair) for pair in ranked]
            uncertain = [found.candidate(pair) for pair in pairs_to_judge(found, ranked)] if by_model else []
        asked = await self._adjudicate(store, uncertain, budget) if by_model else LLMAdjudication()
        candidates = tuple(
            replace(one, same=verdict.same, reason=verdict.why) if (verdict := asked.verdicts.get(one.id)) else one
            for one in shown
        )
        return ResolutionReview(
            candidates, tuple(hints), len(found.judged), found.certain(), asked.usage, asked.unreadable, asked.stopped
        )

    async def amerge(self, names: Sequence[str], into: str = "") -> DecisionOutcome:
        """Merge entities: from now on these names refer to one entity.

        Parameters
        ----------
        names
            Two or more names or other references. Name all entities of the merge at once.
        into
            Name of the merged entity; by default that of the entity with most facts.

        Raises
        ------
        NotFound
            A name is unknown or ambiguous.
        DecisionRefused
            It contradicts an earlier decision.
        """
        with self.store().read() as reader:
            decision = decision_builder.merge(reader, names, into)
        return await self._decide([decision])

    async def arename(self, name: str, into: str) -> DecisionOutcome:
        """Give an entity another name. Undoing the decision restores the name before.

        Parameters
        ----------
        name
            Name or other reference; of a merged entity, its merge is replaced by one with the new name.
        into
            The new name, which no other entity may have.

        Raises
        ------
        NotFound
            The name is unknown or ambiguous.
        DecisionRefused
            The new name is that of another entity, or a decision contradicts it.
        """
        store = self.store()
        with store.read() as reader:
            decision, replaced = decision_builder.rename(reader, name, into)
        return await apply_decisions(store, self.embedder, [decision], replaced)

    async def amerge_automatically(
        self, least: float = CERTAIN, by_model: bool = False, budget: SpendingBudget | None = None
    ) -> AutoMergeReport:
        """Merge groups of entities in which every pair has a sufficient score (complete linkage).

        Parameters
        ----------
        least
            Minimum score; with a model, LEAST_WITH_A_MODEL is recommended.
        by_model
            Merge only pairs that the language model confirms as well.
        budget
            Spending limit for the language model.
        """
        store, asked = self.store(), LLMAdjudication()
        with store.read() as reader:
            found = CandidatePairs.of(reader)
            likely = found.likely(least)
            candidates = [found.candidate(pair) for pair in likely] if by_model else []
        if by_model:
            asked = await self._adjudicate(store, candidates, budget)
        agreed = {one for one, verdict in asked.verdicts.items() if verdict.same}
        decisions = found.merges(least, agreed if by_model else None)
        return AutoMergeReport(await self._decide(decisions), asked)

    async def adecide(self, accepted: Sequence[str] = (), rejected: Sequence[str] = ()) -> DecisionOutcome:
        """Accept and reject candidate pairs: merge the former, add cannot-link decisions for the latter.

        Parameters
        ----------
        accepted, rejected
            Identifiers of candidates, or prefixes of at least 4 digits.

        Raises
        ------
        NotFound
            No pair, or more than one, matches an identifier.
        DecisionRefused
            A decision contradicts an earlier one, or another one in this call.
        """
        with self.store().read() as reader:
            found = CandidatePairs.of(reader)
            known = found.by_id()

            def names(reference: str) -> tuple[str, str]:
                return found.names(
                    known[resolve_id_prefix(known, reference, "proposed pair", "polyadic entities review")]
                )

            merges = [decision_builder.merge(reader, names(one)) for one in accepted]
            cannot_links = [decision_builder.cannot_link(reader, names(one)) for one in rejected]
        return await self._decide([*merges, *cannot_links])

    async def acannot_link(self, one: str, other: str) -> DecisionOutcome:
        """Forbid merging two entities (cannot-link), so that they are not proposed again; raises as :meth:`amerge`."""
        with self.store().read() as reader:
            decision = decision_builder.cannot_link(reader, (one, other))
        return await self._decide([decision])

    async def akeep(self, name: str) -> DecisionOutcome:
        """Keep a name as one entity, so that it is not listed as ambiguous again; raises as :meth:`amerge`."""
        with self.store().read() as reader:
            decision = decision_builder.keep(reader, name)
        return await self._decide([decision])

    async def asplit(self, name: str, into: str, documents: Sequence[str]) -> DecisionOutcome:
        """Split a name: in some documents it refers to another entity.

        Parameters
        ----------
        name
            Name as written in the documents.
        into
            Name of the entity it refers to there: a new name ("Mercury (planet)") or that of an existing entity.
        documents
            Documents, by path or other source, title or identifier.

        Raises
        ------
        NotFound
            A document is unknown, or has no fact with the name.
        DecisionRefused
            It contradicts an earlier decision.
        """
        with self.store().read() as reader:
            decision = decision_builder.split(reader, name, into, documents)
        return await self._decide([decision])

    async def aundo(self, *references: str) -> DecisionOutcome:
        """Undo decisions, by identifier or prefix; the store is then as if they had never been made.

        Raises
        ------
        NotFound
            No decision, or more than one, matches a reference.
        """
        held = {decision.id: decision for decision, _ in self.decisions()}
        undone = [held[resolve_id_prefix(held, one, "decision", LISTED)] for one in references]
        return await apply_decisions(self.store(), self.embedder, (), undone)

    def decisions(self) -> list[tuple[ResolutionDecision, str]]:
        """Return the current decisions, each with its time (ISO 8601, UTC)."""
        with self.store().read() as reader:
            return reader.records.decisions()

    # synchronous variants

    review = async_to_sync(areview)
    merge = async_to_sync(amerge)
    rename = async_to_sync(arename)
    merge_automatically = async_to_sync(amerge_automatically)
    decide = async_to_sync(adecide)
    cannot_link = async_to_sync(acannot_link)
    keep = async_to_sync(akeep)
    split = async_to_sync(asplit)
    undo = async_to_sync(aundo)

    async def _decide(self, decisions: Sequence[ResolutionDecision]) -> DecisionOutcome:
        return await apply_decisions(self.store(), self.embedder, decisions)

    async def _adjudicate(
        self, store: Store, candidates: Sequence[MergeCandidate], budget: SpendingBudget | None
    ) -> LLMAdjudication:
        model = CachedModel(self.model(), StoreResponseCache(store), budget)
        return await adjudicate(candidates, model, self.prompts, self.at_once)
