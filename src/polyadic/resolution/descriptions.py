"""Descriptions as evidence of identity: whether they single out an entity, state another name, or give another kind.

A model describes many entities alike ("cosmonaut of Soyuz 16", "cosmonaut of Soyuz 22"), so similar vectors alone are
no evidence. What counts is that no third entity fits the words that two descriptions share.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, reduce

from polyadic.model.types import Entity
from polyadic.resolution.parsed_name import SMALL, ParsedName
from polyadic.text.stopwords import function_words
from polyadic.text.stopwords import words as listed
from polyadic.text.words import WORD, words

_FUNCTION_WORDS = function_words("en") | SMALL
_MIN_SHARED = 2
_MAX_NAME_WORDS = 6
_PUNCTUATION = ".,;:()\"'“”"
_MAX_SKIPPED = 2
_MAX_PHRASE = 3
_EMPTY_NOUNS = listed("type kind sort form name part piece member one pair example title")
_DETERMINERS = listed("a an the der die das el la le il")
_AFTER_A_GENUS = listed("of to that which who whose where for in and de des du del della di da von van der et und y")
# "name of Gzhatsk since 1968", "a town, renamed Gagarin"; not "named after Yuri Gagarin".
_ALIAS_CUE = re.compile(
    r"\b(?:(?:nick)?name (?:of|for)|(?:alias|pseudonym|abbreviation|acronym|synonym) (?:of|for)|short for|stands for"
    r"|known as|renamed(?: to| as)?|nicknamed|dubbed|also called|now called|once called|formerly|alias|née)\s",
    re.IGNORECASE,
)


class DescriptionIndex:
    """The descriptions of all entities, by row.

    Parameters
    ----------
    entities, names
        The entities and their parsed names.
    """

    def __init__(self, entities: Sequence[Entity], names: Sequence[ParsedName]) -> None:
        self._entities = entities
        self._names = names

    def single_out(self, one: int, other: int, share: float) -> bool:
        """Return whether two descriptions agree, and no third entity has all the words that they share.

        Parameters
        ----------
        one, other
            Rows of the entities.
        share
            Minimum share of common words, in (0, 1].
        """
        both = self._words[one], self._words[other]
        shared = both[0] & both[1]
        if len(shared) < _MIN_SHARED or len(shared) < share * len(both[0] | both[1]):
            return False
        if _named(self._entities[one].description) != _named(self._entities[other].description):
            return False
        rows = sorted((self._rows[word] for word in shared), key=len)
        return reduce(set.intersection, rows[1:], set(rows[0])) == {one, other}

    def stated_aliases(self) -> Iterator[tuple[int, int]]:
        """Yield pairs of rows of which one description gives the name of the other: "name of Gzhatsk since 1968"."""
        cues = [
            (row, cue) for row, entity in enumerate(self._entities) for cue in _ALIAS_CUE.finditer(entity.description)
        ]
        rows = {name.words: row for row, name in enumerate(self._names)} if cues else {}
        for row, cue in cues:
            other = next((rows[name] for name in _names_at(cue.string[cue.end() :]) if name in rows), row)
            if other != row:
                yield min(row, other), max(row, other)

    def other_kind(self, short: int, long: int) -> str:
        """Return the word of the longer name that is its kind, and not that of the shorter one; empty if there is none.

        "Saratov region" is described as a region, "Saratov" as a city: the added word tells them apart. "Project
        Gemini" and "Gemini" are both described as programmes, so the added word says nothing.
        """
        if not self._entities[short].description or not self._entities[long].description:
            return ""
        added = [word for word in words_in_order(self._names[long].text) if word not in self._names[short].words]
        own, others = self._described(long), self._described(short)
        if any(word in others for word in added):
            return ""
        return next((word for word in added if word in own), "")

    @cached_property
    def _words(self) -> list[frozenset[str]]:
        return [content_words(entity.description) for entity in self._entities]

    @cached_property
    def _rows(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for row, described in enumerate(self._words):
            for word in described:
                found[word].add(row)
        return found

    def _described(self, row: int) -> frozenset[str]:
        return self._words[row] | content_words(self._entities[row].type)


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text other than function words.

    >>> sorted(content_words("command module of Apollo 11"))
    ['11', 'apollo', 'command', 'module']
    """
    return words(text) - _FUNCTION_WORDS


def words_in_order(text: str) -> list[str]:
    """Return the content words of a text in order.

    >>> words_in_order("Endeavour (Crew Dragon)")
    ['endeavour', 'crew', 'dragon']
    """
    return [word for word in WORD.findall(text.lower()) if word not in _FUNCTION_WORDS]


def _named(text: str) -> frozenset[str]:
    """Words of names and numbers: those with capitals or digits, such as "Soyuz" and "T-12"."""
    parts = (part.strip(_PUNCTUATION) for part in text.split())
    return frozenset(part for part in parts if part != part.lower() or any(map(str.isdigit, part)))


def genus(description: str) -> tuple[str, ...]:
    """Return the words of a description before its first function word: what kind of thing it describes.

    Empty if no noun of a definition can be expected there: what follows is not "of", a relative clause or the end of a
    short phrase, or the noun only points to another one ("type of").

    >>> genus("command module of Apollo 11"), genus("the Shuttle that was lost"), genus("where Gagarin landed")
    (('command', 'module'), ('shuttle',), ())
    >>> genus("flew on Soyuz TM-32")
    ()
    """
    found: list[str] = []
    for part in re.finditer(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]", description):
        word = part[0].casefold()
        if not word[0].isalnum():
            break
        if word in _FUNCTION_WORDS:
            if not found and word in _DETERMINERS:
                continue
            return tuple(found) if word in _AFTER_A_GENUS and found[-1:] and found[-1] not in _EMPTY_NOUNS else ()
        found.append(word)
    return tuple(found) if len(found) <= _MAX_PHRASE else ()


def _names_at(text: str) -> Iterable[tuple[str, ...]]:
    """Yield the names that may begin a text, the longest first; lower-case words before a name are skipped."""
    parts = text.split()[: _MAX_NAME_WORDS + _MAX_SKIPPED]
    written = [part.strip(_PUNCTUATION) for part in parts]
    for start in range(min(_MAX_SKIPPED + 1, len(written))):
        if any(not word.islower() for word in written[:start]):
            return
        for end in range(min(start + _MAX_NAME_WORDS, len(written)), start, -1):
            if parts[end - 1][-1].isalnum() and end < len(parts) and parts[end][0].isupper():
                continue  # a part of a longer name
            yield ParsedName.of(" ".join(written[start:end])).words
