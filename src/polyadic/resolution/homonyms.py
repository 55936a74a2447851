"""Find homonyms: names that may refer to several entities. They are listed for review and never split automatically.

Homonyms are names that documents use for incompatible kinds of things ("command module of Apollo 11"). Which words are
kinds, and which kinds exclude each other, is learned from the corpus. A word is a kind within a type if several other
entities of this type are described by it: some spacecraft are shuttles, some are modules. Two kinds are compatible if
another entity is described as both: a launcher is also called a rocket.

Common nouns used as names ("Air Force") are homonyms too, if nothing connects their uses.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from polyadic.model.identity import entity_key
from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Evidence, Participation
from polyadic.model.value_entities import is_value
from polyadic.resolution.descriptions import genus
from polyadic.resolution.merge_candidates import CandidatePairs
from polyadic.resolution.scoring import conflicting, has_many_roles
from polyadic.storage.protocol import DocumentRecord, Reader

_MIN_EXAMPLES = 3
"""Minimum number of other entities of a type that a word describes, for it to be a kind within this type."""
_MOST_WORDS = 4
"""Maximum length of a common noun, in words."""
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(slots=True)
class _NameUse:
    """The use of a name in one document.

    Parameters
    ----------
    source
        Source of the document.
    types, descriptions
        Numbers of pieces of evidence that give each of them.
    neighbours
        Names of the entities in the same evidence by key, in order, other than values.
    fact
        The first fact.
    """

    source: str
    types: Counter[str] = field(default_factory=Counter)
    descriptions: Counter[str] = field(default_factory=Counter)
    neighbours: dict[str, str] = field(default_factory=dict)
    fact: str = ""

    def add(self, evidence: Evidence, participant: Participation, neighbours: Mapping[str, str]) -> None:
        """Add a piece of evidence."""
        self.types.update([participant.type.casefold()] if participant.type else ())
        self.descriptions.update([participant.description] if participant.description else ())
        self.neighbours |= {key: name for key, name in neighbours.items() if key != participant.key}
        self.fact = self.fact or evidence.text

    @property
    def description(self) -> str:
        """The most common description; empty if there is none."""
        return self.descriptions.most_common(1)[0][0] if self.descriptions else ""


def _name_uses(
    reader: Reader, records: Sequence[DocumentRecord], resolution: EntityResolution, names: Collection[str]
) -> tuple[dict[str, list[_NameUse]], set[str]]:
    """Return the uses of each key by document, in the order of ``records``, and the ``names`` that are common nouns.

    Names that are split already in a document are left out there. A common noun is a name that a fact also uses in
    lowercase. The evidence of each document is read once.
    """
    uses: dict[str, list[_NameUse]] = defaultdict(list)
    lowercase = {name.lower() for name in names}
    nouns: set[str] = set()
    is_value_cached = cache(is_value)
    for record in records:
        here: dict[str, _NameUse] = {}
        for _, chunk in reader.records.evidence(record.id):
            for evidence in chunk:
                nouns |= lowercase & _lowercase_phrases(evidence.text)
                named = [one for one in evidence.participants if one.key]
                keys = {one.key: one.name for one in named if not is_value_cached(one.name, one.type)}
                for one in named:
                    if resolution.key(one.key, record.id) == one.key:
                        here.setdefault(one.key, _NameUse(record.source)).add(evidence, one, keys)
        for key, use in here.items():
            uses[key].append(use)
    return uses, {name for name in names if name != name.lower() and name.lower() in nouns}


def _lowercase_phrases(text: str) -> set[str]:
    """Return all phrases of lowercase words.

    >>> sorted(_lowercase_phrases("He left the Royal air force."))
    ['air', 'air force', 'force', 'left', 'left the', 'the']
    """
    runs: list[list[str]] = [[]]
    end = 0
    for word in _WORD.finditer(text):
        if not word[0].islower() or text[end : word.start()].strip():
            runs.append([])
        if word[0].islower():
            runs[-1].append(word[0])
        end = word.end()
    return {
        " ".join(run[start : start + length])
        for run in runs
        for start in range(len(run))
        for length in range(1, min(_MOST_WORDS, len(run) - start) + 1)
    }


def _share_a_neighbour(some: Collection[_NameUse], others: Collection[_NameUse]) -> bool:
    """Return whether two groups of uses have a neighbour in common."""
    return any(one.neighbours.keys() & other.neighbours.keys() for one in some for other in others)


@dataclass(slots=True)
class _Sense:
    """Uses of a name for one kind of thing; ``phrases`` counts the phrases that describe it."""

    uses: list[_NameUse]
    kinds: set[str]
    phrases: Counter[str]

    @property
    def types(self) -> set[str]:
        return {kind for use in self.uses for kind in _types(use)}

    def may_be(self, other: "_Sense") -> bool:
        """Whether both may be one thing; a kind in one sense may be a type in the other, such as "country"."""
        if self.kinds & other.kinds or self.kinds & other.types or other.kinds & self.types:
            return True
        return _share_a_neighbour(self.uses, other.uses)

    def joined(self, other: "_Sense") -> "_Sense":
        return _Sense([*self.uses, *other.uses], self.kinds | other.kinds, self.phrases + other.phrases)


class _DescribedKinds:
    """The kinds of all names.

    Parameters
    ----------
    uses
        Uses of each key, by document.
    """

    def __init__(self, uses: Mapping[str, Sequence[_NameUse]]) -> None:
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

    def senses(self, key: str, uses: Sequence[_NameUse]) -> dict[str, list[_NameUse]]:
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

    def _is_kind(self, key: str, kind: str, use: _NameUse) -> bool:
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


def _genera(use: _NameUse) -> dict[str, str]:
    """Return the kinds that the descriptions of a use give, each with the phrase that names it."""
    phrases = (genus(description) for description in use.descriptions)
    return {_without_plural_s(phrase[-1]): " ".join(phrase) for phrase in phrases if phrase}


def _types(use: _NameUse) -> set[str]:
    return {_without_plural_s(kind.rpartition(" ")[2]) for kind in use.types}


def _without_plural_s(word: str) -> str:
    """Fold plurals in -s with their singulars, in any language; the result is for comparison, not a word to show.

    >>> _without_plural_s("towns"), _without_plural_s("town"), _without_plural_s("pass")
    ('town', 'town', 'pass')
    """
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word


@dataclass(frozen=True, slots=True)
class HomonymSense:
    """One sense of a name.

    Parameters
    ----------
    name
        A distinct name for it.
    documents
        Sources of the documents that use it.
    description
        How these documents describe it most often; empty if they do not.
    fact
        A fact about it.
    """

    name: str
    documents: tuple[str, ...]
    description: str = ""
    fact: str = ""


@dataclass(frozen=True, slots=True)
class Homonym:
    """A name that may refer to several entities; ``why`` is an explanation for users."""

    name: str
    senses: tuple[HomonymSense, ...]
    why: str


def homonyms(reader: Reader, found: CandidatePairs) -> list[Homonym]:
    """Find names that documents use for different things, in the order of names.

    These are names with incompatible types, names described as different kinds of things, common nouns used as names,
    and short forms of different long names. A neighbour that two uses have in common is evidence that both mean the
    same. Names that a decision keeps as one entity are left out.
    """
    records = reader.records.documents()
    # A name in lowercase ("lawyer") has no other entities to be mistaken for.
    names = {entity.key: entity.name for entity in found.census.entities if not entity.name.islower()}
    uses, nouns = _name_uses(reader, records, found.resolution, names.values())
    several = {key: of for key, of in uses.items() if key in names and len(of) > 1}
    by_types = {one.name: one for one in _of_types(several, names)}
    by_kinds = {one.name: one for one in _of_kinds(several, names, _DescribedKinds(uses))}
    by_nouns = {one.name: one for key, of in several.items() if names[key] in nouns for one in _of_noun(names[key], of)}
    listed = [*(by_nouns | by_kinds | by_types).values(), *_of_short_names(found, records)]
    kept = found.resolution.kept
    return sorted((one for one in listed if entity_key(one.name) not in kept), key=lambda one: one.name)


def _of_types(uses: Mapping[str, Sequence[_NameUse]], names: Mapping[str, str]) -> Iterator[Homonym]:
    for key, several in uses.items():
        senses = _incompatible(several)
        if len(senses) < 2:
            continue
        first, *others = senses.values()
        if not any(_share_a_neighbour(first, other) for other in others):
            named = tuple(_sense(f"{names[key]} ({kind})", of) for kind, of in senses.items())
            yield Homonym(names[key], named, "documents give it incompatible types")


def _of_kinds(
    uses: Mapping[str, Sequence[_NameUse]], names: Mapping[str, str], kinds: _DescribedKinds
) -> Iterator[Homonym]:
    for key, several in uses.items():
        senses = kinds.senses(key, several)
        if len(senses) > 1:
            named = tuple(_sense(f"{names[key]} ({kind})", of) for kind, of in senses.items())
            yield Homonym(
                names[key], named, "documents describe it as different kinds of things, with other neighbours"
            )


def _of_noun(name: str, uses: Sequence[_NameUse]) -> Iterator[Homonym]:
    """Find the senses of a common noun: groups of typed uses that no neighbour connects, named after a neighbour."""
    groups: list[list[_NameUse]] = []
    for use in uses:
        if use.types and use.neighbours:
            joined, apart = [use], []
            for group in groups:
                if _share_a_neighbour(group, joined):
                    joined = [*group, *joined]
                else:
                    apart.append(group)
            groups = [*apart, joined]
    if len(groups) > 1:
        ranked = sorted(groups, key=lambda group: -len(group))
        named = tuple(_sense(f"{name} ({next(iter(of[0].neighbours.values()))})", of) for of in ranked)
        yield Homonym(name, named, "it is a common noun, and the entities named with it are different")


def _sense(name: str, uses: Sequence[_NameUse]) -> HomonymSense:
    described = max(uses, key=lambda use: sum(use.descriptions.values()))
    return HomonymSense(name, tuple(use.source for use in uses), described.description, described.fact)


def _incompatible(uses: Sequence[_NameUse]) -> dict[str, list[_NameUse]]:
    """Types incompatible with the most common one, each with the uses that have only this type."""
    by_type: dict[str, list[_NameUse]] = defaultdict(list)
    for use in uses:
        for kind in use.types:
            by_type[kind].append(use)
    ranked = sorted(by_type, key=lambda kind: (-len(by_type[kind]), kind))
    kinds = [kind for kind in ranked if kind == ranked[0] or conflicting(ranked[0], kind)]
    only = {kind: [use for use in by_type[kind] if len(use.types.keys() & kinds) == 1] for kind in kinds}
    return {kind: of for kind, of in only.items() if of}


def _of_short_names(found: CandidatePairs, records: Sequence[DocumentRecord]) -> Iterator[Homonym]:
    """Last names and acronyms that stand for different long names in different documents."""
    census = found.census
    long_forms: dict[int, list[int]] = defaultdict(list)
    for pair, short in found.shorts.items():
        long_forms[short].append(pair[0] if pair[1] == short else pair[1])
    for short, candidates in long_forms.items():
        if len(candidates) < 2:
            continue
        by_form: dict[int, list[str]] = defaultdict(list)
        for document in census.documents_of(short).tolist():
            present = [long for long in candidates if document in census.documents_of(long)]
            if len(present) == 1:
                by_form[present[0]].append(records[document].source)
        if len(by_form) > 1:
            entities = census.entities
            senses = sorted(
                (HomonymSense(entities[long].name, tuple(of)) for long, of in by_form.items()),
                key=lambda s: s.name,
            )
            if len({entity_key(sense.name) for sense in senses}) > 1:
                yield Homonym(entities[short].name, tuple(senses), "its documents give different long forms")
