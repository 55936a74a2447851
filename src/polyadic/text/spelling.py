"""Correct misspelled words against known words; English words are no misspellings."""

import gzip
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from string import ascii_lowercase

from polyadic.text.tokens import frequency_rank

LEAST, _LONG, MOST = 6, 9, 40
"""Minimum length of a word that is corrected, of one that may differ by two edits, and maximum length.

Longer words are identifiers or noise, and the number of their typing errors grows with their length.
"""

# A word of a smaller rank is common, whatever it resembles. Behind it there are frequent misspellings as well: they are
# no English words, and slips in a word that is at least so many times as frequent.
_COMMON, _TIMES_AS_FREQUENT = 30_000, 3
_PLACES = {
    letter: (row, column)
    for row, keys in enumerate(("qwertyuiop", "asdfghjkl", "zxcvbnm"))
    for column, letter in enumerate(keys)
}
# Letters that stand for the same sound.
_SAME_SOUND = tuple(
    map(
        frozenset,
        (
            "aeiouäöüáéíóúàèìòùâêîôû", "iyj", "ckq", "szcßç", "fv", "vw", "dt", "bp", "gj", "mn", "nñ",
            "аеёиоуыэюя", "зс", "дт", "бп", "гк", "вф", "жш", "шщ", "йи",
        ),
    )
)  # fmt: skip
_ENDINGS: Mapping[str, Sequence[str]] = {
    "en": ("", "s", "es", "e", "ed", "er", "ers", "ing", "ings", "ly", "ion", "ions", "or", "ors", "y", "ies", "ied"),
    "de": ("", "e", "en", "em", "er", "es", "ern", "n", "s", "t", "te", "ten", "tes", "st", "end", "ung", "ungen"),
}
_SHORTEST_STEM = {"en": 4, "de": 5}
# English doubles a letter at the end of a stem only before a vowel ("splitting", not "splitts"), but for these.
_OFTEN_DOUBLE = "lsfz"
_VOWELS = ("a", "e", "i", "o", "u")


def likely_word(word: str, known: Mapping[str, int]) -> str | None:
    """Return the known word with the smallest edit distance, ties by frequency; None if none is close.

    One edit is allowed, in long words two; the first letter must match, and :func:`may_be_typo` decides whether the
    word may be meant. All words are in lower case.

    Parameters
    ----------
    word
        Word that may be misspelled.
    known
        Known words with their frequencies.

    >>> likely_word("debain", {"debian": 3, "debit": 9}), likely_word("roman", {"romania": 1})
    ('debian', None)
    """
    if not LEAST <= len(word) <= MOST:
        return None
    max_edits = 2 if len(word) >= _LONG else 1
    near = [other for other in known if other[0] == word[0] and abs(len(other) - len(word)) <= max_edits]
    distances = {other: edits(word, other) for other in near}
    likely = [other for other, distance in distances.items() if distance <= max_edits and may_be_typo(word, other)]
    return min(likely, key=lambda other: (distances[other], -known[other], other), default=None)


def typo_candidates(word: str) -> list[str]:
    """Return the words of which this may be a typing error, most likely first.

    Candidates: two letters swapped, a double letter typed once or a single one twice, a letter omitted. Substitutions
    are left out, because they turn too many correct words into others. The first letter is assumed to be correct.

    >>> [right in typo_candidates(wrong) for wrong, right in (("sentaor", "senator"), ("goverment", "government"))]
    [True, True]
    """
    if not LEAST <= len(word) <= MOST or not word.isascii():
        return []
    omitted = (word[:at] + letter + word[at:] for at in range(1, len(word)) for letter in ascii_lowercase)
    return [other for other in dict.fromkeys([*_slips(word), *omitted]) if other != word]


def may_be_typo(word: str, other: str) -> bool:
    """Return whether a word that is one or two edits from another may be a misspelling of it.

    A common word or an English one is none, and a short word only if the edit is one that is easily made: letters
    swapped, doubled or left out, a neighbouring key, a letter of the same sound. A common word with a letter after it
    is a name that was made from that word.

    >>> [may_be_typo("foldre", "folder"), may_be_typo("folder", "folded"), may_be_typo("storing", "string")]
    [True, False, False]
    >>> may_be_typo("recieve", "receive"), may_be_typo("dessert", "desert"), may_be_typo("ordner", "order")
    (True, False, False)
    >>> may_be_typo("causal", "casual"), may_be_typo("deprecation", "depreciation")
    (False, False)
    >>> may_be_typo("systemd", "systems"), may_be_typo("foldrs", "folders")
    (False, True)
    """
    if is_rare_english_word(word) or _is_extended(word, other):
        return False
    is_slip = other in _slips(word)
    rank = frequency_rank(word)
    if rank is not None:
        rank_of_other = frequency_rank(other)
        is_rarer = rank_of_other is not None and rank >= _TIMES_AS_FREQUENT * rank_of_other
        return is_slip and is_rarer and rank >= _COMMON
    return is_slip or len(word) >= _LONG or _is_easy_edit(word, other)


def is_rare_english_word(word: str) -> bool:
    """Return whether the word list of pyspellchecker has a word in lower case; the most frequent need not be listed.

    The first call reads the list of 160,000 words, which takes a fiftieth of a second.

    >>> [is_rare_english_word(word) for word in ("causal", "deprecation", "recieve")]
    [True, True, False]
    """
    lines, start = _english_words(), f'"{word}":'.encode()
    place = bisect_left(lines, start)
    return place < len(lines) and lines[place].startswith(start)


@cache
def _english_words() -> list[bytes]:
    """Return the sorted lines of the list, a JSON object with a word and a number in each line."""
    # Parsing the JSON takes four times as long, and the constructor of SpellChecker eight times.
    packed = files("spellchecker").joinpath("resources/en.json.gz").read_bytes()
    return gzip.decompress(packed).splitlines()[1:-1]


def inflections(word: str, language: str) -> list[str]:
    """Return words that would be other forms of a word: its beginning with other regular endings.

    English and German; for other languages the list is empty.

    >>> [form in inflections("folders", "en") for form in ("folder", "folded", "fold", "foldre")]
    [True, True, True, False]
    """
    endings = _ENDINGS.get(language, ())
    bases = [word.removesuffix(ending) for ending in endings if word.endswith(ending)]
    if language == "en":
        bases = [base for base in bases if not _is_doubled(base) or word[len(base) :][:1] in _VOWELS]
    pairs = ((base, ending) for base in bases for ending in endings if len(base) >= _SHORTEST_STEM[language])
    # "access" and "acces" are no forms of each other.
    forms = (base + ending for base, ending in pairs if not (base.endswith("s") and ending == "s"))
    return [form for form in dict.fromkeys(forms) if form != word and not (form.endswith("s") and f"{form}s" == word)]


def _is_doubled(base: str) -> bool:
    return base[-1:] == base[-2:-1] and base[-1:] not in _OFTEN_DOUBLE


def _slips(word: str) -> list[str]:
    """Return the words with two letters of this one swapped, or with one doubled or a double one typed once."""
    places = range(1, len(word))
    swapped = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in places[:-1]]
    doubled = [word[: at + 1] + word[at:] for at in places]
    return [*swapped, *doubled, *(word[:at] + word[at + 1 :] for at in places if word[at] == word[at - 1])]


def _is_extended(word: str, other: str) -> bool:
    """Return whether two words end differently after a common word: "systemd" and "systems", but not "foldre"."""
    stem = word[:-1]
    return len(other) == len(word) and other[:-1] == stem and frequency_rank(stem) is not None


def _is_easy_edit(word: str, other: str) -> bool:
    """Return whether one letter was left out, is a neighbouring key, or was replaced by one of the same sound."""
    if len(other) > len(word):
        return True
    at = next((at for at, (mine, its) in enumerate(zip(word, other, strict=False)) if mine != its), len(other))
    if len(other) == len(word):
        pair = frozenset((word[at], other[at]))
        return _are_neighbours(*pair) or any(pair <= sound for sound in _SAME_SOUND)
    return any(_are_neighbours(word[at], letter) for letter in word[max(0, at - 1) : at + 2])


def _are_neighbours(first: str, second: str) -> bool:
    """Return whether two letters are next to each other on a keyboard, in one row or in rows one above the other."""
    if first not in _PLACES or second not in _PLACES:
        return False
    (row, column), (other_row, other_column) = _PLACES[first], _PLACES[second]
    return first != second and abs(row - other_row) <= 1 and abs(column - other_column) <= 1


def edits(first: str, second: str) -> int:
    """Compute the optimal string alignment distance (insertion, deletion, substitution, transposition).

    >>> edits("debain", "debian"), edits("overide", "override"), edits("razer", "razor")
    (1, 1, 1)
    """
    before: list[int] = []
    last = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        row = [i]
        for j, other in enumerate(second, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
