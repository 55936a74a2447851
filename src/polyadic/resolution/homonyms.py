"""Names that may mean several entities, by what their documents say: for people to look at, never split by itself."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from polyadic.model.identity import entity_key
from polyadic.resolution.candidates import CandidatePairs
from polyadic.resolution.scoring import conflicting
from polyadic.storage.protocol import DocumentRecord, Reader


@dataclass(frozen=True, slots=True)
class HomonymSense:
    """What a name may mean in some documents: a name of its own, and the sources of these documents."""

    name: str
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Homonym:
    """A name that may mean several; ``why`` is for people."""

    name: str
    senses: tuple[HomonymSense, ...]
    why: str


def homonyms(reader: Reader, found: CandidatePairs) -> list[Homonym]:
    """Names whose documents give types that exclude each other, and short names that are short for different ones.

    The evidence of every document is read once.
    """
    records = reader.documents()
    return sorted([*_of_types(reader, found, records), *_of_short_names(found, records)], key=lambda one: one.name)


def _of_types(reader: Reader, found: CandidatePairs, records: Sequence[DocumentRecord]) -> Iterator[Homonym]:
    said: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    for record in records:
        for _, chunk in reader.evidence(record.id):
            for one in (participant for evidence in chunk for participant in evidence.participants):
                # What is split there already needs no other name.
                if one.type and one.key and found.overlay.key(one.key, record.id) == one.key:
                    said[one.key][one.type.casefold()][record.source] = None
    names = {entity.key: entity.name for entity in found.census.entities}
    for key, types in said.items():
        apart = _apart(types)
        if len(apart) > 1 and key in names:
            senses = tuple(HomonymSense(f"{names[key]} ({kind})", tuple(apart[kind])) for kind in apart)
            yield Homonym(names[key], senses, "documents give it types that exclude each other")


def _apart(types: Mapping[str, Mapping[str, None]]) -> dict[str, list[str]]:
    """Types that exclude the one given most, each with the documents that give it and no other of these."""
    ranked = sorted(types, key=lambda kind: (-len(types[kind]), kind))
    kept = [ranked[0], *(kind for kind in ranked[1:] if conflicting(ranked[0], kind))]
    return {
        kind: documents
        for kind in kept
        if (documents := [d for d in types[kind] if not any(d in types[k] for k in kept if k != kind)])
    }


def _of_short_names(found: CandidatePairs, records: Sequence[DocumentRecord]) -> Iterator[Homonym]:
    """A last name or an acronym whose documents each spell out another long name."""
    census = found.census
    longs: dict[int, list[int]] = defaultdict(list)
    for pair, short in found.shorts.items():
        longs[short].append(pair[0] if pair[1] == short else pair[1])
    for short, those in longs.items():
        if len(those) < 2:
            continue
        spelt: dict[int, list[str]] = defaultdict(list)
        for document in census.documents_of(short).tolist():
            here = [long for long in those if document in census.documents_of(long)]
            if len(here) == 1:
                spelt[here[0]].append(records[document].source)
        if len(spelt) > 1:
            entities = census.entities
            senses = sorted(
                (HomonymSense(entities[long].name, tuple(of)) for long, of in spelt.items()), key=lambda s: s.name
            )
            if len({entity_key(sense.name) for sense in senses}) > 1:
                yield Homonym(entities[short].name, tuple(senses), "its documents spell it out differently")
