"""Convert entities, summaries and reports to items of knowledge.

A summary is not evidence: each item cites evidence of the facts below it that are nearest to the question. It cites six
spans at most, so that it does not count as covering more of the documents than its text can mention.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from polyadic.model.hierarchy import EXTRACTIVE, Membership, Summary
from polyadic.model.types import Item, ItemKind, RetrievalSection, SourceSpan
from polyadic.retrieval.hierarchy_nodes import entities_in, nodes_of, similarity, summaries_in
from polyadic.retrieval.similarity_hits import alike_to
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Reader, Rows, Vectors
from polyadic.text.tokens import count_tokens

PLACES_OF_AN_ITEM = 6
_MEMBERS_FOLLOWED = 3
_SUMMARIZING = frozenset({ItemKind.ENTITY, ItemKind.REPORT})


def described(name: str, type_: str, description: str) -> str:
    """Format an entity or a summary.

    >>> described("Ada Lovelace", "person", "Wrote the first program."), described("Ada Lovelace", "", "")
    ('Ada Lovelace (person): Wrote the first program.', 'Ada Lovelace')
    """
    head = f"{name} ({type_})" if type_ else name
    return f"{head}: {description}" if description else head


def covering(summary: Summary, members: Sequence[str]) -> str:
    """Format a membership fact as a sentence, with the relevant members.

    >>> covering(Summary("c", 1, "Engines", "", "Machines that compute.", ("a", "b"), "m"), ["Engine", "Mill", "Loom"])
    'Engines covers Engine, Mill and Loom: Machines that compute.'
    """
    listed = " and ".join(part for part in (", ".join(members[:-1]), members[-1]) if part)
    return f"{summary.name} covers {listed}" + (f": {summary.description}" if summary.description else ".")


def membership(member: str, summary: Summary, described: Membership) -> str:
    """Format a described membership as a sentence.

    >>> engines = Summary("c", 1, "Engines", "", "Machines that compute.", ("a", "b"), "m")
    >>> membership("Mill", engines, Membership("a", "The mill is the part that computes.", 8.0))
    'Mill — Engines: The mill is the part that computes. (strength 8)'
    """
    return f"{member} — {summary.name}: {described.description} (strength {described.strength:g})"


def extractive(by: str) -> str:
    """Return a suffix for an explanation if a text was not written by a model."""
    return "; extractive" if by == EXTRACTIVE else ""


def entity_items(entities: Rows, scores: Vectors, whys: Sequence[str], vector: Vectors, reader: Reader) -> list[Item]:
    """Return an item for each entity that has a description, in the given order."""
    entries = zip(reader.entities(entities), entities.tolist(), scores.tolist(), whys, strict=True)
    known = [entry for entry in entries if entry[0].description]
    rows = np.array([row for _, row, _, _ in known], dtype=np.int64)
    places = first_places(_facts_near_each(rows, vector, reader), reader)
    items = [
        Item(ItemKind.ENTITY, entity.id, described(entity.name, entity.type, entity.description), score, why, 0, where)
        for (entity, _, score, why), where in zip(known, places, strict=True)
    ]
    return counted(items)


def summary_items(
    summaries: Rows,
    texts: Sequence[str],
    scores: Vectors,
    whys: Sequence[str],
    vector: Vectors,
    reader: Reader,
    hierarchy: HierarchyReader,
) -> list[Item]:
    """Return an item for each summary with its text, in the given order."""
    places = first_places([_facts_under(row, vector, reader, hierarchy) for row in summaries.tolist()], reader)
    entries = zip(hierarchy.summaries(summaries), texts, scores.tolist(), whys, places, strict=True)
    items = [
        Item(ItemKind.ENTITY, summary.id, text, score, why + extractive(summary.by), 0, where)
        for summary, text, score, why, where in entries
    ]
    return counted(items)


def counted(items: Sequence[Item]) -> list[Item]:
    """Return the items that have evidence, with their token counts."""
    founded = [item for item in items if item.places]
    counts = count_tokens([item.text for item in founded])
    return [replace(item, tokens=tokens) for item, tokens in zip(founded, counts, strict=True)]


def remove_repeated_facts(items: Sequence[Item]) -> tuple[Item, ...]:
    """Remove from summaries and reports the sentences that repeat a fact among the items literally.

    An entity whose description becomes empty is left out; a title, or the list of members of a summary, is kept.
    """
    facts = [item.text for item in items if item.kind is ItemKind.FACT]
    shortened = {place: _without(item.text, facts) for place, item in enumerate(items) if item.kind in _SUMMARIZING}
    changed = {place: text for place, text in shortened.items() if text != items[place].text}
    tokens = dict(zip(changed, count_tokens([*changed.values()]), strict=True))
    kept = []
    for place, item in enumerate(items):
        text = changed.get(place, item.text)
        if text.endswith(":") and item.kind is ItemKind.ENTITY and item.section is not RetrievalSection.BRIDGE:
            continue
        kept.append(replace(item, text=text.removesuffix(":"), tokens=tokens.get(place, item.tokens)))
    return tuple(kept)


def _without(text: str, facts: Sequence[str]) -> str:
    """Remove facts that occur as whole sentences.

    >>> _without("Ada and Bob: Ada met Bob. Bob wept.", ["Ada met Bob.", "Bob"]), _without("Ada: Cy met.", ["Cy met."])
    ('Ada and Bob: Bob wept.', 'Ada:')
    """
    for fact in facts:
        before, found, after = text.partition(f" {fact}")
        if found and before.endswith((".", ":", "!", "?")) and (not after or after.startswith(" ")):
            text = f"{before}{after}"
    return text


def first_places(facts: Sequence[Rows], reader: Reader) -> list[tuple[SourceSpan, ...]]:
    """Return the first evidence spans of each group of facts, six at most; all groups are looked up together."""
    few = [rows[:PLACES_OF_AN_ITEM] for rows in facts]
    rows = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *few]))
    stated = dict(zip(rows.tolist(), reader.fact_places(rows), strict=True))
    return [tuple(dict.fromkeys(place for row in group.tolist() for place in stated[row][:1])) for group in few]


def _facts_near(entities: Rows, vector: Vectors, reader: Reader) -> Rows:
    """Return the few facts of some entities that are nearest to the question, nearest first."""
    facts = np.unique(reader.facts_of(entities, PLACES_OF_AN_ITEM, vector).targets)
    similarities = reader.similarity("fact", facts, vector[None, :])[0]
    return facts[np.argsort(-similarities, kind="stable")[:PLACES_OF_AN_ITEM]]


def _facts_near_each(entities: Rows, vector: Vectors, reader: Reader) -> list[Rows]:
    """Return the nearest facts of each entity; all entities are looked up together."""
    links = reader.facts_of(entities, PLACES_OF_AN_ITEM, vector)
    order = np.lexsort((links.targets, -alike_to(vector, "fact", links.targets, reader)))
    sources, facts = links.sources[order], links.targets[order]
    return [facts[sources == entity][:PLACES_OF_AN_ITEM] for entity in entities.tolist()]


def _facts_under(summary: int, vector: Vectors, reader: Reader, hierarchy: HierarchyReader) -> Rows:
    """Return the nearest facts below a summary, following at each layer the few members nearest to the question."""
    entities, summaries = np.zeros(0, dtype=np.int64), np.array([summary], dtype=np.int64)
    while len(summaries):
        covered = hierarchy.covered(summaries)
        nodes = np.unique(nodes_of(covered.entities.targets, covered.summaries.targets))
        similarities = similarity(nodes, vector, reader, hierarchy)
        nodes = nodes[np.argsort(-similarities, kind="stable")[:_MEMBERS_FOLLOWED]]
        entities, summaries = np.append(entities, entities_in(nodes)), summaries_in(nodes)
    return _facts_near(np.unique(entities), vector, reader)
