"""Kinds of things that descriptions give ("command module of Apollo 11"), and names used for incompatible kinds.

Which words are kinds, and which kinds exclude each other, is learned from the corpus. A word is a kind within a type if
several other entities of this type are described by it: some spacecraft are shuttles, some are modules. Two kinds are
compatible if another entity is described as both: a launcher is also called a rocket.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyadic.resolution.descriptions import genus
from polyadic.resolution.name_uses import NameUse, share_a_neighbour
from polyadic.resolution.scoring import has_many_roles

_MIN_EXAMPLES = 3
"""Minimum number of other entities of a type that a word describes, for it to be a kind within this type."""


@dataclass(slots=True)
class _Sense:
    """Uses of a name for one kind of thing; ``phrases`` counts the phrases that describe it."""

    uses: list[NameUse]
    kinds: set[str]
    phrases: Counter[str]

    @property
    def types(self) -> set[str]:
        return {kind for use in self.uses for kind in _types(use)}

    def may_be(self, other: "_Sense") -> bool:
        """Whether both may be one thing; a kind in one sense may be a type in the other, such as "country"."""
        if self.kinds & other.kinds or self.kinds & other.types or other.kinds & self.types:
            return True
        return share_a_neighbour(self.uses, other.uses)

    def joined(self, other: "_Sense") -> "_Sense":
        return _Sense([*self.uses, *other.uses], self.kinds | other.kinds, self.phrases + other.phrases)


class DescribedKinds:
    """The kinds of all names.

    Parameters
    ----------
    uses
        Uses of each key, by document.
    """

    def __init__(self, uses: Mapping[str, Sequence[NameUse]]) -> None:
        self._described: dict[str, set[str]] = defaultdict(set)
        self._examples: dict[tuple[str, str], set[str]] = defaultdict(set)
        for key, several in uses.items():
            for use in several:
                kinds, types = _genera(use), _types(use)
                for kind in types | kinds.keys():
                    self._described[kind].add(key)
                for kind in kinds:
                    for of in types:
                        self._examples[of, kind].add(key)

    def senses(self, key: str, uses: Sequence[NameUse]) -> dict[str, list[NameUse]]:
        """Group the uses of a name by incompatible kinds, each under a phrase that describes it, largest first.

        Uses without a known kind are left out. Roles are not kinds: a city can be both a birthplace and a destination.
        """
        if any(has_many_roles(kind) for use in uses for kind in use.types):
            return {}
        senses: list[_Sense] = []
        for use in uses:
            genera = {kind: phrase for kind, phrase in _genera(use).items() if self._is_kind(key, kind, use)}
            if genera:
                senses = self._added(key, senses, _Sense([use], set(genera), Counter(genera.values())))
        ranked = sorted(senses, key=lambda sense: -len(sense.uses))
        return {sense.phrases.most_common(1)[0][0]: sense.uses for sense in ranked}

    def _is_kind(self, key: str, kind: str, use: NameUse) -> bool:
        return any(len(self._examples[of, kind] - {key}) >= _MIN_EXAMPLES for of in _types(use))

    def _added(self, key: str, senses: Sequence[_Sense], added: _Sense) -> list[_Sense]:
        """Add a use to the senses; join all those that it may belong to."""
        apart = []
        for sense in senses:
            if sense.may_be(added) or self._are_compatible(key, sense, added):
                added = sense.joined(added)
            else:
                apart.append(sense)
        return [*apart, added]

    def _are_compatible(self, key: str, one: _Sense, other: _Sense) -> bool:
        return any((self._described[a] & self._described[b]) - {key} for a in one.kinds for b in other.kinds)


def _genera(use: NameUse) -> dict[str, str]:
    """Return the kinds that the descriptions of a use give, each with the phrase that names it."""
    phrases = (genus(description) for description in use.descriptions)
    return {_without_plural_s(phrase[-1]): " ".join(phrase) for phrase in phrases if phrase}


def _types(use: NameUse) -> set[str]:
    return {_without_plural_s(kind.rpartition(" ")[2]) for kind in use.types}


def _without_plural_s(word: str) -> str:
    """Fold plurals in -s with their singulars, in any language; the result is for comparison, not a word to show.

    >>> _without_plural_s("towns"), _without_plural_s("town"), _without_plural_s("pass")
    ('town', 'town', 'pass')
    """
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word
