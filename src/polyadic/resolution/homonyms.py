"""Find homonyms: names that may refer to several entities. They are listed for review and never split automatically."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from polyadic.model.identity import entity_key
from polyadic.resolution.candidates import CandidatePairs
from polyadic.resolution.scoring import conflicting
from polyadic.storage.protocol import DocumentRecord, Reader


@dataclass(frozen=True, slots=True)
class HomonymSense:
    """One sense of a name: a distinct name for it, and the sources of the documents that use it."""

    name: str
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Homonym:
    """A name that may refer to several entities; ``why`` is an explanation for users."""

    name: str
    senses: tuple[HomonymSense, ...]
    why: str


def homonyms(reader: Reader, found: CandidatePairs) -> list[Homonym]:
    """Find names to which documents give incompatible types, and short forms of different long names.

    The evidence of every document is read once.
    """
    records = reader.records.documents()
    return sorted([*_of_types(reader, found, records), *_of_short_names(found, records)], key=lambda one: one.name)


def _of_types(reader: Reader, found: CandidatePairs, records: Sequence[DocumentRecord]) -> Iterator[Homonym]:
    documents_by_type: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    for record in records:
        for _, chunk in reader.records.evidence(record.id):
            for one in (participant for evidence in chunk for participant in evidence.participants):
                # Skip names that are already split in this document.
                if one.type and one.key and found.overlay.key(one.key, record.id) == one.key:
                    documents_by_type[one.key][one.type.casefold()][record.source] = None
    names = {entity.key: entity.name for entity in found.census.entities}
    for key, types in documents_by_type.items():
        incompatible = _incompatible(types)
        if len(incompatible) > 1 and key in names:
            senses = tuple(HomonymSense(f"{names[key]} ({kind})", tuple(incompatible[kind])) for kind in incompatible)
            yield Homonym(names[key], senses, "documents give it incompatible types")


def _incompatible(types: Mapping[str, Mapping[str, None]]) -> dict[str, list[str]]:
    """Types incompatible with the most common one, each with the documents that give only this type."""
    ranked = sorted(types, key=lambda kind: (-len(types[kind]), kind))
    kinds = [ranked[0], *(kind for kind in ranked[1:] if conflicting(ranked[0], kind))]
    return {
        kind: documents
        for kind in kinds
        if (documents := [d for d in types[kind] if not any(d in types[k] for k in kinds if k != kind)])
    }


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
