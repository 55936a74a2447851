"""Calibration of the scores of facts for docs/quality-scores.md: ``python -m benchmarks.fact_scores [FOLDER]``.

It computes the tables from the recorded verdicts. With FOLDER, it first fills workspaces there, draws the sample again
and checks that it is the recorded one.
"""

import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.data import filled, load
from benchmarks.recorded_contexts import recorded_contexts
from benchmarks.recorded_workspace import RECORDED, recorded_workspace
from benchmarks.report_sections import DOCS, rewrite
from polyadic.workspace import Workspace

VERDICTS = Path(__file__).parent / "fact_scores.tsv"
PAGE = DOCS / "quality-scores.md"
HEADING = "## Results"
PER_SET = 100
SEED = 0
HIGHEST = 10.0


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """A fact with its score and the verdicts on its text and on its participants."""

    group: str
    fact: str
    score: float
    text_is_right: bool
    participants: bool

    @property
    def right(self) -> bool:
        return self.text_is_right and self.participants


def main() -> None:
    facts = read()
    if len(sys.argv) > 1:
        check_sample(facts, Path(sys.argv[1]))
    rewrite(PAGE, HEADING, tables(facts))


def read() -> list[JudgedFact]:
    """Read the recorded verdicts."""
    _, *lines = VERDICTS.read_text(encoding="utf-8").splitlines()
    cells = (line.split("\t") for line in lines)
    return [JudgedFact(group, fact, float(score), said == "1", who == "1") for group, fact, score, said, who in cells]


def in_bin(score: float) -> float:
    """Return the bin of a score: the nearest half.

    >>> in_bin(8.2), in_bin(8.4)
    (8.0, 8.5)
    """
    return round(2 * score) / 2


def by_bin(facts: Sequence[JudgedFact]) -> Mapping[float, list[JudgedFact]]:
    """Group facts by the bin of their score, lowest first."""
    bins: defaultdict[float, list[JudgedFact]] = defaultdict(list)
    for fact in sorted(facts, key=lambda one: one.score):
        bins[in_bin(fact.score)].append(fact)
    return bins


def calibration_error(facts: Sequence[JudgedFact]) -> float:
    """Compute the expected calibration error of score / 10 as the probability that a fact is right, in [0, 1].

    >>> calibration_error([JudgedFact("", "", 8.0, True, True), JudgedFact("", "", 8.0, True, False)])
    0.30000000000000004
    """
    gaps = (
        len(bin_) * abs(np.mean([one.right for one in bin_]) - np.mean([one.score for one in bin_]) / HIGHEST)
        for bin_ in by_bin(facts).values()
    )
    return float(sum(gaps)) / len(facts)


def discrimination(facts: Sequence[JudgedFact]) -> float | None:
    """Compute the probability that a right fact scores higher than a wrong one (AUC); None without both kinds.

    >>> discrimination([JudgedFact("", "", 8.0, True, True), JudgedFact("", "", 6.0, True, False)])
    1.0
    """
    right, wrong = ([one.score for one in facts if one.right is kind] for kind in (True, False))
    if not right or not wrong:
        return None
    return float(np.mean([(a > b) + 0.5 * (a == b) for a in right for b in wrong]))


def tables(facts: Sequence[JudgedFact]) -> Iterator[str]:
    """Yield the lines of the section below its heading."""
    groups: defaultdict[str, list[JudgedFact]] = defaultdict(list)
    for fact in facts:
        groups[fact.group].append(fact)
    yield ""
    yield "| facts | judged | text right | participants right | both | mean score / 10 | calibration error | AUC |"
    yield "|---|---|---|---|---|---|---|---|"
    for group, of_group in groups.items():
        cells = [f"{np.mean([getattr(one, name) for one in of_group]):.2f}" for name in _SHARES]
        mean, auc = np.mean([one.score for one in of_group]) / HIGHEST, discrimination(of_group)
        cells += [f"{mean:.2f}", f"{calibration_error(of_group):.2f}", "–" if auc is None else f"{auc:.2f}"]
        yield f"| {group} | {len(of_group)} | {' | '.join(cells)} |"
    yield ""
    yield "Reliability by score:"
    yield ""
    yield "| facts | score | judged | right | share |"
    yield "|---|---|---|---|---|"
    for group, of_group in groups.items():
        for score, of_bin in by_bin(of_group).items():
            right = sum(one.right for one in of_bin)
            yield f"| {group} | {score:g} | {len(of_bin)} | {right} | {right / len(of_bin):.2f} |"


_SHARES = ("text_is_right", "participants", "right")


def check_sample(facts: Sequence[JudgedFact], folder: Path) -> None:
    """Draw the sample from filled workspaces; exit if it is not the recorded one."""
    with ExitStack() as stack:
        stack.enter_context(recorded_contexts(folder))
        workspaces = (
            stack.enter_context(filled(load(RECORDED), folder)),
            stack.enter_context(recorded_workspace(folder)),
            stack.enter_context(Workspace(folder / "spaceflight-with-a-model")),
        )
        drawn = {fact for workspace in workspaces for fact in sample(workspace)}
    if missing := {one.fact for one in facts} ^ drawn:
        sys.exit(f"{len(missing)} facts differ from the recorded sample: judge it again")


def sample(workspace: Workspace) -> list[str]:
    """Draw identifiers of facts, in turn from each bin of scores until there are enough."""
    with workspace.store().read() as reader:
        rows = np.arange(reader.size("fact"))
        scores = dict(zip((fact.id for fact in reader.facts(rows)), reader.scores("fact", rows).tolist(), strict=True))
    bins: defaultdict[float, list[str]] = defaultdict(list)
    for fact in sorted(scores):
        bins[in_bin(scores[fact])].append(fact)
    # Bins are shuffled in the order of their first fact.
    generator = random.Random(SEED)  # noqa: S311
    for of_bin in bins.values():
        generator.shuffle(of_bin)
    drawn: list[str] = []
    while len(drawn) < min(PER_SET, len(scores)):
        drawn += [bins[key].pop() for key in sorted(bins) if bins[key]][: PER_SET - len(drawn)]
    return drawn


if __name__ == "__main__":
    main()
