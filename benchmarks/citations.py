"""Measure the citations of answers by a language model: ``python -m benchmarks.citations [FOLDER]``.

``spaceflight-model/answers.jsonl`` of POLYADIC_DATA has answers to recorded requests, and for each statement a pattern
that matches the sentences that support it. What is quoted are sentences of ``examples/spaceflight``, read with recorded
facts. FOLDER keeps the workspace for the next run. The table is written into docs/citations.md.
"""

import asyncio
import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.data import data_folder
from benchmarks.holdout_log import note_look
from benchmarks.recorded_contexts import RECORDED, RecordedContexts, recorded_contexts
from benchmarks.report_sections import given_folder, rewrite
from polyadic.evaluation.bootstrap import Interval
from polyadic.generation.citation_attribution import Attribution, attribute
from polyadic.generation.citation_parser import marked
from polyadic.generation.cited_claims import Marker, marker_spans
from polyadic.generation.context import ContextPiece
from polyadic.model.identity import normal_text
from polyadic.model.types import Citation, SourceSpan

REPORT = Path(__file__).parents[1] / "docs" / "citations.md"
HEADING = "## How often they are right"
RESAMPLES = 10_000
_INTRODUCTION = """
Made by `python -m benchmarks.citations` from `spaceflight-model/answers.jsonl` in the folder that `POLYADIC_DATA`
names: replies of a large language model to 120 requests of four methods about `examples/spaceflight`, and for each of
their 297 statements a pattern of the sentences that support it. Precision is the share of the quoted sentences that
match. Recall is the share of the statements with a quoted sentence that matches: the citation recall of ALCE (Gao et
al. 2023), with patterns in place of an entailment model. The last three rows count the statements flagged as
unsupported: as the model wrote them, with their last number altered, and with another piece of the request in place of
the cited one. In brackets: 95 % bootstrap interval over the 30 questions. Constants were chosen on half of them.
"""
_NUMBER = re.compile(r"\d+(?!.*\d)")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of an answer, the markers after it, and what matches the sentences that support it."""

    start: int
    text: str
    markers: tuple[Marker, ...]
    supported_by: re.Pattern[str]

    def is_supported_by(self, place: SourceSpan) -> bool:
        return self.supported_by.search(normal_text(place.quote)) is not None


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """An answer with valid markers, what each of them may cite, the other pieces of its request, its statements."""

    question: str
    text: str
    cited: tuple[ContextPiece, ...]
    others: tuple[ContextPiece, ...]
    statements: tuple[Statement, ...]

    @property
    def is_held_out(self) -> bool:
        """Whether nothing was chosen on it; all answers to a question are in one half."""
        return hashlib.sha256(self.question.encode()).digest()[-1] % 2 == 1

    def uses_of(self, number: int) -> int:
        return Counter(marker.number for marker in marker_spans(self.text, len(self.cited)))[number]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was measured of a statement.

    Parameters
    ----------
    reused
        Whether its marker occurs again in the answer.
    precise
        For each sentence that is quoted for it, whether that supports it.
    recalled
        Whether any of them does.
    flagged
        Whether it is flagged as it is, with its last number altered (None if it has none), and with another piece of
        the request cited.
    """

    question: str
    is_held_out: bool
    reused: bool
    precise: tuple[bool, ...]
    recalled: bool
    flagged: tuple[bool, bool | None, bool]


def main() -> None:
    note_look("`benchmarks.citations`")
    with given_folder() as folder, recorded_contexts(folder) as contexts:
        outcomes, seconds = asyncio.run(_measure(contexts))
    slowest = 1000 * sorted(seconds)[int(0.95 * len(seconds))]
    took = f"{1000 * median(seconds):.0f} ms (median), 95 % of the answers at most {slowest:.0f} ms"
    body = "\n".join([_INTRODUCTION, *_table(outcomes), "", f"Attributing an answer took {took}.", ""])
    rewrite(REPORT, HEADING, body.splitlines())
    print(body)


async def _measure(contexts: RecordedContexts) -> tuple[list[Outcome], list[float]]:
    answers = await recorded_answers(contexts)
    await contexts.embedder.embed(["The first call loads the model."])
    outcomes: list[Outcome] = []
    seconds = []
    for answer in answers:
        started = time.perf_counter()
        attribution = await attribute(answer.text, answer.cited, contexts.embedder)
        seconds.append(time.perf_counter() - started)
        outcomes += [await _outcome(answer, statement, attribution, contexts) for statement in answer.statements]
    return outcomes, seconds


async def recorded_answers(contexts: RecordedContexts) -> list[RecordedAnswer]:
    answers = []
    for line in (data_folder() / RECORDED / "answers.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        pieces = await contexts.pieces(row["messages"][-1]["content"])
        parsed = marked(row["reply"], len(pieces))
        cited = tuple(pieces[number - 1] for number in parsed.numbers)
        others = tuple(pieces[n] for n in range(len(pieces)) if n + 1 not in parsed.numbers)
        statements = tuple(_statements(parsed.text, len(cited), row["statements"]))
        answers.append(RecordedAnswer(row["id"], parsed.text, cited, others, statements))
    return answers


def _statements(text: str, numbers: int, rows: Sequence[Mapping[str, Any]]) -> Iterator[Statement]:
    """Find each statement and the markers between it and the next words."""
    end = 0
    for row in rows:
        start = text.index(row["statement"], end)
        end = start + len(row["statement"])
        after = re.compile(r"[\s,.]*(?:\[\d+\][\s,.]*)*").match(text, end)
        last = after.end() if after else end
        markers = tuple(m for m in marker_spans(text, numbers) if end <= m.span.start < last)
        yield Statement(start, row["statement"], markers, re.compile("|".join(row["supported_by"])))


async def _outcome(
    answer: RecordedAnswer, statement: Statement, attribution: Attribution, contexts: RecordedContexts
) -> Outcome:
    quoted = _quoted(statement, attribution)
    right = tuple(statement.is_supported_by(citation.place) for citation in quoted)
    reused = any(answer.uses_of(marker.number) > 1 for marker in statement.markers)
    flagged = (
        _is_flagged(statement, attribution),
        await _is_flagged_with_another_number(answer, statement, contexts),
        await _is_flagged_with_another_source(answer, statement, contexts),
    )
    return Outcome(answer.question, answer.is_held_out, reused, right, any(right), flagged)


def _quoted(statement: Statement, attribution: Attribution) -> list[Citation]:
    starts = {marker.span.start for marker in statement.markers}
    return [citation for citation in attribution.citations if citation.at.start in starts]


def _is_flagged(statement: Statement, attribution: Attribution) -> bool:
    starts = {marker.span.start for marker in statement.markers}
    return any(
        not claim.supported and any(attribution.citations[n].at.start in starts for n in claim.citations)
        for claim in attribution.claims
    )


async def _is_flagged_with_another_number(
    answer: RecordedAnswer, statement: Statement, contexts: RecordedContexts
) -> bool | None:
    number = _NUMBER.search(statement.text)
    if number is None:
        return None
    digits = str((int(number[0]) + 3) % 10 ** len(number[0])).zfill(len(number[0]))
    start, end = statement.start + number.start(), statement.start + number.end()
    text = f"{answer.text[:start]}{digits}{answer.text[end:]}"
    return _is_flagged(statement, await attribute(text, answer.cited, contexts.embedder))


async def _is_flagged_with_another_source(
    answer: RecordedAnswer, statement: Statement, contexts: RecordedContexts
) -> bool:
    """Cite the first other piece of the request that does not support the statement, in its place."""
    other = next(
        piece
        for piece in answer.others
        if piece.places and not any(statement.is_supported_by(place) for place in piece.places)
    )
    numbers = {marker.number for marker in statement.markers}
    cited = [other if n in numbers else piece for n, piece in enumerate(answer.cited, 1)]
    return _is_flagged(statement, await attribute(answer.text, cited, contexts.embedder))


def _table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield "| | all | held-out half |"
    yield "|---|---|---|"
    halves = (outcomes, [outcome for outcome in outcomes if outcome.is_held_out])
    for name, values in _MEASURES.items():
        yield (
            f"| {name} | "
            + " | ".join(_cell([(o.question, value) for o in half for value in values(o)]) for half in halves)
            + " |"
        )


_MEASURES: dict[str, Callable[[Outcome], Sequence[float]]] = {
    "precision, markers used once": lambda o: () if o.reused else o.precise,
    "precision, markers used again": lambda o: o.precise if o.reused else (),
    "recall": lambda o: (o.recalled,),
    "sentences quoted for a marker": lambda o: (len(o.precise),),
    "flagged as unsupported": lambda o: o.flagged[:1],
    "flagged, with another number": lambda o: () if o.flagged[1] is None else (o.flagged[1],),
    "flagged, with another source": lambda o: o.flagged[2:],
}


def _cell(values: Sequence[tuple[str, float]]) -> str:
    return f"{interval_over_questions(values)} of {len(values)}"


def interval_over_questions(values: Sequence[tuple[str, float]], seed: int = 0) -> Interval:
    """Compute the mean of values and its 95 % bootstrap interval; the questions are resampled.

    >>> str(interval_over_questions([("q1", 1.0), ("q1", 1.0), ("q2", 1.0)]))
    '1.000 [1.000, 1.000]'
    """
    questions = sorted({question for question, _ in values})
    sums = np.array([sum(value for q, value in values if q == question) for question in questions], dtype=float)
    counts = np.array([sum(1 for q, _ in values if q == question) for question in questions], dtype=float)
    drawn = np.random.default_rng(seed).integers(0, len(questions), (RESAMPLES, len(questions)))
    low, high = np.percentile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), [2.5, 97.5])
    return Interval(float(sums.sum() / counts.sum()), float(low), float(high))


if __name__ == "__main__":
    main()
