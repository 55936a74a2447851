"""Alias expansion: entities whose names may mean the same: "S. R. Puttanna Kanagal" and "Puttanna Kanagal".

A language model uses the names of each passage, and a user may use others. If a passage or a question uses a longer
name than the title of another document, both entities are linked while the question is answered, and only then:
evidence and entity resolution do not change.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from polyadic.model.identity import loose_name, without_qualifier
from polyadic.storage.incidence import among, distinct
from polyadic.storage.protocol import Links, Reader, Rows
from polyadic.text.stopwords import words

_AFTER_NAME = re.compile(r"(?:,| of | von | de | du | der )")
_SHORTEST = 4
_MOST_HOMONYMS = 3
_MOST_PASSAGES = 3
# Titles of persons, which are not part of their names.
_STYLES = words(
    "king queen prince princess sir dame lord lady dr mr mrs ms prof professor saint st pope emperor empress duke "
    "duchess count countess baron baroness general captain colonel president könig königin kaiser herzog graf rey "
    "reina roi reine"
)


def expand_aliases(entities: Rows, reader: Reader) -> Links:
    """Return for each entity other entities that passages are about and whose names may mean the same.

    The other's name equals its name, or is part of it: its end, at most half of the words shorter ("king Gundobad"), or
    what precedes a comma or "of" ("Lothair II of Lotharingia"). A name shared by more than three entities is ignored,
    and so is one that no passage is about (chosen on the even-numbered questions of two data sets). If no name matches,
    a last name that occurs in hardly any passage is enough ("King Dikkha": "Min Dikkha").
    """
    named_entities = list(zip(entities.tolist(), reader.entities(entities), strict=True))
    wanted = {row: _forms(entity.name) for row, entity in named_entities}
    known = reader.named(list(dict.fromkeys(form for forms in wanted.values() for form in forms)))
    pairs = {
        (row, other)
        for row, forms in wanted.items()
        for form in forms
        if len(known.get(form, ())) <= _MOST_HOMONYMS
        for other in known.get(form, ())
        if other != row
    }
    named = _with_passages(pairs, reader)
    matched = set(named.sources.tolist())
    rare = _by_rare_names({row: entity.name for row, entity in named_entities if row not in matched}, reader)
    return _links({*zip(named.sources.tolist(), named.targets.tolist(), strict=True), *rare})


def _with_passages(pairs: set[tuple[int, int]], reader: Reader) -> Links:
    """Return the pairs whose second entity is the topic of a passage."""
    links = _links(pairs)
    is_subject = among(links.targets, reader.links("topic_chunks", distinct(links.targets), 1).sources)
    return Links(links.sources[is_subject], links.targets[is_subject])


def _links(pairs: set[tuple[int, int]]) -> Links:
    table = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    return Links(table[:, 0], table[:, 1])


def _by_rare_names(names: Mapping[int, str], reader: Reader) -> set[tuple[int, int]]:
    """Link each entity to the topics of the few passages that contain its last name, if the names are compatible."""
    wanted = {row: parts for row, name in names.items() if (parts := _ending_in_a_name(name))}
    bearers: dict[str, list[int]] = {}
    for row, parts in wanted.items():
        bearers.setdefault(parts[-1], []).append(row)
    held = reader.chunks_with_words(list(bearers), _MOST_PASSAGES + 1)
    is_rare = np.bincount(held.sources, minlength=len(bearers)) <= _MOST_PASSAGES
    owners, passages = (part[is_rare[held.sources]].tolist() for part in (held.sources, held.targets))
    titles = reader.links("chunk_topic", distinct(np.array(passages, dtype=np.int64)))
    subjects = dict(zip(titles.sources.tolist(), titles.targets.tolist(), strict=True))
    others = distinct(titles.targets)
    called = zip(others.tolist(), reader.entities(others), strict=True)
    parts_of = {other: loose_name(entity.name).split() for other, entity in called}
    rows = list(bearers.values())
    pairs = {
        (row, subjects[chunk])
        for owner, chunk in zip(owners, passages, strict=True)
        if chunk in subjects
        for row in rows[owner]
    }
    return {(row, other) for row, other in pairs if row != other and _go_together(wanted[row], parts_of[other])}


def _ending_in_a_name(name: str) -> list[str]:
    """Return the normalized words of a name that ends in a last name; empty if the name has a qualifier."""
    parts = loose_name(name).split()
    is_qualified = without_qualifier(name) != name
    if is_qualified or not parts or len(parts[-1]) < _SHORTEST or not name.rsplit(maxsplit=1)[-1][0].isupper():
        return []
    return parts


def _go_together(name: list[str], other: list[str]) -> bool:
    """Return whether two names share a last name and do not look like two members of a family.

    >>> _go_together(["king", "dikkha"], ["min", "dikkha"]), _go_together(["ada", "falk"], ["mira", "falk"])
    (True, False)
    """
    if name[-1] != other[-1]:
        return False
    return min(len(name), len(other)) == 1 or name[0] == other[0] or name[0] in _STYLES


@lru_cache(maxsize=8_192)
def _forms(name: str) -> tuple[str, ...]:
    """Return normalized forms of a name and of names contained in it; empty if the name has a qualifier.

    >>> _forms("King Saw Hla of Arakan"), _forms("Mercury (planet)")
    (('king saw hla of arakan', 'hla of arakan', 'saw hla of arakan', 'king saw hla'), ())
    """
    if without_qualifier(name) != name:
        return ()
    words = name.split()
    within = [" ".join(words[first:]) for first in range(len(words) // 2, 0, -1)]
    head = _AFTER_NAME.split(name, maxsplit=1)[0]
    if head != name:
        within.append(head)
    return (loose_name(name), *(loose_name(form) for form in within if _is_name(form)))


def _is_name(form: str) -> bool:
    return len(form) >= _SHORTEST and form[0].isupper()
