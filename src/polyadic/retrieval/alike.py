"""Entities whose names say that they may be one: "S. R. Puttanna Kanagal" and "Puttanna Kanagal".

A language model names things as each passage does. What a passage calls by a longer name than the title of another
document does is joined while a question is answered, and only then: evidence and identity stay as they are.
"""

import re
from collections.abc import Iterator

import numpy as np

from polyadic.identity import loose_name, without_qualifier
from polyadic.store.protocol import Links, Reader, Rows

_AFTER_NAME = re.compile(r"(?:,| of | von | de | du | der )")
_SHORTEST = 4
_MOST_HOMONYMS = 3


def alike(entities: Rows, reader: Reader) -> Links:
    """For each entity those that name a document, and whose name is also its own or stands within its own.

    A name within another is its end from half of the words on ("king Gundobad"), or what comes before a comma or
    before "of" ("Lothair II of Lotharingia"). A name that more than three entities bear says nothing; nor, measured
    on the even-numbered questions of two sets, does one that names no document.
    """
    wanted = {
        row: list(_forms(entity.name)) for row, entity in zip(entities.tolist(), reader.entities(entities), strict=True)
    }
    known = reader.named(list(dict.fromkeys(form for forms in wanted.values() for form in forms)))
    pairs = [
        (row, other)
        for row, forms in wanted.items()
        for form in forms
        if len(known.get(form, ())) <= _MOST_HOMONYMS
        for other in known.get(form, ())
        if other != row
    ]
    table = np.array(sorted(set(pairs)), dtype=np.int64).reshape(-1, 2)
    names_a_document = np.isin(table[:, 1], reader.titled(np.unique(table[:, 1]), 1).sources)
    return Links(table[names_a_document, 0], table[names_a_document, 1])


def _forms(name: str) -> Iterator[str]:
    """Loose forms of a name and of the names that it may hold; none of one that is told from others of its name.

    >>> list(_forms("King Saw Hla of Arakan")), list(_forms("Mercury (planet)"))
    (['king saw hla of arakan', 'hla of arakan', 'saw hla of arakan', 'king saw hla'], [])
    """
    if without_qualifier(name) != name:
        return
    yield loose_name(name)
    words = name.split()
    for first in range(len(words) // 2, 0, -1):
        if _tells(form := " ".join(words[first:])):
            yield loose_name(form)
    head = _AFTER_NAME.split(name, maxsplit=1)[0]
    if head != name and _tells(head):
        yield loose_name(head)


def _tells(form: str) -> bool:
    return len(form) >= _SHORTEST and form[0].isupper()
