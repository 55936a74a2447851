"""The extractor without a model, on what people annotated, and on ordinary documents."""

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from polyadic.config import ReadingSettings
from polyadic.evaluation.extraction_eval import ExtractionTally, compare_facts, detokenised, mention_recall
from polyadic.extraction.sentence_extractor import SentenceExtractor
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Chunk, Document, Evidence, Span

# From this score on, a sentence is whole; what ends in none of these marks is a caption, an item or a row of a table.
_LEAST_OF_PROSE = 6.0
_ENDS = re.compile(r"""[.!?;:。！？；：][)"”’»\]]*$""")
# Rows of tables, which are no prose.
_TABLES = ("data",)


def table(data: Path) -> Iterator[str]:
    """Rows of a Markdown table: measure, all items, odd-numbered items."""
    sentences = _lines(data / "hyperred-dev" / "sentences.jsonl")
    tallies = [_compare(item) for item in sentences]
    every, odd = sum(tallies, ExtractionTally()), sum(tallies[1::2], ExtractionTally())
    yield f"| HyperRED: gold participants found | {every.participant_recall:.3f} | {odd.participant_recall:.3f} |"
    yield f"| HyperRED: gold facts whole within one of ours | {every.fact_recall:.3f} | {odd.fact_recall:.3f} |"
    yield f"| HyperRED: participants a fact of ours | {every.arity:.1f} | {odd.arity:.1f} |"
    yield f"| HyperRED: pronouns among gold participants, left out | {every.pronouns} | {odd.pronouns} |"
    mentions = [_mentions(item) for item in _lines(data / "redocred-dev" / "documents.jsonl")]
    yield f"| Re-DocRED: mentions found | {_share(mentions):.3f} | {_share(mentions[1::2]):.3f} |"


def prose_table(data: Path) -> Iterator[str]:
    """Rows of a Markdown table: kind of ordinary documents, prose sentences, share without a fact, names and terms."""
    folders = sorted(folder for folder in (data / "ordinary" / "documents").iterdir() if folder.name not in _TABLES)
    every: list[Evidence] = []
    for folder in folders:
        prose = _prose(folder)
        yield _row_of_prose(folder.name, prose)
        every += prose
    yield _row_of_prose("all", every)


def _prose(folder: Path) -> list[Evidence]:
    """The evidence of all sentences of prose in the documents of a folder."""
    read = (document for file in sorted(folder.rglob("*")) if file.is_file() for document in _read(file))
    said = (evidence for document in read for evidence in _extract(document, "auto"))
    return [one for one in said if one.score >= _LEAST_OF_PROSE and _ENDS.search(one.text)]


def _read(file: Path) -> Iterator[Document]:
    return (found for found in read_documents(file, ReadingSettings()) if isinstance(found, Document))


def _row_of_prose(name: str, prose: Sequence[Evidence]) -> str:
    facts = [len(one.keys) for one in prose if one.fact_id is not None]
    without = 1 - len(facts) / len(prose) if prose else 0.0
    return f"| {name} | {len(prose):,} | {without:.3f} | {sum(facts) / max(1, len(facts)):.1f} |"


def _compare(item: dict[str, Any]) -> ExtractionTally:
    evidence = _extract(Document(item["_id"], "", detokenised(item["text"])))
    return compare_facts(
        [fact["entities"] for fact in item["facts"]], [[p.name for p in e.participants] for e in evidence]
    )


def _mentions(item: dict[str, Any]) -> tuple[int, int]:
    """Found and marked mentions of a document, sentence by sentence."""
    found = marked = 0
    for number, sentence in enumerate(item["sentences"]):
        gold = [m["name"] for entity in item["entities"] for m in entity["mentions"] if m["sentence"] == number]
        evidence = _extract(Document(f"{item['_id']}#{number}", "", detokenised(sentence)))
        of_these, all_of_these = mention_recall(gold, [p.name for e in evidence for p in e.participants])
        found, marked = found + of_these, marked + all_of_these
    return found, marked


def _extract(document: Document, language: str = "en") -> tuple[Evidence, ...]:
    chunk = Chunk(document.id, Span(0, len(document.text)), document.text, 0, 0)
    return asyncio.run(SentenceExtractor(language).extract(document, chunk)).evidence


def _share(counts: Sequence[tuple[int, int]]) -> float:
    return sum(found for found, _ in counts) / sum(marked for _, marked in counts)


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
