"""Apply and undo resolution decisions, in one transaction and without a language model."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from polyadic.embeddings.embedder import Embedder
from polyadic.indexing.publisher import apply
from polyadic.model.aggregation import tally, tally_difference
from polyadic.model.resolution import EntityResolution, ResolutionDecision
from polyadic.storage.protocol import Store, StoreChange

LISTED = "polyadic entities review --decided lists all decisions"
"""Hint on how to list the current decisions."""


@dataclass(frozen=True, slots=True)
class DecisionOutcome:
    """Outcome of applying decisions: new ones, undone ones, and those that were in force already."""

    decided: tuple[ResolutionDecision, ...] = ()
    undone: tuple[ResolutionDecision, ...] = ()
    already_applied: tuple[ResolutionDecision, ...] = ()


def check(store: Store, new: Collection[ResolutionDecision]) -> None:
    """Raise DecisionRefused if :func:`apply_decisions` would, without changing anything."""
    with store.read() as reader:
        EntityResolution.of([*reader.records.resolution().decisions, *new])


async def apply_decisions(
    store: Store,
    embedder: Callable[[], Embedder],
    new: Collection[ResolutionDecision] = (),
    undone: Collection[ResolutionDecision] = (),
) -> DecisionOutcome:
    """Add decisions and undo others atomically; decisions already in force are ignored.

    The cost grows with the number of chunks that name the entities. The embedder is loaded only if a form (name and
    description) becomes one of the best supported ones of an entity.

    Raises
    ------
    DecisionRefused
        A decision is invalid or contradicts another.
    StoreBusy
        Another process is writing.
    """
    with store.write() as writer:
        before = writer.resolution()
        current = {one.id: one for one in before.decisions}
        removed = {one.id: current[one.id] for one in undone if one.id in current}
        added = {one.id: one for one in new if one.id not in current}
        held = tuple(current[one.id] for one in new if one.id in current)
        if not added and not removed:
            return DecisionOutcome(already_applied=held)
        after = EntityResolution.of([*(one for one in before.decisions if one.id not in removed), *added.values()])
        touched = frozenset(key for one in (*added.values(), *removed.values()) for key in one.touched)
        evidence = writer.naming(before.meanings(touched) | after.meanings(touched))
        tallies = tally_difference(tally(evidence, after), tally(evidence, before))
        outcome = DecisionOutcome(tuple(added.values()), tuple(removed.values()), held)
        await apply(writer, StoreChange((), (), tallies, {}, {}, {}, outcome.decided, outcome.undone), embedder)
    return outcome
