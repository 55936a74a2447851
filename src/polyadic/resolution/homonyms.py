"""Find homonyms: names that may refer to several entities. They are listed for review and never split automatically."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from polyadic.model.identity import entity_key
from polyadic.resolution.described_kinds import DescribedKinds
from polyadic.resolution.merge_candidates import CandidatePairs
from polyadic.resolution.name_uses import NameUse, name_uses, share_a_neighbour
from polyadic.resolution.scoring import conflicting
from polyadic.storage.protocol import DocumentRecord, Reader


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

    These are names with incompatible types, names described as different kinds of things, and short forms of different
    long names. A neighbour that two uses have in common is evidence that both mean the same. Names that a decision
    keeps as one entity are left out.
    """
    records = reader.records.documents()
    uses = name_uses(reader, records, found.resolution)
    # A common noun ("lawyer") has no other entities to be mistaken for.
    names = {entity.key: entity.name for entity in found.census.entities if not entity.name.islower()}
    several = {key: of for key, of in uses.items() if key in names and len(of) > 1}
    by_types = {one.name: one for one in _of_types(several, names)}
    by_kinds = {one.name: one for one in _of_kinds(several, names, DescribedKinds(uses))}
    listed = [*(by_kinds | by_types).values(), *_of_short_names(found, records)]
    kept = found.resolution.kept
    return sorted((one for one in listed if entity_key(one.name) not in kept), key=lambda one: one.name)


def _of_types(uses: Mapping[str, Sequence[NameUse]], names: Mapping[str, str]) -> Iterator[Homonym]:
    for key, several in uses.items():
        senses = _incompatible(several)
        if len(senses) < 2:
            continue
        first, *others = senses.values()
        if not any(share_a_neighbour(first, other) for other in others):
            named = tuple(_sense(f"{names[key]} ({kind})", of) for kind, of in senses.items())
            yield Homonym(names[key], named, "documents give it incompatible types")


def _of_kinds(
    uses: Mapping[str, Sequence[NameUse]], names: Mapping[str, str], kinds: DescribedKinds
) -> Iterator[Homonym]:
    for key, several in uses.items():
        senses = kinds.senses(key, several)
        if len(senses) > 1:
            named = tuple(_sense(f"{names[key]} ({kind})", of) for kind, of in senses.items())
            yield Homonym(
                names[key], named, "documents describe it as different kinds of things, with other neighbours"
            )


def _sense(name: str, uses: Sequence[NameUse]) -> HomonymSense:
    described = max(uses, key=lambda use: sum(use.descriptions.values()))
    return HomonymSense(name, tuple(use.source for use in uses), described.description, described.fact)


def _incompatible(uses: Sequence[NameUse]) -> dict[str, list[NameUse]]:
    """Types incompatible with the most common one, each with the uses that have only this type."""
    by_type: dict[str, list[NameUse]] = defaultdict(list)
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
