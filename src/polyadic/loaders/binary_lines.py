"""Binary data within text, as in a patch of a picture that was sent as a message."""

from collections.abc import Sequence

NOTE = "[binary data left out]"
"""What stands in the text where lines of binary data were."""

_REPLACED = "\ufffd"
_LEAST_SHARE = 0.15
_LEAST_LINES = 3
# Lines between two of binary data that may be readable by chance.
_MOST_BETWEEN = 4


def without_binary_lines(text: str) -> str:
    r"""The text with a note in the place of each run of lines that are mostly undecodable.

    >>> without_binary_lines("+++ b/a.png\n" + "\ufffd\ufffdP\n" * 9 + "-- \nAda")
    '+++ b/a.png\n[binary data left out]\n-- \nAda'
    """
    if _REPLACED not in text:
        return text
    lines = text.split("\n")
    binary = [place for place, line in enumerate(lines) if line.count(_REPLACED) > _LEAST_SHARE * len(line)]
    kept: list[str] = []
    end = 0
    for first, last in _runs(binary):
        kept += [*lines[end:first], NOTE]
        end = last + 1
    return "\n".join([*kept, *lines[end:]])


def _runs(binary: Sequence[int]) -> list[tuple[int, int]]:
    """The first and last lines of runs of binary lines that are long enough, with what stands between."""
    runs: list[list[int]] = []
    for place in binary:
        if runs and place - runs[-1][-1] <= _MOST_BETWEEN + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return [(run[0], run[-1]) for run in runs if len(run) >= _LEAST_LINES]
