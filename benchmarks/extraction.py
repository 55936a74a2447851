"""Evaluate extraction without a model on annotated data sets and on ordinary documents."""

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from polyadic.config import ReadingSettings
from polyadic.evaluation.extraction_eval import ExtractionTally, compare_facts, detokenized, mention_recall
from polyadic.extraction.sentence_extractor import SentenceExtractor
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Chunk, Document, Evidence, Span

# Sentences with a lower score are incomplete; those without these marks are captions, list items or table rows.
_LEAST_OF_PROSE = 6.0
_ENDS = re.compile(r"""[.!?;:。！？；：][)"”’»\]]*$""")
# Folders of tables, which are not prose.
_TABLES = ("data",)


def table(data: Path) -> Iterator[str]:
    """Yield rows of a Markdown table: measure, all items, odd-numbered items."""
    sentences = _lines(data / "hyperred-dev" / "sentences.jsonl")
    tallies = [_compare(item) for item in sentences]
    every, odd = sum(tallies, ExtractionTally()), sum(tallies[1::2], ExtractionTally())
    yield f"| HyperRED: gold participants found | {every.participant_recall:.3f} | {odd.participant_recall:.3f} |"
    contained = "gold facts fully contained in one extracted fact"
    yield f"| HyperRED: {contained} | {every.fact_recall:.3f} | {odd.fact_recall:.3f} |"
    yield f"| HyperRED: participants per extracted fact | {every.arity:.1f} | {odd.arity:.1f} |"
    yield f"| HyperRED: pronouns among gold participants, excluded | {every.pronouns} | {odd.pronouns} |"
    mentions = [_mentions(item) for item in _lines(data / "redocred-dev" / "documents.jsonl")]
    yield f"| Re-DocRED: mentions found | {_share(mentions):.3f} | {_share(mentions[1::2]):.3f} |"


def prose_table(data: Path) -> Iterator[str]:
    """Yield rows of a Markdown table: kind of documents, prose sentences, share without a fact, mean arity."""
    folders = sorted(folder for folder in (data / "ordinary" / "documents").iterdir() if folder.name not in _TABLES)
    every: list[Evidence] = []
    for folder in folders:
        prose = _prose(folder)
        yield _row_of_prose(folder.name, prose)
        every += prose
    yield _row_of_prose("all", every)


def _prose(folder: Path) -> list[Evidence]:
    """Return the evidence of all prose sentences in the documents of a folder."""
    documents = (document for file in sorted(folder.rglob("*")) if file.is_file() for document in _read(file))
    all_evidence = (evidence for document in documents for evidence in _extract(document, "auto"))
    return [evidence for evidence in all_evidence if evidence.score >= _LEAST_OF_PROSE and _ENDS.search(evidence.text)]


def _read(file: Path) -> Iterator[Document]:
    return (document for document in read_documents(file, ReadingSettings()) if isinstance(document, Document))


def _row_of_prose(name: str, prose: Sequence[Evidence]) -> str:
    arities = [len(evidence.keys) for evidence in prose if evidence.fact_id is not None]
    share_without = 1 - len(arities) / len(prose) if prose else 0.0
    return f"| {name} | {len(prose):,} | {share_without:.3f} | {sum(arities) / max(1, len(arities)):.1f} |"


def _compare(item: dict[str, Any]) -> ExtractionTally:
    evidence = _extract(Document(item["_id"], "", detokenized(item["text"])))
    return compare_facts(
        [fact["entities"] for fact in item["facts"]], [[p.name for p in e.participants] for e in evidence]
    )


def _mentions(item: dict[str, Any]) -> tuple[int, int]:
    """Return the numbers of found and annotated mentions of a document."""
    found = annotated = 0
    for number, sentence in enumerate(item["sentences"]):
        gold = [m["name"] for entity in item["entities"] for m in entity["mentions"] if m["sentence"] == number]
        evidence = _extract(Document(f"{item['_id']}#{number}", "", detokenized(sentence)))
        sentence_found, sentence_annotated = mention_recall(gold, [p.name for e in evidence for p in e.participants])
        found, annotated = found + sentence_found, annotated + sentence_annotated
    return found, annotated


def _extract(document: Document, language: str = "en") -> tuple[Evidence, ...]:
    chunk = Chunk(document.id, Span(0, len(document.text)), document.text, 0, 0)
    return asyncio.run(SentenceExtractor(language).extract(document, chunk)).evidence


def _share(counts: Sequence[tuple[int, int]]) -> float:
    return sum(found for found, _ in counts) / sum(annotated for _, annotated in counts)


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
