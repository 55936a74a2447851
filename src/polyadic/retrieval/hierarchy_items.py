"""From entities, summaries and reports to items of knowledge.

What sums up others is no evidence: each item rests on places of the facts below it, those nearest to the question, and
on three at most, so that it stands for no more of the documents than it can tell of.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from polyadic.model.hierarchy import EXTRACTIVE, Summary
from polyadic.model.types import Item, ItemKind, RetrievalSection, SourceSpan
from polyadic.retrieval.hierarchy_nodes import entities_in, nodes_of, similarity, summaries_in
from polyadic.retrieval.similarity_hits import alike_to
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Reader, Rows, Vectors
from polyadic.text.tokens import count_tokens

PLACES_OF_AN_ITEM = 3
_MEMBERS_FOLLOWED = 3
_SUMMING_UP = frozenset({ItemKind.ENTITY, ItemKind.REPORT})


def described(name: str, type_: str, description: str) -> str:
    """An entity or a summary as it is told.

    >>> described("Ada Lovelace", "person", "Wrote the first program."), described("Ada Lovelace", "", "")
    ('Ada Lovelace (person): Wrote the first program.', 'Ada Lovelace')
    """
    head = f"{name} ({type_})" if type_ else name
    return f"{head}: {description}" if description else head


def covering(summary: Summary, members: Sequence[str]) -> str:
    """A membership fact as a sentence, of the members that matter here.

    >>> covering(Summary("c", 1, "Engines", "", "Machines that compute.", ("a", "b"), "m"), ["Engine", "Mill", "Loom"])
    'Engines covers Engine, Mill and Loom: Machines that compute.'
    """
    listed = " and ".join(part for part in (", ".join(members[:-1]), members[-1]) if part)
    return f"{summary.name} covers {listed}" + (f": {summary.description}" if summary.description else ".")


def extractive(by: str) -> str:
    """What a reason says of who wrote something, where no model did."""
    return "; extractive" if by == EXTRACTIVE else ""


def entity_items(entities: Rows, scores: Vectors, whys: Sequence[str], vector: Vectors, reader: Reader) -> list[Item]:
    """An item for each of the entities that has a description, in the order given."""
    told = zip(reader.entities(entities), entities.tolist(), scores.tolist(), whys, strict=True)
    known = [one for one in told if one[0].description]
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
    themes: HierarchyReader,
) -> list[Item]:
    """An item for each summary with what is said of it, in the order given."""
    places = first_places([_facts_under(row, vector, reader, themes) for row in summaries.tolist()], reader)
    told = zip(themes.summaries(summaries), texts, scores.tolist(), whys, places, strict=True)
    items = [
        Item(ItemKind.ENTITY, summary.id, text, score, why + extractive(summary.by), 0, where)
        for summary, text, score, why, where in told
    ]
    return counted(items)


def counted(items: Sequence[Item]) -> list[Item]:
    """Those of the items that rest on something, with their tokens."""
    founded = [item for item in items if item.places]
    counts = count_tokens([item.text for item in founded])
    return [replace(item, tokens=tokens) for item, tokens in zip(founded, counts, strict=True)]


def said_once(items: Sequence[Item]) -> tuple[Item, ...]:
    """The items, of which no summary and no report repeats a fact, word for word, that is among them.

    A description of which nothing is left is left out; a title, or what a summary covers, still says something.
    """
    facts = [item.text for item in items if item.kind is ItemKind.FACT]
    shortened = {place: _without(item.text, facts) for place, item in enumerate(items) if item.kind in _SUMMING_UP}
    changed = {place: text for place, text in shortened.items() if text != items[place].text}
    tokens = dict(zip(changed, count_tokens([*changed.values()]), strict=True))
    told = []
    for place, item in enumerate(items):
        text = changed.get(place, item.text)
        if text.endswith(":") and item.kind is ItemKind.ENTITY and item.section is not RetrievalSection.BRIDGE:
            continue
        told.append(replace(item, text=text.removesuffix(":"), tokens=tokens.get(place, item.tokens)))
    return tuple(told)


def _without(text: str, facts: Sequence[str]) -> str:
    """
    >>> _without("Ada and Bob: Ada met Bob. Bob wept.", ["Ada met Bob.", "Bob"]), _without("Ada: Cy met.", ["Cy met."])
    ('Ada and Bob: Bob wept.', 'Ada:')
    """
    for fact in facts:
        before, found, after = text.partition(f" {fact}")
        if found and before.endswith((".", ":", "!", "?")) and (not after or after.startswith(" ")):
            text = f"{before}{after}"
    return text


def first_places(facts: Sequence[Rows], reader: Reader) -> list[tuple[SourceSpan, ...]]:
    """For each group of facts the first places where they are stated, three at most; all are looked up at once."""
    few = [rows[:PLACES_OF_AN_ITEM] for rows in facts]
    rows = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *few]))
    stated = dict(zip(rows.tolist(), reader.fact_places(rows), strict=True))
    return [tuple(dict.fromkeys(place for row in group.tolist() for place in stated[row][:1])) for group in few]


def _facts_near(entities: Rows, vector: Vectors, reader: Reader) -> Rows:
    """The few facts of some entities that are nearest to the question, the nearest first."""
    facts = np.unique(reader.facts_of(entities, PLACES_OF_AN_ITEM, vector).targets)
    alike = reader.similarity("fact", facts, vector[None, :])[0]
    return facts[np.argsort(-alike, kind="stable")[:PLACES_OF_AN_ITEM]]


def _facts_near_each(entities: Rows, vector: Vectors, reader: Reader) -> list[Rows]:
    """The same of each of these entities; all are looked up at once."""
    links = reader.facts_of(entities, PLACES_OF_AN_ITEM, vector)
    order = np.lexsort((links.targets, -alike_to(vector, "fact", links.targets, reader)))
    sources, facts = links.sources[order], links.targets[order]
    return [facts[sources == entity][:PLACES_OF_AN_ITEM] for entity in entities.tolist()]


def _facts_under(summary: int, vector: Vectors, reader: Reader, themes: HierarchyReader) -> Rows:
    """The same of the entities that a summary covers at any depth: of the few to which the question is nearest."""
    entities, summaries = np.zeros(0, dtype=np.int64), np.array([summary], dtype=np.int64)
    while len(summaries):
        covered = themes.covered(summaries)
        nodes = np.unique(nodes_of(covered.entities.targets, covered.summaries.targets))
        alike = similarity(nodes, vector, reader, themes)
        nodes = nodes[np.argsort(-alike, kind="stable")[:_MEMBERS_FOLLOWED]]
        entities, summaries = np.append(entities, entities_in(nodes)), summaries_in(nodes)
    return _facts_near(np.unique(entities), vector, reader)
