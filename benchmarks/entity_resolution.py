"""Evaluate entity resolution on Re-DocRED, with and without decisions: ``python -m benchmarks.entity_resolution``.

It writes a table to docs/quality.md. Every annotated mention participates in the statement of its sentence, so only
resolution is measured, not extraction.
"""

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import data_folder
from benchmarks.holdout_log import note_look
from benchmarks.report_sections import QUALITY, rewrite
from polyadic.concurrency.async_to_sync import run_coroutine
from polyadic.config import ChunkingSettings, EmbeddingSettings, Settings
from polyadic.evaluation.resolution_eval import AnnotatedDocument, PairAgreement, agreement, fill, read
from polyadic.extraction.extractor import Extraction
from polyadic.indexing.indexer import Indexer
from polyadic.model.resolution import NO_OVERLAY, EntityResolution
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.resolution.candidates import SURE, CandidatePairs
from polyadic.workspace import Workspace
from tests.resolution import lookalikes as alike
from tests.resolution.lookalikes import Lookalike, lookalikes, put_together

HEADING = "## Entity resolution"
_ABOUT = """Made by `python -m benchmarks.entity_resolution`. Every mention that people marked in the {documents}
documents of
Re-DocRED (dev) takes part in the statement of its sentence, with its type: only identity is measured, not extraction.
Counted are pairs of mentions of one document that are put together: by people, and here, because their names have one
key or because decisions merged them. Merges are proposed over all documents at once. The look-alikes are {pairs} pairs
of names written for this project (`tests/resolution/lookalikes.tsv`), {other} that are two things and {same} that are
one, each pair named in one document. No language model is asked, and nothing is described, so vectors play no part.

The rules were scored by the even-numbered documents, where a last name that only one person bears would pass with
0.86. What is merged unseen begins at {sure}, the least of these scores from which on what merging adds is right in 0.95
of the pairs over all documents, and of the look-alikes.
"""
_LEAST = (SURE, 0.86, 0.8, 0.6)
_MANY = 100_000
_SYLLABLES = (
    "ba",
    "be",
    "bo",
    "da",
    "de",
    "fi",
    "ga",
    "ha",
    "ka",
    "li",
    "lo",
    "ma",
    "mi",
    "no",
    "pa",
    "ri",
    "so",
    "ta",
)
_KINDS = ("Institute", "Works", "Valley", "Press")
_ONE_CHUNK = ChunkingSettings(tokens=100_000, overlap=0, language="en")
_SETTINGS = Settings(embedding=EmbeddingSettings(model="hashing"), chunking=_ONE_CHUNK)


def section(data: Path) -> Iterator[str]:
    """Yield the lines of the section below its heading."""
    documents = read(data / "redocred-dev")
    halves = (documents, documents[1::2])
    with tempfile.TemporaryDirectory() as folder:
        with Workspace(Path(folder) / "annotated", _SETTINGS) as kb:
            fill(kb, documents)
            rows = list(_rows(kb, halves))
        with Workspace(Path(folder) / "lookalikes", _SETTINGS) as kb:
            pairs = lookalikes()
            alike.fill(kb.store(make=True), pairs)
            with kb.store().read() as reader:
                candidates = CandidatePairs.of(reader)
            cells = {least: _of_lookalikes(pairs, candidates, least) for least in _LEAST}
        grown = _growth(Path(folder) / "grown")
    yield _ABOUT.format(
        documents=len(documents),
        pairs=len(pairs),
        same=sum(pair.same for pair in pairs),
        other=_others(pairs),
        sure=SURE,
    )
    yield "| decisions | precision | recall | odd half | pairs they add: precision | look-alikes: precision, recall |"
    yield "|---|---|---|---|---|---|"
    without_decisions, *with_decisions = rows
    yield f"| none | {without_decisions} | – | – |"
    for least, row in zip(_LEAST, with_decisions, strict=True):
        label = "merged by themselves" if least == SURE else "merged with `--least`"
        yield f"| {label}, score {least} and more | {row} | {cells[least]} |"
    yield f"\n{grown}"


def _rows(kb: Workspace, halves: Sequence[Sequence[AnnotatedDocument]]) -> Iterator[str]:
    """Yield table cells without decisions, then with the merges of each minimum score."""
    with kb.store().read() as reader:
        candidates = CandidatePairs.of(reader)
    base = [agreement(half, NO_OVERLAY) for half in halves]
    yield _cells(base)
    for least in _LEAST:
        overlay = EntityResolution.of(candidates.merges(least))
        now = [agreement(half, overlay) for half in halves]
        every, odd = (_added(after, before) for after, before in zip(now, base, strict=True))
        yield f"{_cells(now)} | {every}; odd half {odd}"


def _added(now: PairAgreement, before: PairAgreement) -> str:
    pairs = now.ours - before.ours
    return f"{(now.both - before.both) / pairs:.3f} of {pairs}"


def _cells(halves: Sequence[PairAgreement]) -> str:
    every, odd = halves
    return f"{every.precision:.3f} | {every.recall:.3f} | {odd.precision:.3f}, {odd.recall:.3f}"


def _of_lookalikes(pairs: Sequence[Lookalike], found: CandidatePairs, least: float) -> str:
    merged = put_together(pairs, EntityResolution.of(found.merges(least)))
    right, all_same = sum(pair.same for pair in merged), sum(pair.same for pair in pairs)
    return f"{right / len(merged):.3f}, {right / all_same:.3f}"


def _others(pairs: Sequence[Lookalike]) -> int:
    return sum(not pair.same for pair in pairs)


def _growth(folder: Path) -> str:
    """Measure finding candidate pairs among many entities; returns a sentence."""
    people = _people(_MANY)
    with Workspace(folder, _SETTINGS) as kb:
        run_coroutine(Indexer(kb.store(make=True), _ListExtractor(), kb.embedder, _ONE_CHUNK).index(people))
        with kb.store().read() as reader:
            entities = reader.size("entity")
            started = time.perf_counter()
            pairs = CandidatePairs.of(reader)
            seconds = time.perf_counter() - started
            started = time.perf_counter()
            merges = pairs.merges(SURE)
            seconds += time.perf_counter() - started
    return (
        f"Among {entities:,} entities with made-up names (people with initials and misprints, companies, places),"
        f" finding {len(pairs.judged):,} pairs worth a look and {len(merges):,} groups to merge took {seconds:.0f} s."
    )


@dataclass(slots=True)
class _ListExtractor:
    """Extractor for lines that list the participants of a statement, separated by bars."""

    name: str = "listed"
    paid: bool = False

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        statements, start = [], chunk.span.start
        for line in chunk.text.split("\n"):
            names = tuple(Participation(name, "", f"{name} of the {start % 97} group") for name in line.split(" | "))
            statements.append(Evidence(line, 8.0, names, (Span(start, start + len(line)),), self.name))
            start += len(line) + 1
        return Extraction(tuple(statements))


def _people(count: int) -> list[Document]:
    """Generate documents that name about ``count`` entities, with a fixed seed."""
    rng = random.Random(0)  # noqa: S311
    parts = ["".join(rng.choice(_SYLLABLES) for _ in range(n)).title() for n in (2, 3) for _ in range(3000)]
    names_drawn: dict[str, None] = {}
    while len(names_drawn) < count:
        first, middle, last = (rng.choice(parts) for _ in range(3))
        names_drawn |= dict.fromkeys([f"{first} {last}", f"{last} {rng.choice(_KINDS)}"])
        if rng.random() < 0.2:
            names_drawn |= dict.fromkeys(
                [f"{first[0]}. {last}", f"{first} {middle} {last}", f"{first} {last[:-1]}", last]
            )
            names_drawn |= dict.fromkeys([f"{last}, {first}", f"{last}-{first} Trust", f"{last} {first} Trust"])
    names = list(names_drawn)
    lines = [" | ".join(names[start : start + 3]) for start in range(0, len(names), 3)]
    return [
        Document(f"made-up:{start}", "", "\n".join(lines[start : start + 50])) for start in range(0, len(lines), 50)
    ]


def main() -> None:
    note_look("`benchmarks.entity_resolution`")
    rewrite(QUALITY, HEADING, ["", *section(data_folder())])


if __name__ == "__main__":
    main()
