"""Measure robustness of retrieval for docs/quality.md: ``python -m benchmarks.robustness [FOLDER]``.

It measures the loss if documents have no titles or passages are concatenated into long documents, and the coverage of
gold passages within token budgets. FOLDER keeps the filled workspaces for the next run.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.corpora import EVERYTHING, RUN_TOGETHER, Corpus, Telling, corpora
from benchmarks.data import SETS
from benchmarks.holdout_log import note_look
from benchmarks.report_sections import QUALITY, given_folder, rewrite
from polyadic.evaluation.bootstrap import Interval, interval
from polyadic.evaluation.measures.all_gold import AllGold
from polyadic.evaluation.measures.passage_recall import PassageRecall
from polyadic.model.types import Item
from polyadic.retrieval.methods import chunks

HEADING = "## Without titles, without boundaries, within little room"
METHODS = ("chunks", "walk")
MANY_CHUNKS = 300
"""More chunks than fit into the largest budget."""
BUDGETS = (250, 500, 1000, 1500, 2000, 4000, 8000)
READ_TOKENS = 1500
_ABOUT = f"""
Made by `python -m benchmarks.robustness`, facts read without a model except where it says otherwise. *Titles withheld*:
the text of each passage alone. *{RUN_TOGETHER} in a document*: passages, also without titles, in a drawn order,
{RUN_TOGETHER} on as many lines of one document, with nothing else that marks where one ends. A passage is found as soon
as anything of it is; *text read* is the share of the gold passages' characters that is among the first
{READ_TOKENS:,} tokens, and shows best what long documents cost, because there a chunk may reach into several passages.
"""
RECALL, ALL_GOLD, READ = "recall@5", "all gold@8", "text read"
AIMS = {Telling.UNTITLED: (RECALL, 0.03), Telling.CONCATENATED: (READ, 0.05)}
"""Measure and maximum loss by form of the passages."""
_ROUNDING = 1e-9
_LOSSES = """
What is lost against the passages as they are, question by question (in brackets: 95 % paired bootstrap). The aim for
`walk`, over all questions: where titles are withheld, at most 0.03 of recall@5; where passages run together, at most
0.05 of the text read. *Within noise*: the interval lies on both sides of the aim.
"""
_CURVES = """
### Gold passages within a budget

The share of a question's gold passages of which something is among what fits into so many tokens. `chunks` retrieves
the 20 passages most like the question, which here are soon less than what fits; *the nearest that fit* are as many as
the budget holds. The differences are question by question, with paired intervals. The aim: `walk` covers more than
`chunks` up to 2,000 tokens, and not less up to 8,000.
"""

Scores = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Measured:
    """Scores of a method by measure and question."""

    corpus: Corpus
    method: str
    scores: Scores


def main() -> None:
    note_look("`benchmarks.robustness`")
    with given_folder() as folder:
        rewrite(QUALITY, HEADING, section(folder))


def section(folder: Path) -> Iterator[str]:
    """Yield the lines of the section below its heading."""
    wanted = [(name, telling) for name in SETS for telling in Telling]
    with corpora(wanted, folder) as opened:
        yield _ABOUT
        measured = [_measured(corpus, method) for corpus in opened[:-1] for method in METHODS]
        yield f"| passages | method | {RECALL} | odd half | {ALL_GOLD} | {READ} | odd half |\n|---|---|{'---|' * 5}"
        yield from map(_row, measured)
        yield _LOSSES
        yield f"| passages | method | {RECALL} | odd half | {READ} | odd half | aim |\n|---|---|{'---|' * 5}"
        yield from _losses(measured)
        yield _CURVES
        plain = [corpus for corpus, (_, telling) in zip(opened[:-1], wanted, strict=True) if telling is Telling.PLAIN]
        yield from _curves([*plain, opened[-1]])


def _measured(corpus: Corpus, method: str) -> Measured:
    retrieved = _retrieved(corpus, method)
    recall, all_gold = PassageRecall(5), AllGold(8)
    outcomes = [corpus.outcome(question, items) for question, items in zip(corpus.questions, retrieved, strict=True)]
    read = [
        corpus.read(question, items, READ_TOKENS) for question, items in zip(corpus.questions, retrieved, strict=True)
    ]
    return Measured(
        corpus,
        method,
        {
            RECALL: [recall.score(outcome) or 0.0 for outcome in outcomes],
            ALL_GOLD: [all_gold.score(outcome) or 0.0 for outcome in outcomes],
            READ: read,
        },
    )


def _retrieved(corpus: Corpus, method: str) -> list[Sequence[Item]]:
    return [corpus.workspace.retrieve(question.text, method, EVERYTHING).items for question in corpus.questions]


def _row(result: Measured) -> str:
    recall, read = result.scores[RECALL], result.scores[READ]
    cells = map(interval, (recall, recall[1::2], result.scores[ALL_GOLD], read, read[1::2]))
    return f"| {result.corpus.name} | `{result.method}` | {' | '.join(map(str, cells))} |"


def _losses(measured: Sequence[Measured]) -> Iterator[str]:
    """Yield the loss of each modified corpus against the unchanged one."""
    plain = {
        (result.corpus.questions, result.method): result
        for result in measured
        if result.corpus.telling is Telling.PLAIN
    }
    for result in measured:
        baseline = plain[result.corpus.questions, result.method]
        if baseline is not result:
            columns = [(measure, half) for measure in (RECALL, READ) for half in (slice(None), slice(1, None, 2))]
            cells = [signed(differences(result.scores[m], baseline.scores[m])[half]) for m, half in columns]
            yield f"| {result.corpus.name} | `{result.method}` | {' | '.join(cells)} | {_verdict(result, baseline)} |"


def _verdict(result: Measured, plain: Measured) -> str:
    """State whether the loss is within the aim, and whether that is statistically uncertain."""
    if result.method != "walk":
        return "–"
    measure, most = AIMS[result.corpus.telling]
    change = interval(differences(result.scores[measure], plain.scores[measure]))
    uncertainty = ", within noise" if change.low < -most - _ROUNDING and change.high >= -most else ""
    return (
        f"met{uncertainty}" if change.mean >= -most - _ROUNDING else f"missed by {-change.mean - most:.3f}{uncertainty}"
    )


def _curves(corpora: Sequence[Corpus]) -> Iterator[str]:
    yield f"| passages | method | {' | '.join(f'{budget:,}' for budget in BUDGETS)} |"
    yield f"|---|---|{'---|' * len(BUDGETS)}"
    for corpus in corpora:
        curves = {f"`{method}`": _curve(corpus, method) for method in ("chunks", "hypergraph", "walk")}
        with patch.object(chunks, "_MOST", MANY_CHUNKS):
            curves["the nearest that fit"] = _curve(corpus, "chunks")
        for name, curve in curves.items():
            yield _line(corpus, name, curve, lambda scores: f"{np.mean(scores):.3f}")
        for name in ("`chunks`", "the nearest that fit"):
            gains = [differences(*pair) for pair in zip(curves["`walk`"], curves[name], strict=True)]
            yield _line(corpus, f"`walk` less {name}", gains, signed)
            yield _line(corpus, "the same, odd half", [gain[1::2] for gain in gains], signed)


def _curve(corpus: Corpus, method: str) -> list[list[float]]:
    """Return the covered share of each question's gold passages, by budget."""
    retrieved = list(zip(corpus.questions, _retrieved(corpus, method), strict=True))
    return [[corpus.covered(question, items, budget) for question, items in retrieved] for budget in BUDGETS]


def _line(corpus: Corpus, name: str, cells: Sequence[Sequence[float]], shown: Callable[[Sequence[float]], str]) -> str:
    return f"| {corpus.name} | {name} | {' | '.join(map(shown, cells))} |"


def differences(now: Sequence[float], before: Sequence[float]) -> list[float]:
    """Return the differences question by question."""
    return [after - earlier for after, earlier in zip(now, before, strict=True)]


def signed(values: Sequence[float]) -> str:
    """Format a mean difference and its interval with signs."""
    mean_interval: Interval = interval(values)
    return f"{mean_interval.mean:+.3f} [{mean_interval.low:+.3f}, {mean_interval.high:+.3f}]"


if __name__ == "__main__":
    main()
