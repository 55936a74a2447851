"""Retrieve the items of a list: facts about every entity of the kind that a question asks for.

Passages are too coarse for "Which ships recovered capsules?": each of them states one item among much else. So facts
are ranked instead, and each entity of the kind contributes the fact that is nearest to the question.
The kind is compared with the types of the entities: by its noun ("ship", "cargo ship") and by similarity, so that a
destroyer is a ship. Types are those of a language model or a table; for other entities, what facts call them ("the dog
Laika"). If no entity is of the kind, all facts are ranked.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Entity, RetrievalSection
from polyadic.retrieval.fact_ranking import candidate_facts, fact_relevance
from polyadic.retrieval.items import RetrievedRow, retrieved_rows
from polyadic.retrieval.relevance.question_features import read_asked
from polyadic.storage.protocol import Links, Reader, Rows, Vectors
from polyadic.text.counts import count
from polyadic.text.list_questions import PERSON, ListQuestion
from polyadic.text.type_phrases import type_phrases

GROWTH = 2
"""Factor by which the token budget may grow with the list."""
# Tokens of a line in a prompt besides its text, and of the heading of the list.
_AROUND_A_LINE, _HEADING = 5, 60
# Minimum relevance of items for which the budget grows, relative to the best one. Chosen on the list questions of the
# spaceflight corpus: at 1,000 tokens, recall grows from 0.90 to 0.96 with a fifth more tokens; 0.3 finds no more.
_WORTH_MORE = 0.4
# Share of the token budget that a list may take before it grows; passages get the rest.
_SHARE = 0.5
_SIMILAR = "similar to what the question says of the items"
# Why a list may be incomplete although all facts were compared with the question.
_HOW_FOUND = "items that are worded unlike the question are easily missed"
# Added to the relevance of a fact about an entity that facts, not types, say is of the kind.
_OF_THE_KIND = 0.3

_TYPES = 200
# Least similarity of a type to the kind. Chosen on the list questions of the spaceflight corpus: "aircraft carrier" and
# "destroyer" are ships (0.48 and 0.46), "spacecraft" and "space mission" are not (0.43 and 0.41).
_SAME_KIND = 0.45
# Without "all", one type must be that similar: "dog" is an animal (0.82), "person" no woman (0.62).
_SURELY_SAME_KIND = 0.7
# Without "all", a plural asks for a list only if the documents name several things of the kind.
_SEVERAL = 3
# Words of a phrase that are compared: "cargo ship" of "uncrewed Russian cargo ship".
_COMPARED_WORDS = 2

Types = Mapping[int, Sequence[str]]


@dataclass(frozen=True, slots=True)
class ItemList:
    """The facts of a list, most relevant first, one for each item.

    Parameters
    ----------
    facts
        Facts, within the tokens for the list.
    kinds
        Entity types of the items; empty if the store has none of the kind.
    omitted
        Number of items that did not fit.
    examined, size
        Number of facts that were compared with the question, and of all facts.
    items
        Number of items that the facts are about, if every item has a type of the kind; else 0.
    """

    facts: tuple[RetrievedRow, ...]
    kinds: tuple[str, ...]
    omitted: int
    examined: int
    size: int
    items: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether the list has every entity of the kind that is in any fact."""
        return self.items > 0 and not self.omitted and self.examined == self.size

    def budget(self, context_tokens: int) -> int:
        """Return the token budget of the list and the passages: that of the question, and what the list exceeds half.

        >>> ItemList((), (), 0, 0, 0).budget(1000)
        1000
        """
        return context_tokens + max(0, sum(fact.tokens for fact in self.facts) - int(_SHARE * context_tokens))

    @property
    def note(self) -> str:
        """State whether the list has all items of the kind, or why it may be incomplete."""
        if self.is_whole:
            items = count(self.items, "item")
            return f"the list has all {items} of the kind ({', '.join(self.kinds)}) in {count(self.size, 'fact')}"
        examined = f"{self.examined:,} of {count(self.size, 'fact')} examined"
        parts = [examined if self.examined < self.size else _HOW_FOUND]
        if self.omitted:
            parts.append(f"{count(self.omitted, 'further candidate')} did not fit into the token budget")
        return f"the list may be incomplete: {', '.join(parts)}"


async def find_list(asked: ListQuestion, reader: Reader, embedder: Embedder, context_tokens: int) -> ItemList | None:
    """Find the items of a list; None if the question does not say "all" and the store has few entities of the kind.

    Parameters
    ----------
    asked
        The question.
    reader
        The store.
    embedder
        Embeds the phrase of the question, its kind and the entity types.
    context_tokens
        Token budget of the question. A list of entities with types may exceed its half, so that both together take at
        most ``GROWTH`` times as much; other lists take at most half.
    """
    vector, kind = await embedder.embed([asked.phrase, asked.kind])
    facts = candidate_facts(asked.phrase, vector, reader)
    links = reader.links("fact_entities", facts)
    rows = np.unique(links.targets)
    entities = dict(zip(rows.tolist(), reader.entities(rows), strict=True))
    words = read_asked(asked.phrase)
    texts = [fact.text for fact in reader.facts(facts)]
    types = entity_types(entities, facts, texts, links, asked.kind)
    given = [entity.type for entity in entities.values() if entity.type]
    columns = _columns(entities, facts, texts, links)
    kinds = await matching_types(types, given, asked, kind, embedder, columns)
    if not kinds and not asked.asks_for_all:
        return None
    members = {row: f"{entities[row].name} ({found})" for row, found in _of_kinds(types, kinds)}
    relevance = fact_relevance(facts, texts, words, vector, reader)
    is_typed = not frozenset(kinds).isdisjoint(given)
    order, listed = (_one_each if is_typed else _all)(facts, relevance, links, members)
    whys = [f"about {', '.join(names)}" if names else _SIMILAR for names in listed]
    best = retrieved_rows("fact", facts[order], relevance[order], whys, reader)
    ranked = [row._replace(listed=names) for row, names in zip(best, listed, strict=True)]
    kept = _within(ranked, context_tokens, is_typed)
    items = sum(len(row.listed) for row in kept) if is_typed else 0
    omitted = len(ranked) - len(kept) if is_typed else 0
    found = ItemList(kept, kinds, omitted, len(facts), reader.size("fact"), items)
    section = RetrievalSection.WHOLE_LIST if found.is_whole else RetrievalSection.LIST
    return replace(found, facts=tuple(row._replace(section=section) for row in kept))


def _of_kinds(types: Types, kinds: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the entities of some types, each with the first of its types that is one of them."""
    wanted = frozenset(kinds)
    for row, names in types.items():
        if of_kind := [name for name in names if name in wanted]:
            yield row, of_kind[0]


def _one_each(
    facts: Rows, relevance: Vectors, links: Links, members: Mapping[int, str]
) -> tuple[Rows, Sequence[tuple[str, ...]]]:
    """Return the positions of the best fact of each entity, best first, each with the names of its entities."""
    positions = np.searchsorted(facts, links.sources)
    best: dict[int, int] = {}
    for link in np.argsort(-relevance[positions], kind="stable").tolist():
        if (entity := int(links.targets[link])) in members:
            best.setdefault(entity, int(positions[link]))
    named: dict[int, list[str]] = {}
    for entity, position in best.items():
        named.setdefault(position, []).append(members[entity])
    return np.array([*named], dtype=np.int64), [tuple(names) for names in named.values()]


def _all(
    facts: Rows, relevance: Vectors, links: Links, members: Mapping[int, str]
) -> tuple[Rows, Sequence[tuple[str, ...]]]:
    """Return the positions of all facts, best first, and raise the relevance of the best one of each entity.

    That one has the names of the entities.
    """
    best, listed = _one_each(facts, relevance, links, members) if members else (np.zeros(0, dtype=np.int64), [])
    named = dict(zip(best.tolist(), listed, strict=True))
    relevance[best] += _OF_THE_KIND
    order = np.argsort(-relevance, kind="stable")
    return order, [named.get(position, ()) for position in order.tolist()]


def _within(ranked: Sequence[RetrievedRow], context_tokens: int, grows: bool) -> tuple[RetrievedRow, ...]:
    """Take rows from the start as long as they fit into half of the budget; it may grow for the most relevant ones."""
    sizes = np.cumsum([row.tokens for row in ranked])
    half = int(_SHARE * context_tokens)
    kept = int(np.searchsorted(sizes, half, side="right"))
    if grows and kept < len(ranked):
        # Lines of a prompt take more tokens than their texts, and the list should be whole there, too.
        lines = sizes + _AROUND_A_LINE * np.arange(1, len(ranked) + 1)
        room = GROWTH * context_tokens - (context_tokens - half) - _HEADING
        worth = sum(row.score >= _WORTH_MORE * ranked[0].score for row in ranked)
        kept = max(kept, min(worth, int(np.searchsorted(lines, room, side="right"))))
    return tuple(ranked[:kept])


def entity_types(
    entities: Mapping[int, Entity], facts: Rows, texts: Sequence[str], links: Links, kind: str
) -> dict[int, tuple[str, ...]]:
    """Return the type of each entity by row; for one without a type, what facts and its name call it, most often first.

    Parameters
    ----------
    entities
        Entities by row.
    facts, texts
        Sorted rows of facts, and their texts.
    links
        From facts to entities.
    kind
        The kind that is asked for; a name contributes its noun only if that is the kind ("Purdue University").
    """
    found = {
        row: Counter([entity.type] if entity.type else _kind_in_name(entity.name, kind))
        for row, entity in entities.items()
    }
    positions = np.searchsorted(facts, links.sources)
    for position, row in zip(positions.tolist(), links.targets.tolist(), strict=True):
        entity = entities[row]
        if not entity.type:
            phrases = type_phrases(entity.name, texts[position])
            found[row].update(" ".join(phrase.split()[-_COMPARED_WORDS:]) for phrase in phrases)
    return {row: tuple(phrase for phrase, _ in phrases.most_common()) for row, phrases in found.items()}


def _columns(entities: Mapping[int, Entity], facts: Rows, texts: Sequence[str], links: Links) -> frozenset[str]:
    """Return the types that are columns of tables: a row states them before the names ("Code: E1")."""
    positions = np.searchsorted(facts, links.sources)
    typed = (
        (texts[position], entities[row])
        for position, row in zip(positions.tolist(), links.targets.tolist(), strict=True)
    )
    return frozenset(entity.type for text, entity in typed if entity.type and f"{entity.type}: {entity.name}" in text)


async def matching_types(
    types: Types,
    given: Collection[str],
    asked: ListQuestion,
    kind: Vectors,
    embedder: Embedder,
    columns: Collection[str] = (),
) -> tuple[str, ...]:
    """Return the types that match the kind, most common first.

    If the question does not say "all", several entities must have been ``given`` such types, and one of these must have
    the noun or nearly its meaning. What facts call things is less certain: these phrases are compared by similarity
    only if few have the noun, and never for people, whom facts call by their occupations. The ``columns`` of a table
    differ in little but their names ("Programme", "Code"), so they must have the noun or nearly its meaning.
    """
    counted = Counter(name for names in types.values() for name in names)
    noun = read_asked(asked.kind)
    same = {name for name in counted if noun.overlap(name.split()[-1])}
    compared = frozenset(given)
    is_rare = sum(not same.isdisjoint(names) for names in types.values()) < _SEVERAL
    if asked.asks_for_all and is_rare and asked.kind != PERSON:
        compared |= frozenset(counted)
    common = [name for name, _ in counted.most_common() if name in compared][:_TYPES]
    similarities = (await embedder.embed(common)) @ kind if common else np.zeros(0)
    similar = dict(zip(common, similarities.tolist(), strict=True))
    alike = same | {
        name
        for name, similarity in similar.items()
        if similarity >= (_SURELY_SAME_KIND if name in columns else _SAME_KIND)
    }
    is_certain = any(name in same or similar.get(name, 0.0) >= _SURELY_SAME_KIND for name in given)
    if not asked.asks_for_all and not (is_certain and sum(name in alike for name in given) >= _SEVERAL):
        return ()
    return tuple(name for name, _ in counted.most_common() if name in alike)


def _kind_in_name(name: str, kind: str) -> list[str]:
    """Return the kind if it is the noun of a name of several words.

    >>> _kind_in_name("Purdue University", "university"), _kind_in_name("University of Ulm", "university")
    (['university'], ['university'])
    >>> _kind_in_name("University", "university"), _kind_in_name("Museum Ship", "museum")
    ([], [])
    """
    before, of, _ = name.partition(" of ")
    words = before.split()
    is_noun = bool(words) and len(words) + bool(of) > 1 and read_asked(kind).overlap(words[-1]) > 0
    return [kind] if is_noun else []
