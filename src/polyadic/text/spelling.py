"""Correct misspelled words against known words."""

from collections.abc import Mapping
from string import ascii_lowercase

LEAST, _LONG, MOST = 6, 9, 40
"""Minimum length of a word that is corrected, of one that may differ by two edits, and maximum length.

Longer words are identifiers or noise, and the number of their typing errors grows with their length.
"""


def likely_word(word: str, known: Mapping[str, int]) -> str | None:
    """Return the known word with the smallest edit distance, ties by frequency; None if none is close.

    One edit is allowed, in long words two; the first letter must match. All words are in lower case.

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
    likely = [other for other, distance in distances.items() if distance <= max_edits]
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
    places = range(1, len(word))
    swapped = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in places[:-1]]
    doubled = [word[: at + 1] + word[at:] for at in places]
    halved = [word[:at] + word[at + 1 :] for at in places if word[at] == word[at - 1]]
    omitted = [word[:at] + letter + word[at:] for at in places for letter in ascii_lowercase]
    return [other for other in dict.fromkeys([*swapped, *doubled, *halved, *omitted]) if other != word]


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
