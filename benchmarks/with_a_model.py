"""Measure retrieval of facts that a language model extracted: ``python -m benchmarks.with_a_model [FOLDER]``.

``spaceflight-model/`` of POLYADIC_DATA has the replies of a large language model to the extraction requests for
``examples/spaceflight``, 30 questions with patterns of the pieces of information that each requires, and answers.
``benchmarks.recorded_replies`` has the summaries, reports and answers to the requests of this version.
FOLDER keeps the workspaces for the next run. The tables are written into docs/with-a-model.md.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import data_folder
from benchmarks.holdout_log import note_look
from benchmarks.kept_workspaces import kept_for
from benchmarks.recorded_answers import CONTEXT_TOKENS, current_requests, recorded_requests
from benchmarks.recorded_contexts import EXAMPLE, RECORDED, recorded_contexts
from benchmarks.recorded_questions import UNANSWERABLE, RequiredPieces, recorded_questions
from benchmarks.recorded_replies import build_hierarchy
from benchmarks.recorded_summary import Measurements, summary_table
from benchmarks.recorded_workspace import SPACEFLIGHT_EXTRACTIONS, extracted_workspace
from benchmarks.report_sections import DOCS, given_folder, rewrite, rewrite_table
from polyadic.generation.context import lay_out
from polyadic.model.types import Item, ItemKind, Knowledge, SourceSpan, Usage
from polyadic.text.tokens import count_tokens
from polyadic.workspace import Workspace

PAGE = DOCS / "with-a-model.md"
METHODS = ("chunks", "bm25", "auto", "walk", "hypergraph", "hierarchy")
BUDGETS = (500, 1000, 2000)
# Coverage with a model is to be at least that without one, but for one question.
_SMALL_BUDGETS = (500, 1000)
_ITEMS_OF_AN_ARTICLE = 2
# Pieces retrieved for the questions that are not about the whole corpus, by budget, at commit d1a6b4f.
_EARLIER = {
    "chunks": (4.45, 14.43, 18.68),
    "bm25": (3.95, 15.22, 19.15),
    "auto": (18.86, 20.22, 19.72),
    "walk": (19.19, 20.89, 21.17),
    "hypergraph": (16.05, 18.30, 20.25),
}
_WHOLE_CORPUS = "whole corpus"
_COVERAGE_INTRODUCTION = """
Sum over the questions of the share of required pieces that the context of the model shows, each within one sentence:
facts extracted with the model / without. The hierarchy is written by the model / extractive. Three of the four
questions about the whole corpus require certain pieces; for the fourth, articles are counted (above).
"""
_REPETITION_INTRODUCTION = """
*Retrieved*: share of the retrieved facts whose source spans all lie in retrieved passages; the passage shows them, so
they need no line. *Lines*: share of the facts with a line of their own in the context whose source spans all lie in
shown passages. Facts extracted with the model / without. Only `hierarchy`, which fills its sections separately, gives
lines to facts that a passage of the same context states in other words.
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """A question with what one method retrieved for it within a budget."""

    asked: RequiredPieces
    knowledge: Knowledge
    budget: int

    @property
    def coverage(self) -> float:
        return self.asked.shown(self.knowledge, self.budget)


_Run = tuple[str, int]
_Results = Mapping[_Run, Sequence[Measured]]


def main() -> None:
    note_look("`benchmarks.with_a_model`: citations of all answers")
    every = list(recorded_questions())
    questions = [one for one in every if one.patterns]
    with given_folder() as folder:
        with recorded_contexts(folder):
            """Index with the recorded facts; what follows needs no server."""
        hierarchy = build_hierarchy(folder / "spaceflight-with-a-model")
        with Workspace(folder / "spaceflight-with-a-model") as with_model_kb:
            with_model = _measured(with_model_kb, questions)
            whole = next(one for one in every if not one.patterns and one.kind != UNANSWERABLE)
            shown = _articles_shown(with_model_kb.retrieve(whole.question, "auto", CONTEXT_TOKENS))
        now = list(current_requests(folder / "spaceflight-with-a-model", every, ("auto", *_recorded_methods(every))))
        with Workspace(kept_for(EXAMPLE, folder / "spaceflight-without-a-model")) as without_model_kb:
            without_model_kb.index([EXAMPLE])
            without_model_kb.hierarchy.build(by="extractive")
            without = _measured(without_model_kb, questions)
        short = folder / "spaceflight-with-short-replies"
        with extracted_workspace(SPACEFLIGHT_EXTRACTIONS, EXAMPLE, short) as short_replies_kb:
            with_short_replies = _measured(short_replies_kb, questions, METHODS[:-1])
            extraction = _extraction_usage(short_replies_kb)
    articles = len([path for path in EXAMPLE.iterdir() if path.suffix in {".md", ".txt"}])
    measured = Measurements(list(recorded_requests(every)), now, extraction, hierarchy, shown, articles)
    rewrite(PAGE, "## Coverage, citation precision and cost", summary_table(measured))
    rewrite_table(PAGE, "## Earlier results", _earlier_table(with_model))
    rewrite(PAGE, "## Coverage", _coverage_table(questions, with_model, without))
    rewrite(PAGE, "## Overlap of facts and passages", _repetition_table(with_model, without))
    rewrite(PAGE, "## Replies", [*_reply_lines(), *_short_reply_lines(with_short_replies, with_model)])


def _recorded_methods(questions: Sequence[RequiredPieces]) -> list[str]:
    return list(dict.fromkeys(one.method for one in recorded_requests(questions)))


def _measured(workspace: Workspace, questions: Sequence[RequiredPieces], methods: Sequence[str] = METHODS) -> _Results:
    return {
        (method, budget): [Measured(one, workspace.retrieve(one.question, method, budget), budget) for one in questions]
        for method in methods
        for budget in BUDGETS
    }


def _articles_shown(knowledge: Knowledge) -> int:
    """Return the number of articles of which a context shows at least two items, by their first source span."""
    pieces = lay_out(knowledge, CONTEXT_TOKENS).pieces
    shown = Counter(Path(piece.places[0].source).name for piece in pieces)
    return sum(count >= _ITEMS_OF_AN_ARTICLE and "#" not in name for name, count in shown.items())


def _extraction_usage(workspace: Workspace) -> Usage:
    return sum((total.usage for total in workspace.ledger().purposes if total.purpose == "extract"), Usage())


def _coverage_table(questions: Sequence[RequiredPieces], with_model: _Results, without: _Results) -> Iterator[str]:
    numbers = Counter(one.kind for one in questions)
    yield from _COVERAGE_INTRODUCTION.splitlines()
    yield ""
    headings = [f"{kind}, of {number}" for kind, number in numbers.items()]
    yield f"| method | tokens | {' | '.join(headings)} | all, of {len(questions)} |"
    yield f"|---|---{'|---' * (len(numbers) + 1)}|"
    for run in with_model:
        found, found_without = (_by_kind(results[run]) for results in (with_model, without))
        cells = [f"{found[kind]:.2f} / {found_without[kind]:.2f}" for kind in numbers]
        total = f"{sum(found.values()):.2f} / {sum(found_without.values()):.2f}"
        yield f"| `{run[0]}` | {run[1]:,} | {' | '.join(cells)} | {total} |"
    yield ""
    yield from _comparison(with_model, without)


def _comparison(with_model: _Results, without: _Results) -> Iterator[str]:
    """State where less is shown with a model than without, at small budgets."""
    lacks = {
        (*run, kind): _by_kind(without[run])[kind] - shown
        for run in with_model
        if run[1] in _SMALL_BUDGETS
        for kind, shown in _by_kind(with_model[run]).items()
    }
    (method, budget, kind), most = max(lacks.items(), key=lambda entry: entry[1])
    too_much = sum(lack > 1 for lack in lacks.values())
    yield f"At 500 and 1,000 tokens, {too_much} of the {len(lacks)} cells by kind are over one question lower with the"
    yield f"model than without. The largest lack is {most:.2f} questions (`{method}`, {budget:,} tokens, {kind})."


def _earlier_table(with_model: _Results) -> str:
    """Format the pieces retrieved at an earlier commit and now; those about the whole corpus were not counted then."""
    rows = ["| method | at commit d1a6b4f | now |", "|---|---|---|"]
    for method, earlier in _EARLIER.items():
        now = [
            sum(
                one.asked.retrieved(one.knowledge)
                for one in with_model[method, budget]
                if one.asked.kind != _WHOLE_CORPUS
            )
            for budget in BUDGETS
        ]
        cells = [" / ".join(f"{found:.2f}" for found in totals) for totals in (earlier, now)]
        rows.append(f"| `{method}` | {' | '.join(cells)} |")
    return "\n".join([*rows, ""])


def _by_kind(results: Sequence[Measured]) -> dict[str, float]:
    totals: defaultdict[str, float] = defaultdict(float)
    for one in results:
        totals[one.asked.kind] += one.coverage
    return totals


def _repetition_table(with_model: _Results, without: _Results) -> Iterator[str]:
    yield from _REPETITION_INTRODUCTION.splitlines()
    yield ""
    yield "| method | tokens | retrieved | lines |"
    yield "|---|---|---|---|"
    for run in with_model:
        cells = [
            [_share(repeated(one) for one in results[run]) for results in (with_model, without)]
            for repeated in (_repeated_facts, _repeated_lines)
        ]
        if any(cell != "–" for row in cells for cell in row):
            yield f"| `{run[0]}` | {run[1]:,} | {' | '.join(' / '.join(row) for row in cells)} |"


def _share(counts: Iterator[tuple[int, int]]) -> str:
    """Format the share of repeated facts in all; a dash if there are none."""
    repeated, facts = (sum(column) for column in zip(*counts, strict=True))
    return f"{repeated / facts:.2f}" if facts else "–"


def _repeated_facts(one: Measured) -> tuple[int, int]:
    passages = [place for item in one.knowledge.chunks for place in item.places]
    return _repeated(one.knowledge.facts, passages)


def _repeated_lines(one: Measured) -> tuple[int, int]:
    pieces = lay_out(one.knowledge, one.budget).pieces
    passages = [place for piece in pieces if piece.item.kind is ItemKind.CHUNK for place in piece.places]
    return _repeated([piece.item for piece in pieces if piece.item.kind is ItemKind.FACT], passages)


def _repeated(facts: Sequence[Item], passages: Sequence[SourceSpan]) -> tuple[int, int]:
    """Return how many facts lie in passages, and how many there are."""
    return sum(all(_lies_in(place, passages) for place in fact.places) for fact in facts), len(facts)


def _lies_in(place: SourceSpan, passages: Sequence[SourceSpan]) -> bool:
    return any(
        passage.document_id == place.document_id
        and passage.span.start <= place.span.start
        and place.span.end <= passage.span.end
        for passage in passages
    )


def _reply_lines() -> Iterator[str]:
    lines = (data_folder() / RECORDED / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    extractions = [row for row in map(json.loads, lines) if row["purpose"] == "extract"]
    tokens = sum(count_tokens([row["reply"] for row in extractions]))
    facts = sum(len(json.loads(row["reply"])["facts"]) for row in extractions)
    text = sum(count_tokens([path.read_text(encoding="utf-8") for path in _documents()]))
    yield ""
    yield f"{len(extractions)} extraction requests for {text:,} tokens of text were answered with {facts:,} facts in"
    yield f"{tokens:,} tokens: {tokens / text:.1f} times the text, {tokens / facts:.0f} tokens per fact."


def _short_reply_lines(now: _Results, before: _Results) -> Iterator[str]:
    rows = [json.loads(line) for line in SPACEFLIGHT_EXTRACTIONS.read_text(encoding="utf-8").splitlines()]
    tokens = sum(count_tokens([json.dumps(row["reply"], ensure_ascii=False) for row in rows]))
    facts = sum(len(row["reply"]["facts"]) for row in rows)
    yield ""
    yield "With the present prompt, which lists each entity once and links it from the facts, a large language model"
    yield "(another session of the same assistant) gave"
    yield f"{facts:,} facts in {tokens:,} tokens, {tokens / facts:.0f} tokens per fact."
    yield "Pieces shown over all questions, with these facts / with those above:"
    yield ""
    yield "| method | tokens | all |"
    yield "|---|---|---|"
    for method, budget in now:
        totals = [sum(_by_kind(results[method, budget]).values()) for results in (now, before)]
        yield f"| `{method}` | {budget:,} | {totals[0]:.2f} / {totals[1]:.2f} |"


def _documents() -> list[Path]:
    return sorted(EXAMPLE.glob("*.md"))


if __name__ == "__main__":
    main()
