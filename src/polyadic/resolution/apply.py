"""Decisions on who is who, made and undone: one transaction each, and no language model."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from polyadic.embeddings.embedder import Embedder
from polyadic.indexing.publisher import apply
from polyadic.model.aggregation import tally, tally_difference
from polyadic.model.resolution import EntityResolution, ResolutionDecision
from polyadic.storage.protocol import Store, StoreChange

LISTED = "polyadic entities review --decided lists what was decided"
"""What to do to see which decisions hold."""


@dataclass(frozen=True, slots=True)
class DecisionOutcome:
    """What came of decisions: those that hold from now on, those that no longer do, and those that held already."""

    decided: tuple[ResolutionDecision, ...] = ()
    undone: tuple[ResolutionDecision, ...] = ()
    held: tuple[ResolutionDecision, ...] = ()


def check(store: Store, new: Collection[ResolutionDecision]) -> None:
    """Raises DecisionRefused where :func:`apply_decisions` would; nothing is changed."""
    with store.read() as reader:
        EntityResolution.of([*reader.overlay().decisions, *new])


async def apply_decisions(
    store: Store,
    embedder: Callable[[], Embedder],
    new: Collection[ResolutionDecision] = (),
    undone: Collection[ResolutionDecision] = (),
) -> DecisionOutcome:
    """Make decisions and undo others, all of them or none; what held already changes nothing.

    The cost is that of the chunks that name the entities. The embedder is asked for only where a name and description
    comes among the best supported ones of an entity that was not among them before.

    Raises
    ------
    DecisionRefused
        A decision makes no sense, or contradicts another.
    StoreBusy
        Another process is writing.
    """
    with store.write() as writer:
        before = writer.overlay()
        known = {one.id: one for one in before.decisions}
        going = {one.id: known[one.id] for one in undone if one.id in known}
        coming = {one.id: one for one in new if one.id not in known}
        held = tuple(known[one.id] for one in new if one.id in known)
        if not coming and not going:
            return DecisionOutcome(held=held)
        after = EntityResolution.of([*(one for one in before.decisions if one.id not in going), *coming.values()])
        touched = frozenset(key for one in (*coming.values(), *going.values()) for key in one.touched)
        told = writer.naming(before.meanings(touched) | after.meanings(touched))
        tallies = tally_difference(tally(told, after), tally(told, before))
        outcome = DecisionOutcome(tuple(coming.values()), tuple(going.values()), held)
        await apply(writer, StoreChange((), (), tallies, {}, {}, {}, outcome.decided, outcome.undone), embedder)
    return outcome
