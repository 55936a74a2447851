"""Tell which entities are of the kind that a question asks for, by their types or by what facts call them."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Entity
from polyadic.retrieval.relevance.question_features import read_asked
from polyadic.storage.protocol import Links, Rows, Vectors
from polyadic.text.list_questions import PERSON, ListQuestion
from polyadic.text.type_phrases import type_phrases

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


async def matching_types(
    types: Types, given: Collection[str], asked: ListQuestion, kind: Vectors, embedder: Embedder
) -> tuple[str, ...]:
    """Return the types that match the kind, most common first.

    If the question does not say "all", several entities must have been ``given`` such types, and one of these must have
    the noun or nearly its meaning. What facts call things is less certain: these phrases are compared by similarity
    only if few have the noun, and never for people, whom facts call by their occupations.
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
    alike = same | {name for name, similarity in similar.items() if similarity >= _SAME_KIND}
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
