"""Measure retrieval of facts that a language model extracted: ``python -m benchmarks.with_a_model [FOLDER]``.

``spaceflight-model/`` of POLYADIC_DATA has the replies of a large language model to the extraction requests for
``examples/spaceflight``, and questions with patterns of the pieces of information that each requires. FOLDER keeps the
workspaces for the next run. The table is written into docs/with-a-model.md.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import data_folder
from benchmarks.recorded_contexts import EXAMPLE, RECORDED, recorded_contexts
from benchmarks.recorded_workspace import extracted_workspace
from benchmarks.report_sections import DOCS, given_folder, rewrite
from polyadic.model.identity import normal_text
from polyadic.model.types import Item, Knowledge, SourceSpan
from polyadic.text.sentences import sentences
from polyadic.text.tokens import count_tokens
from polyadic.workspace import Workspace

PAGE = DOCS / "with-a-model.md"
EXTRACTIONS = Path(__file__).parent / "spaceflight_extractions.jsonl"
METHODS = ("chunks", "bm25", "auto", "walk", "hypergraph")
BUDGETS = (500, 1000, 2000)
# Questions about the whole corpus are answered from a hierarchy, and those without an answer require no pieces.
KINDS = ("single fact", "multi-hop", "list", "comparison")


@dataclass(frozen=True, slots=True)
class RequiredPieces:
    """A question and patterns of the pieces of information that its answer requires."""

    kind: str
    question: str
    patterns: tuple[re.Pattern[str], ...]

    def coverage(self, knowledge: Knowledge) -> float:
        """Return the share of the pieces that occur within one retrieved sentence or fact."""
        texts = [text for item in knowledge.items for text in _texts(item)]
        return sum(any(pattern.search(text) for text in texts) for pattern in self.patterns) / len(self.patterns)


def main() -> None:
    questions = list(recorded_questions())
    with given_folder() as folder:
        with recorded_contexts(folder), Workspace(folder / "spaceflight-with-a-model") as with_model_kb:
            with_model = _measured(with_model_kb, questions)
        with Workspace(folder / "spaceflight-without-a-model") as without_model_kb:
            without_model_kb.index([EXAMPLE])
            without = _measured(without_model_kb, questions)
        with extracted_workspace(EXTRACTIONS, EXAMPLE, folder / "spaceflight-with-short-replies") as short_replies_kb:
            with_short_replies = _measured(short_replies_kb, questions)
    rewrite(PAGE, "## Coverage", _coverage_table(questions, with_model, without))
    rewrite(PAGE, "## Overlap of facts and passages", _repetition_table(with_model, without))
    rewrite(PAGE, "## Replies", [*_reply_lines(), *_short_reply_lines(with_short_replies, with_model)])


_Run = tuple[str, int]
_Results = Mapping[_Run, Sequence[tuple[RequiredPieces, Knowledge]]]


def recorded_questions() -> Iterator[RequiredPieces]:
    for line in (data_folder() / RECORDED / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] in KINDS:
            yield RequiredPieces(row["kind"], row["question"], tuple(map(re.compile, row["needed"])))


def _texts(item: Item) -> Iterator[str]:
    yield normal_text(item.text)
    for place in item.shown_places:
        yield from (normal_text(place.quote[span.start : span.end]) for span in sentences(place.quote, "en"))


def _measured(workspace: Workspace, questions: Sequence[RequiredPieces]) -> _Results:
    return {
        (method, budget): [(one, workspace.retrieve(one.question, method, budget)) for one in questions]
        for method in METHODS
        for budget in BUDGETS
    }


def _coverage_table(questions: Sequence[RequiredPieces], with_model: _Results, without: _Results) -> Iterator[str]:
    numbers = {kind: sum(one.kind == kind for one in questions) for kind in KINDS}
    yield ""
    yield "Sum over the questions of the share of required pieces found: facts extracted with the model / without."
    yield ""
    headings = [f"{kind}, of {number}" for kind, number in numbers.items()]
    yield f"| method | tokens | {' | '.join(headings)} | all, of {len(questions)} |"
    yield f"|---|---{'|---' * (len(KINDS) + 1)}|"
    for method, budget in with_model:
        found, found_without = (_by_kind(results[method, budget]) for results in (with_model, without))
        cells = [f"{found[kind]:.2f} / {found_without[kind]:.2f}" for kind in KINDS]
        total = f"{sum(found.values()):.2f} / {sum(found_without.values()):.2f}"
        yield f"| `{method}` | {budget:,} | {' | '.join(cells)} | {total} |"


def _by_kind(results: Sequence[tuple[RequiredPieces, Knowledge]]) -> dict[str, float]:
    totals: defaultdict[str, float] = defaultdict(float)
    for one, knowledge in results:
        totals[one.kind] += one.coverage(knowledge)
    return totals


def _repetition_table(with_model: _Results, without: _Results) -> Iterator[str]:
    yield ""
    yield "Share of the retrieved facts whose source spans all lie in retrieved passages."
    yield ""
    yield "| method | tokens | extracted with the model | extracted without a model |"
    yield "|---|---|---|---|"
    for method, budget in with_model:
        shares = [_repeated_share(results[method, budget]) for results in (with_model, without)]
        if shares != [None, None]:
            yield f"| `{method}` | {budget:,} | {' | '.join('–' if s is None else f'{s:.2f}' for s in shares)} |"


def _repeated_share(results: Sequence[tuple[RequiredPieces, Knowledge]]) -> float | None:
    """Return the share over all questions; None if no facts were retrieved."""
    facts = repeated = 0
    for _, knowledge in results:
        passages = [place for item in knowledge.chunks for place in item.places]
        facts += len(knowledge.facts)
        repeated += sum(all(_lies_in(place, passages) for place in fact.places) for fact in knowledge.facts)
    return repeated / facts if facts else None


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
    rows = [json.loads(line) for line in EXTRACTIONS.read_text(encoding="utf-8").splitlines()]
    tokens = sum(count_tokens([json.dumps(row["reply"], ensure_ascii=False) for row in rows]))
    facts = sum(len(row["reply"]["facts"]) for row in rows)
    yield ""
    yield "With the present prompt, which lists each entity once and links it from the facts, a large language model"
    yield "(another session of the same assistant) gave"
    yield f"{facts:,} facts in {tokens:,} tokens, {tokens / facts:.0f} tokens per fact."
    yield "Pieces found over all questions, with these facts / with those above:"
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
