"""Entity resolution decisions: merges, splits, cannot-link constraints, and names that are kept as one entity.

Decisions are applied when evidence is counted. The evidence is not changed: facts keep their identifiers and their
arity, and undoing a decision leaves no trace. The hypergraph is derived from evidence and decisions together
(aggregation.py).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from polyadic.errors import DecisionRefused
from polyadic.model.identity import digest, entity_key


class DecisionKind(StrEnum):
    """Kind of a resolution decision.

    ``MERGE``: the names refer to one entity; with a single name, ``into`` is another name for it. ``SPLIT``: in some
    documents the name refers to another entity.
    ``CANNOT_LINK``: two names refer to different entities. ``KEEP``: the name refers to one entity.
    """

    MERGE = "merge"
    SPLIT = "split"
    CANNOT_LINK = "cannot-link"
    KEEP = "keep"


_WITHOUT_CHANGES = frozenset({DecisionKind.CANNOT_LINK, DecisionKind.KEEP})
"""Decisions that change no entity, only what is proposed."""


@dataclass(frozen=True, slots=True)
class ResolutionDecision:
    """A resolution decision, identified by its content.

    Parameters
    ----------
    kind
        Merge, split, cannot-link or keep.
    names
        Names of the entities concerned: one or more for a merge, two for a cannot-link, one for a split or keep.
    into
        Name of the entity that a merge or a split creates; empty for the others.
    documents
        Identifiers of the documents that a split applies to.

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
        """Distinct keys of the names, sorted."""
        return tuple(sorted({entity_key(name) for name in self.names}))

    @property
    def touched(self) -> frozenset[str]:
        """Keys of all entities that the decision may change."""
        return frozenset() if self.kind in _WITHOUT_CHANGES else frozenset((*self.keys, entity_key(self.into)))


@dataclass(frozen=True)
class EntityResolution:
    """All current decisions together. Their order does not matter: names are split first, then merged.

    Examples
    --------
    >>> planet = ResolutionDecision(DecisionKind.SPLIT, ("Mercury",), "Mercury (planet)", ("d1",))
    >>> resolution = EntityResolution.of([planet])
    >>> resolution.key("mercury", "d1"), resolution.key("mercury", "d2"), resolution.name("mercury (planet)")
    ('mercury (planet)', 'mercury', 'Mercury (planet)')
    """

    decisions: frozenset[ResolutionDecision] = frozenset()
    _split: Mapping[tuple[str, str], str] = field(default_factory=dict, compare=False, repr=False)
    _merged: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    _names: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, decisions: Iterable[ResolutionDecision]) -> "EntityResolution":
        """Combine these decisions.

        Raises
        ------
        DecisionRefused
            A decision is invalid, or two decisions contradict each other.
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
                        raise _contradiction(decision.names[0], "is split differently in one of these documents")
            elif decision.kind is DecisionKind.MERGE:
                for key in decision.touched:
                    # Merges are not transitive: "A is B" and "B is C" do not decide that A is C.
                    if key in merged:
                        raise _contradiction(key, "is merged already: undo that and merge all names at once")
                merged |= dict.fromkeys(decision.touched, into)
        for decision in kept:
            if decision.kind is DecisionKind.CANNOT_LINK and len({merged.get(key, key) for key in decision.keys}) == 1:
                raise _contradiction(" and ".join(decision.names), "have a cannot-link decision")
        return cls(frozenset(kept), split, merged, _names(kept))

    def key(self, key: str, document_id: str) -> str:
        """Return the key of the entity that a key resolves to in a document."""
        resolved = self._split.get((key, document_id), key) if self._split else key
        return self._merged.get(resolved, resolved)

    def meanings(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the keys of all entities that these keys resolve to in any document."""
        requested = frozenset(keys)
        split = {into for (key, _), into in self._split.items() if key in requested}
        return frozenset(self._merged.get(key, key) for key in requested | split)

    def name(self, key: str) -> str | None:
        """Return the name that a decision gives the entity with this key; None if there is none."""
        return self._names.get(key)

    @property
    def named(self) -> frozenset[str]:
        """Keys of all entities that a decision names."""
        return frozenset(self._names)

    @property
    def kept(self) -> frozenset[str]:
        """Keys of all entities that are not ambiguous by decision.

        >>> kept = ResolutionDecision(DecisionKind.KEEP, ("Mercury",))
        >>> renamed = ResolutionDecision(DecisionKind.MERGE, ("Mercury",), "Planet Mercury")
        >>> EntityResolution.of([kept, renamed]).kept
        frozenset({'planet mercury'})
        """
        kept = (one for one in self.decisions if one.kind is DecisionKind.KEEP)
        return frozenset(self._merged.get(key, key) for one in kept for key in one.keys)

    def one(self, key: str, other: str) -> bool:
        """Return whether two keys are merged into one entity, splits aside."""
        return self._merged.get(key, key) == self._merged.get(other, other)


NO_DECISIONS = EntityResolution()


def _names(decisions: Iterable[ResolutionDecision]) -> dict[str, str]:
    """Return the names that decisions give entities, by key; refuse two spellings of one name."""
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
    """Refuse a decision that is invalid on its own."""
    keys, into = decision.keys, entity_key(decision.into)
    if not all(keys) or (decision.kind not in _WITHOUT_CHANGES and not into):
        raise DecisionRefused("a name is empty", "use names as polyadic show entity prints them")
    if decision.kind is DecisionKind.SPLIT:
        if len(keys) != 1 or into == keys[0]:
            raise DecisionRefused(
                f"{decision.names[0]} cannot be split into {decision.into}, which is the same name",
                'give it a name of its own, such as "Mercury (planet)"',
            )
        if not decision.documents:
            raise DecisionRefused(
                f"the split of {decision.names[0]} into {decision.into} has no documents", "name at least one"
            )
    elif decision.kind is DecisionKind.KEEP:
        if len(keys) != 1:
            raise DecisionRefused(f"{', '.join(decision.names)}: this is not one name", "keep one name at a time")
    elif len(keys) != 2 if decision.kind is DecisionKind.CANNOT_LINK else len(keys) == 1 < len(decision.names):
        raise DecisionRefused(f"{', '.join(decision.names)}: these are not two names", "name two different entities")


def _contradiction(name: str, why: str) -> DecisionRefused:
    return DecisionRefused(f"{name} {why}", "polyadic entities review --decided lists all decisions")
