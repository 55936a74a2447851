"""Decisions on who is who, made and undone: one transaction each, and no language model."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from polyadic.construction.publishing import apply
from polyadic.derivation import difference, tally
from polyadic.errors import NotFound
from polyadic.models.embedder import Embedder
from polyadic.overlay import Decision, Overlay
from polyadic.store.protocol import Change, Store

LISTED = "polyadic entities review --decided lists what was decided"
_FEWEST_DIGITS = 4
_DIGITS = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of decisions: those that hold from now on, those that no longer do, and those that held already."""

    decided: tuple[Decision, ...] = ()
    undone: tuple[Decision, ...] = ()
    held: tuple[Decision, ...] = ()


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
        await apply(writer, Change((), (), tallies, {}, {}, outcome.decided, outcome.undone), embedder)
    return outcome


def identified(decisions: Sequence[Decision], reference: str) -> Decision:
    """The decision whose identifier begins like this; 4 digits or more.

    Raises
    ------
    NotFound
        There is none, or more than one.
    """
    prefix = reference.strip().lower()
    if len(prefix) < _FEWEST_DIGITS or not _DIGITS.issuperset(prefix):
        raise NotFound(f"{reference!r} is no identifier of a decision ({_FEWEST_DIGITS} digits or more)", LISTED)
    found = [one for one in decisions if one.id.startswith(prefix)]
    if not found:
        raise NotFound(f"no decision answers to {reference!r}", LISTED)
    if len(found) > 1:
        raise NotFound(f"{reference!r} begins {len(found)} decisions", "say more of the identifier")
    return found[0]
