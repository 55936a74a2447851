"""Who is who in a workspace: what may be one, what was decided, and deciding; ``Workspace.entities``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from polyadic.concurrency.sync import run_sync
from polyadic.embeddings.embedder import Embedder
from polyadic.llm.budget import SpendingBudget
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.language_model import LanguageModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.store_cache import StoreResponseCache
from polyadic.model.resolution import ResolutionDecision
from polyadic.model.types import Usage
from polyadic.resolution import decision_builder
from polyadic.resolution.apply import LISTED, DecisionOutcome, apply_decisions
from polyadic.resolution.candidates import SURE, CandidatePairs, MergeCandidate
from polyadic.resolution.homonyms import Homonym, homonyms
from polyadic.resolution.id_prefix import resolve_id_prefix
from polyadic.resolution.llm_adjudication import LLMAdjudication, adjudicate
from polyadic.storage.protocol import Store

SHOWN = 20
"""How many pairs a review shows if nothing is said."""

LEAST_WITH_A_MODEL = 0.6
"""From this score on a model's yes is enough to merge, where somebody asks for that."""


@dataclass(frozen=True, slots=True)
class ResolutionReview:
    """What may be one, the likeliest first, and names that may mean several.

    Pairs of which one is merged already come last: ``why`` says what to undo first. ``found`` counts all pairs, also
    those that are not shown; ``sure`` those that merge_sure would merge.
    ``usage``, ``unreadable`` and ``stopped`` tell of a model that was asked (see Arbitration).
    """

    candidates: tuple[MergeCandidate, ...]
    homonyms: tuple[Homonym, ...]
    found: int
    sure: int
    usage: Usage = field(default_factory=Usage)
    unreadable: int = 0
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class AutoMergeReport:
    """What was merged by itself; ``asked`` tells of the model, where one was asked."""

    outcome: DecisionOutcome
    asked: LLMAdjudication


@dataclass(frozen=True, slots=True)
class ResolutionApi:
    """Decisions on who is who; they lie over the evidence, and undoing one leaves no trace.

    Parameters
    ----------
    store, embedder, model
        Give what they are named after when it is needed; ``model`` raises where there is none.
    prompts
        What a model is asked with.
    at_once
        How many calls of the model may be under way.
    """

    store: Callable[[], Store]
    embedder: Callable[[], Embedder]
    model: Callable[[], LanguageModel]
    prompts: PromptLibrary
    at_once: int = 1

    async def areview(
        self, limit: int = SHOWN, by_model: bool = False, budget: SpendingBudget | None = None
    ) -> ResolutionReview:
        """What may be one entity, and what may be several.

        Parameters
        ----------
        limit
            How many pairs are shown, the likeliest first.
        by_model
            Ask the language model about those shown that are not sure.
        budget
            The most that it may cost.

        Raises
        ------
        NotFound
            There is no workspace.
        SettingsError
            A model is to be asked, and none is named.
        """
        store = self.store()
        with store.read() as reader:
            found = CandidatePairs.of(reader)
            hints = homonyms(reader, found)
            ranked = found.ranked()[:limit]
            shown = [found.candidate(pair) for pair in ranked]
        asked = LLMAdjudication()
        if by_model:
            free = (one for one, pair in zip(shown, ranked, strict=True) if found.merged(pair) is None)
            asked = await self._asked(store, [one for one in free if one.score < SURE], budget)
        told = tuple(
            replace(one, same=verdict.same, said=verdict.why) if (verdict := asked.verdicts.get(one.id)) else one
            for one in shown
        )
        return ResolutionReview(
            told, tuple(hints), len(found.judged), found.sure(), asked.usage, asked.unreadable, asked.stopped
        )

    async def amerge(self, names: Sequence[str], into: str = "") -> DecisionOutcome:
        """Have these names mean one entity.

        Parameters
        ----------
        names
            Two or more, as they are looked up; all that are to be one have to be named at once.
        into
            What it is called; if left out, as the one of them that is in most facts.

        Raises
        ------
        NotFound
            A name is unknown, or means several entities.
        DecisionRefused
            It contradicts what was decided before.
        """
        with self.store().read() as reader:
            decision = decision_builder.merge(reader, names, into)
        return await self._decide([decision])

    async def amerge_sure(
        self, least: float = SURE, by_model: bool = False, budget: SpendingBudget | None = None
    ) -> AutoMergeReport:
        """Merge what is surely one: groups in which every two have this score at least, none by a friend of a friend.

        Parameters
        ----------
        least
            The smallest score; with a model, LEAST_WITH_A_MODEL is a good one.
        by_model
            Ask the language model about all of these as well: every pair needs its yes.
        budget
            The most that it may cost.
        """
        store, asked = self.store(), LLMAdjudication()
        with store.read() as reader:
            found = CandidatePairs.of(reader)
            likely = found.likely(least)
            candidates = [found.candidate(pair) for pair in likely] if by_model else []
        if by_model:
            asked = await self._asked(store, candidates, budget)
        agreed = {one for one, verdict in asked.verdicts.items() if verdict.same}
        decisions = found.merges(least, agreed if by_model else None)
        return AutoMergeReport(await self._decide(decisions), asked)

    async def asettle(self, accepted: Sequence[str] = (), rejected: Sequence[str] = ()) -> DecisionOutcome:
        """Merge pairs of a review, and keep others apart, so that they are not proposed again.

        Parameters
        ----------
        accepted, rejected
            Identifiers of candidates, or their beginnings of 4 digits or more.

        Raises
        ------
        NotFound
            No pair has this identifier, or more than one begins like it.
        DecisionRefused
            It contradicts what was decided before, or what is decided here.
        """
        with self.store().read() as reader:
            found = CandidatePairs.of(reader)
            known = found.by_id()

            def names(reference: str) -> tuple[str, str]:
                return found.names(
                    known[resolve_id_prefix(known, reference, "proposed pair", "polyadic entities review")]
                )

            merges = [decision_builder.merge(reader, names(one)) for one in accepted]
            aparts = [decision_builder.apart(reader, names(one)) for one in rejected]
        return await self._decide([*merges, *aparts])

    async def aapart(self, one: str, other: str) -> DecisionOutcome:
        """Keep two entities apart: they are not proposed again, and cannot be merged; raises as :meth:`amerge`."""
        with self.store().read() as reader:
            decision = decision_builder.apart(reader, (one, other))
        return await self._decide([decision])

    async def asplit(self, name: str, into: str, documents: Sequence[str]) -> DecisionOutcome:
        """Have a name mean another entity in some documents.

        Parameters
        ----------
        name
            As the documents have it.
        into
            What it means there: a name of its own ("Mercury (planet)"), or that of an entity that is there.
        documents
            Path or other source, title or identifier of each.

        Raises
        ------
        NotFound
            A document is unknown, or has no fact about the name.
        DecisionRefused
            It contradicts what was decided before.
        """
        with self.store().read() as reader:
            decision = decision_builder.split(reader, name, into, documents)
        return await self._decide([decision])

    async def aundo(self, *references: str) -> DecisionOutcome:
        """Undo decisions, by the beginning of their identifiers; the store is as if they had never been made.

        Raises
        ------
        NotFound
            No decision answers to a reference, or more than one.
        """
        held = {decision.id: decision for decision, _ in self.decisions()}
        undone = [held[resolve_id_prefix(held, one, "decision", LISTED)] for one in references]
        return await apply_decisions(self.store(), self.embedder, (), undone)

    def decisions(self) -> list[tuple[ResolutionDecision, str]]:
        """The decisions that hold, each with the time at which it was made (ISO 8601, UTC)."""
        with self.store().read() as reader:
            return reader.decisions()

    # plain twins

    review = run_sync(areview)
    merge = run_sync(amerge)
    merge_sure = run_sync(amerge_sure)
    settle = run_sync(asettle)
    apart = run_sync(aapart)
    split = run_sync(asplit)
    undo = run_sync(aundo)

    async def _decide(self, decisions: Sequence[ResolutionDecision]) -> DecisionOutcome:
        return await apply_decisions(self.store(), self.embedder, decisions)

    async def _asked(
        self, store: Store, candidates: Sequence[MergeCandidate], budget: SpendingBudget | None
    ) -> LLMAdjudication:
        model = CachedModel(self.model(), StoreResponseCache(store), budget)
        return await adjudicate(candidates, model, self.prompts, self.at_once)
