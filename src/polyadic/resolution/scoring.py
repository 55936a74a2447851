"""Score how likely two entities are the same, by their names and their context in the store.

A score approximates the share of such pairs that annotators merged in the even-numbered documents of Re-DocRED
(benchmarks/entity_resolution.py), or is a conservative guess if there are few such pairs.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from polyadic.model.identity import normal_text
from polyadic.model.types import Entity
from polyadic.model.value_entities import VALUE_TYPES
from polyadic.resolution.descriptions import content_words
from polyadic.resolution.features import ResolutionFeatures
from polyadic.resolution.name_similarity import NameSimilarity, SimilarityKind
from polyadic.resolution.parsed_name import LEGAL, ParsedName
from polyadic.text.stopwords import words as listed

LEAST = 0.3
"""Minimum score of a candidate pair."""

_PERSON = listed("person per people human man woman politician author actor scientist musician player")
_ORGANIZATION = listed("organization organisation org company agency institution university team party band business")
_PLACE = listed("location loc place city town country state region river mountain gpe geo province county village")
_NAMED_TYPES = (
    _PERSON,
    _PLACE,
    _ORGANIZATION,
    listed("event war battle election conference"),
    listed("work book film movie song album publication magazine newspaper"),
)
# A magazine is a work and the company that publishes it.
_PUBLICATIONS = listed("publication magazine newspaper")
_TYPE_FAMILIES = (
    *(words | _PUBLICATIONS if words is _ORGANIZATION else words for words in _NAMED_TYPES),
    VALUE_TYPES,
)
# Two names in one fact rarely refer to the same entity, unless the fact says so; factors by similarity.
_COOCCURRENCE_FACTORS = {
    SimilarityKind.SPELLING: 0.95,
    SimilarityKind.ACRONYM: 1.0,
    SimilarityKind.QUALIFIED: 0.7,
    SimilarityKind.INITIALS: 0.9,
}
# An added word may change the kind of thing, and a single letter may make another word.
_DISTINGUISHED_BY_DESCRIPTIONS = frozenset(
    (SimilarityKind.QUALIFIED, SimilarityKind.LAST, SimilarityKind.FIRST, SimilarityKind.SLIP)
)


@dataclass(frozen=True, slots=True)
class PairScore:
    """A score in [0, 1], and an explanation for users."""

    score: float
    why: str


@dataclass(frozen=True, slots=True)
class _Context:
    """Context of two entities: shared documents, co-occurrence in a fact, and uniqueness of the short form."""

    one: Entity
    other: Entity
    share: bool
    within: bool
    only: bool
    together: bool
    defined: bool


class PairScorer:
    """Score pairs of entities.

    Parameters
    ----------
    census
        Features of all entities.
    signs
        Pairs with their name similarity; they give the number of long forms of each short form.
    kept
        Keys of entities that a decision keeps as one, so that their names are not ambiguous.
    """

    def __init__(
        self,
        census: ResolutionFeatures,
        signs: Collection[tuple[tuple[int, int], NameSimilarity]],
        kept: Collection[str] = (),
    ) -> None:
        self._census = census
        self._kept = kept
        self._long_forms = Counter(pair[sign.short] for pair, sign in signs if sign.short is not None)

    def judge(self, pair: tuple[int, int], sign: NameSimilarity, together: bool, cosine: float) -> PairScore | None:
        """Score a pair; None if the score is too low for a candidate.

        Parameters
        ----------
        pair, sign
            Rows of the entities, and the similarity of their names.
        together
            Whether a fact connects both.
        cosine
            Cosine similarity of the vectors of their names and descriptions.
        """
        seen = self._context(pair, sign, together)
        names = (self._census.names[pair[0]], self._census.names[pair[1]])
        score = _by_names(names, sign, seen)
        reasons = [sign.likeness.value]
        if seen.defined:
            score, reasons = max(score, 0.96), [*reasons, "a fact gives one in parentheses after the other"]
        elif together and sign.likeness is not SimilarityKind.STATED:
            score *= _COOCCURRENCE_FACTORS.get(sign.likeness, 0.6)
            reasons.append("but one fact connects both")
        if sign.short is not None and not seen.only:
            short = self._census.entities[pair[sign.short]].key
            reasons.append(
                f"but {'several long forms match' if short in self._kept else 'the short form is ambiguous'}"
            )
        reasons.append("named in the same documents" if seen.within else "" if seen.share else "in no common document")
        if conflicting(seen.one.type, seen.other.type):
            score *= 0.5
            reasons.append(f"but one is {seen.one.type}, the other {seen.other.type}")
        if seen.one.description and seen.other.description:
            score += min(0.05, max(-0.1, 0.2 * (cosine - 0.5)))
            reasons.append(f"descriptions {'' if cosine >= 0.5 else 'dis'}similar ({cosine:.2f})")
            if sign.likeness in _DISTINGUISHED_BY_DESCRIPTIONS:
                factor, reason = self._by_kinds(pair, seen)
                score, reasons = score * factor, [*reasons, reason]
        rounded = round(min(1.0, max(0.0, score)), 2)
        return PairScore(rounded, "; ".join(filter(None, reasons))) if rounded >= LEAST else None

    def _by_kinds(self, pair: tuple[int, int], seen: _Context) -> tuple[float, str]:
        """Return a factor and its reason; below 1 if types or descriptions indicate two different kinds of things."""
        short, long = sorted(pair, key=lambda row: len(self._census.names[row].text))
        if kind := self._census.descriptions.other_kind(short, long):
            return 0.5, f"but only one is described as {kind}"
        types = content_words(seen.one.type), content_words(seen.other.type)
        if types[0] and types[1] and not types[0] & types[1] and not share_family(seen.one.type, seen.other.type):
            return 0.75, f"but one is {seen.one.type}, the other {seen.other.type}"
        return 1.0, ""

    def _context(self, pair: tuple[int, int], sign: NameSimilarity, together: bool) -> _Context:
        one, other = (set(self._census.documents_of(row).tolist()) for row in pair)
        short, long = (one, other) if sign.short == 0 else (other, one)
        within = short <= long if sign.short is not None else bool(one & other)
        only = sign.short is None or self._long_forms[pair[sign.short]] == 1
        entities = (self._census.entities[pair[0]], self._census.entities[pair[1]])
        defined = (
            together and sign.likeness is SimilarityKind.ACRONYM and self._census.says_both(*pair, _in_parentheses)
        )
        return _Context(*entities, bool(one & other), within, only, together, defined)


def conflicting(one: str, other: str) -> bool:
    """Return whether two types exclude each other.

    >>> conflicting("person", "city"), conflicting("person", "politician"), conflicting("", "city")
    (True, False, False)
    """
    families = _families(one), _families(other)
    return bool(families[0] and families[1] and not families[0] & families[1])


def has_many_roles(kind: str) -> bool:
    """Return whether entities of this type are described by roles: persons, places, organizations and values."""
    return any(kind.casefold() in words for words in (_PERSON, _PLACE, _ORGANIZATION, VALUE_TYPES))


def share_family(one: str, other: str) -> bool:
    """Return whether two types are of one family: both persons, both places, and so on.

    >>> share_family("city", "place"), share_family("city", "spacecraft")
    (True, False)
    """
    return bool(_families(one) & _families(other))


def _families(kind: str) -> set[int]:
    return {number for number, words in enumerate(_TYPE_FAMILIES) if kind.casefold() in words}


def _by_names(names: tuple[ParsedName, ParsedName], sign: NameSimilarity, seen: _Context) -> float:
    """Base score by name similarity and document context."""
    sure = seen.only and seen.within
    match sign.likeness:
        case SimilarityKind.SPELLING:
            if _may_be_two_words(*names) and not _share_named_type(seen):
                return 0.8
            return 0.97 if seen.share or len(names[0].words) > 1 else 0.92 if len(names[0].squeezed) > 4 else 0.7
        case SimilarityKind.AMERICAN:
            return 0.8
        case SimilarityKind.QUALIFIED:
            return 0.7 if seen.share else 0.55
        case SimilarityKind.ORDER:
            return 0.95 if _is_inverted(*names) or _is_inverted(*reversed(names)) else 0.55
        case SimilarityKind.LEGAL:
            both = all(set(name.words) & LEGAL for name in names)
            return 0.6 if both else 0.93 if _names_a_firm(names, seen) else 0.75
        case SimilarityKind.ACRONYM:
            letters = min(len(name.squeezed) for name in names)
            return (0.93 if letters > 2 else 0.85) if sure else 0.75 if seen.only and seen.share else 0.4
        case SimilarityKind.INITIALS:
            return 0.92 if sure else 0.7 if seen.only else 0.5
        case SimilarityKind.MIDDLE:
            return 0.8 if sure else 0.5
        case SimilarityKind.LAST:
            return _by_last_name(seen, sure)
        case SimilarityKind.FIRST:
            return 0.5 if sure and _are_persons(seen) else 0.35 if sure else 0.3
        case SimilarityKind.SLIP:
            return 0.5 if seen.share else 0.4
        case SimilarityKind.STATED:
            return 0.75
        case SimilarityKind.MEANING:
            return 0.45


def _by_last_name(seen: _Context, sure: bool) -> float:
    """Score Curtis and Ian Curtis: likely for a person if there is no other Curtis, less so for places and works."""
    if _are_persons(seen):
        return 0.86 if sure else 0.45
    return 0.6 if sure and not seen.one.type else 0.4 if sure else 0.3


def _may_be_two_words(one: ParsedName, other: ParsedName) -> bool:
    """Whether single words differ in accents, as "Forderung" and "Förderung"; in longer names accents do not matter."""
    return one.accented != other.accented and len(one.words) == 1


def _names_a_firm(names: tuple[ParsedName, ParsedName], seen: _Context) -> bool:
    """Whether the name without legal form is also the company: Monsters, Inc. is not Monsters, nor War, Inc. war."""
    if any(name.text[0].islower() for name in names):
        return False
    return len(names[0].core) > 1 or (
        seen.share and all(_is_one_of(_ORGANIZATION, one) for one in (seen.one, seen.other))
    )


def _share_named_type(seen: _Context) -> bool:
    """Whether both have the same type of named thing: person, place, organization, event or work."""
    return any(_is_one_of(kinds, seen.one) and _is_one_of(kinds, seen.other) for kinds in _NAMED_TYPES)


def _is_one_of(kinds: frozenset[str], entity: Entity) -> bool:
    return entity.type.casefold() in kinds


def _are_persons(seen: _Context) -> bool:
    return _is_one_of(_PERSON, seen.one) and _is_one_of(_PERSON, seen.other)


def _is_inverted(one: ParsedName, other: ParsedName) -> bool:
    """Whether one is the other with the last name first: "Lovelace, Ada"."""
    last, comma, first = one.text.partition(",")
    return bool(comma) and ParsedName.of(f"{first} {last}").words == other.words


def _in_parentheses(text: str, one: str, other: str) -> bool:
    """Return whether a text gives one name in parentheses after the other.

    >>> _in_parentheses("The Monetary Fund (IMF) lends.", "IMF", "Monetary Fund")
    True
    """
    folded = normal_text(text).casefold().replace("( ", "(").replace(" )", ")")
    pairs = ((one.casefold(), other.casefold()), (other.casefold(), one.casefold()))
    return any(f"{long} ({short})" in folded for long, short in pairs)
