"""Decisions on who is who: which names mean one entity, and which name means several.

They lie over the evidence, which stays as it was said: facts keep their identity and their arity, and undoing a
decision leaves no trace. Evidence and decisions together make the hypergraph (aggregation.py).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from polyadic.errors import DecisionRefused
from polyadic.model.identity import digest, entity_key


class DecisionKind(StrEnum):
    """``MERGE``: these names mean one. ``SPLIT``: in these documents the name means another. ``APART``: two are two."""

    MERGE = "merge"
    SPLIT = "split"
    APART = "apart"


@dataclass(frozen=True, slots=True)
class ResolutionDecision:
    """One decision, identified by what it says.

    Parameters
    ----------
    kind
        See Kind.
    names
        Names of the entities that it is about: two or more of a merge, two that are kept apart, the one that is split.
    into
        What the entity is called that a merge or a split makes; empty where two are kept apart.
    documents
        Identifiers of the documents in which a split holds.

    Examples
    --------
    >>> ResolutionDecision(DecisionKind.MERGE, ("Ada", "Ada Lovelace"), "Ada Lovelace").keys
    ('ada', 'ada lovelace')
    """

    kind: DecisionKind
    names: tuple[str, ...]
    into: str = ""
    documents: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return digest("decision", self.kind, *self.keys, "into", self.into, *sorted(self.documents))

    @property
    def keys(self) -> tuple[str, ...]:
        """The distinct keys of the names, sorted."""
        return tuple(sorted({entity_key(name) for name in self.names}))

    @property
    def touched(self) -> frozenset[str]:
        """Keys of all entities that it may change."""
        return frozenset() if self.kind is DecisionKind.APART else frozenset((*self.keys, entity_key(self.into)))


@dataclass(frozen=True)
class EntityResolution:
    """All decisions that hold, in no order that would matter: first names are split, then merged.

    Examples
    --------
    >>> planet = ResolutionDecision(DecisionKind.SPLIT, ("Mercury",), "Mercury (planet)", ("d1",))
    >>> overlay = EntityResolution.of([planet])
    >>> overlay.key("mercury", "d1"), overlay.key("mercury", "d2"), overlay.name("mercury (planet)")
    ('mercury (planet)', 'mercury', 'Mercury (planet)')
    """

    decisions: frozenset[ResolutionDecision] = frozenset()
    _split: Mapping[tuple[str, str], str] = field(default_factory=dict, compare=False, repr=False)
    _merged: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    _names: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, decisions: Iterable[ResolutionDecision]) -> "EntityResolution":
        """The overlay of these decisions.

        Raises
        ------
        DecisionRefused
            One of them makes no sense, or two contradict each other.
        """
        kept = sorted(frozenset(decisions), key=lambda one: one.id)
        split: dict[tuple[str, str], str] = {}
        merged: dict[str, str] = {}
        for decision in kept:
            _check(decision)
            into = entity_key(decision.into)
            if decision.kind is DecisionKind.SPLIT:
                for document in decision.documents:
                    if split.setdefault((decision.keys[0], document), into) != into:
                        raise _contradiction(decision.names[0], "is split otherwise in one of these documents")
            elif decision.kind is DecisionKind.MERGE:
                for key in decision.touched:
                    # Whoever says A is B, and B is C, has not said that A is C.
                    if key in merged:
                        raise _contradiction(key, "is merged already: to merge more names, undo that and say all")
                merged |= dict.fromkeys(decision.touched, into)
        for decision in kept:
            if decision.kind is DecisionKind.APART and len({merged.get(key, key) for key in decision.keys}) == 1:
                raise _contradiction(" and ".join(decision.names), "were decided to be kept apart")
        return cls(frozenset(kept), split, merged, _names(kept))

    def key(self, key: str, document_id: str) -> str:
        """The key of the entity that this key means in this document."""
        meant = self._split.get((key, document_id), key) if self._split else key
        return self._merged.get(meant, meant)

    def meanings(self, keys: Iterable[str]) -> frozenset[str]:
        """Keys of all entities that these keys mean in some document."""
        asked = frozenset(keys)
        split = {into for (key, _), into in self._split.items() if key in asked}
        return frozenset(self._merged.get(key, key) for key in asked | split)

    def name(self, key: str) -> str | None:
        """What a decision calls the entity with this key; None where none does."""
        return self._names.get(key)

    @property
    def named(self) -> frozenset[str]:
        """Keys of all entities that a decision has a name for."""
        return frozenset(self._names)

    def one(self, key: str, other: str) -> bool:
        """Whether two keys are decided to mean one entity, wherever they are not split."""
        return self._merged.get(key, key) == self._merged.get(other, other)


NO_OVERLAY = EntityResolution()


def _names(decisions: Iterable[ResolutionDecision]) -> dict[str, str]:
    """What decisions call entities, by key; of two spellings neither could be said to be the one that counts."""
    names: dict[str, str] = {}
    for into in sorted({decision.into for decision in decisions if decision.into}):
        first = names.setdefault(entity_key(into), into)
        if first != into:
            raise DecisionRefused(
                f"{first} and {into} are one name, spelt in two ways",
                "use the spelling that polyadic entities review --decided shows",
            )
    return names


def _check(decision: ResolutionDecision) -> None:
    """Refuse what makes no sense, whatever else has been decided."""
    keys, into = decision.keys, entity_key(decision.into)
    if not all(keys) or (decision.kind is not DecisionKind.APART and not into):
        raise DecisionRefused("a name is empty", "name the entities as polyadic show entity does")
    if decision.kind is DecisionKind.SPLIT:
        if len(keys) != 1 or into == keys[0]:
            raise DecisionRefused(
                f"{decision.names[0]} cannot be split into {decision.into}, which is the same name",
                'give it a name of its own, such as "Mercury (planet)"',
            )
        if not decision.documents:
            raise DecisionRefused(f"no document is named in which {decision.names[0]} is {decision.into}", "name one")
    elif len(keys) < 2 or (decision.kind is DecisionKind.APART and len(keys) > 2):
        raise DecisionRefused(f"{', '.join(decision.names)}: these are not two names", "name two different entities")


def _contradiction(name: str, why: str) -> DecisionRefused:
    return DecisionRefused(f"{name} {why}", "polyadic entities review --decided lists what was decided")
