"""Decisions on who is who, made and undone: one transaction each, and no language model."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from polyadic.construction.publishing import apply
from polyadic.derivation import difference, tally
from polyadic.models.embedder import Embedder
from polyadic.overlay import Decision, Overlay
from polyadic.store.protocol import Change, Store

LISTED = "polyadic entities review --decided lists what was decided"
"""What to do to see which decisions hold."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of decisions: those that hold from now on, those that no longer do, and those that held already."""

    decided: tuple[Decision, ...] = ()
    undone: tuple[Decision, ...] = ()
    held: tuple[Decision, ...] = ()


def check(store: Store, new: Collection[Decision]) -> None:
    """Raises DecisionRefused where :func:`decide` would; nothing is changed."""
    with store.read() as reader:
        Overlay.of([*reader.overlay().decisions, *new])


async def decide(
    store: Store,
    embedder: Callable[[], Embedder],
    new: Collection[Decision] = (),
    undone: Collection[Decision] = (),
) -> Outcome:
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
            return Outcome(held=held)
        after = Overlay.of([*(one for one in before.decisions if one.id not in going), *coming.values()])
        touched = frozenset(key for one in (*coming.values(), *going.values()) for key in one.touched)
        told = writer.naming(before.meanings(touched) | after.meanings(touched))
        tallies = difference(tally(told, after), tally(told, before))
        outcome = Outcome(tuple(coming.values()), tuple(going.values()), held)
        await apply(writer, Change((), (), tallies, {}, {}, {}, outcome.decided, outcome.undone), embedder)
    return outcome
