"""Which known word a misspelled one may stand for."""

from collections.abc import Mapping

LEAST, _LONG = 6, 9
"""Letters of the shortest word that is corrected, and of one in which two edits may be needed."""


def likely_word(word: str, known: Mapping[str, int]) -> str | None:
    """The known word that is fewest edits away, of several the most frequent; None where none is near.

    One edit is looked for, in long words two; the first letter is taken to be right. All in lower case.

    Parameters
    ----------
    word
        What may be misspelled.
    known
        Words with how often each occurs.

    >>> likely_word("debain", {"debian": 3, "debit": 9}), likely_word("roman", {"romania": 1})
    ('debian', None)
    """
    if len(word) < LEAST:
        return None
    most = 2 if len(word) >= _LONG else 1
    near = [other for other in known if other[0] == word[0] and abs(len(other) - len(word)) <= most]
    distances = {other: edits(word, other) for other in near}
    likely = [other for other, distance in distances.items() if distance <= most]
    return min(likely, key=lambda other: (distances[other], -known[other], other), default=None)


def edits(first: str, second: str) -> int:
    """The optimal string alignment distance: letters added, left out, changed, or swapped with the next one.

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
