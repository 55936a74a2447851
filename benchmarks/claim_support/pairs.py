"""Pairs of a claim and a text that supports it or not, from invented documents and public data sets.

``claims/`` has claims about the invented documents of ``benchmarks/answer_selection/documents``, by file and number of
the document, which a large language model wrote as sentences of answers. ``support`` has the sentences that entail a
claim, in groups of which each suffices; for a claim without support, ``near`` has those that a careless reader would
cite. The public data sets are read from a folder that has their files as they are published:

- FEVER symmetric (arXiv 1908.05267, CC BY-SA 3.0): ``fever_symmetric_full.jsonl`` (version 0.1) and
  ``fever_symmetric_dev.jsonl``, ``fever_symmetric_test.jsonl`` (0.2);
- BEGIN (arXiv 2105.00071, CC BY 4.0 and CDLA-Sharing 1.0), answers in dialogues: ``begin_dev_wow.tsv``,
  ``begin_test_wow.tsv``, ``begin_dev_tc.tsv``, ``begin_dev_cmu.tsv``;
- WiCE (arXiv 2303.01432, ODC-BY), sentences of Wikipedia and the pages that they cite: ``dev.jsonl`` and ``test.jsonl``
  of the claims as ``wice_dev.jsonl``, ``wice_test.jsonl``, and the files of unsupported tokens as
  ``wice_tokens_train.jsonl``, ``wice_tokens_dev.jsonl`` and ``wice_tokens_test.jsonl``.
"""

import csv
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.answer_selection.examples import DOCUMENTS

CLAIMS = Path(__file__).parent / "claims"
_WORD = re.compile(r"[a-z0-9]{4,}")
# How often a claim is also paired with other sentences, which share words with it: with the most similar one or with
# two of the next; and how often the sentences near an unsupported claim have others beside them.
_OTHER, _OTHERS, _NEAR_AND_OTHERS = 0.5, 0.3, 0.6
_TEMPTING = 5
_LONGEST_GROUP, _LONGEST_TEXT = 3, 700
# Spaces before punctuation and brackets as the Penn Treebank writes them.
_TREEBANK = (("-LRB-", "("), ("-RRB-", ")"), ("-LSB-", "["), ("-RSB-", "]"), ("``", '"'), ("''", '"'))
_SPACED = (
    (re.compile(r" ([.,;:?!%)\]])"), r"\1"),
    (re.compile(r"([(\[$]) "), r"\1"),
    (re.compile(r" ('s|n't)\b"), r"\1"),
)


@dataclass(frozen=True, slots=True)
class ClaimPair:
    """A claim, a text with its context, and whether the text supports the claim.

    ``source`` names the document; ``is_near`` says that the text is what a careless reader would cite for the claim.
    """

    claim: str
    context: str
    text: str
    is_supported: bool
    source: str
    is_near: bool = False


def own_pairs(chance: random.Random) -> Iterator[ClaimPair]:
    """Yield the pairs of the invented documents."""
    for file in sorted(CLAIMS.glob("*.jsonl")):
        documents = (DOCUMENTS / file.name).read_text(encoding="utf-8").splitlines()
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            document = _Document(f"{file.stem} {row['document']}", json.loads(documents[row["document"]]), chance)
            for claim in row["claims"]:
                yield from document.pairs(claim)


def public_pairs(folder: Path) -> Iterator[ClaimPair]:
    """Yield the pairs of the public data sets."""
    yield from _fever(folder)
    for name in ("begin_test_wow", "begin_dev_wow", "begin_dev_tc", "begin_dev_cmu"):
        yield from _begin(folder / f"{name}.tsv")
    for name in ("wice_dev", "wice_test", "wice_tokens_train", "wice_tokens_dev", "wice_tokens_test"):
        yield from _wice(folder / f"{name}.jsonl")


class _Document:
    def __init__(self, source: str, row: Mapping[str, Any], chance: random.Random) -> None:
        self._source, self._title, self._chance = source, row["title"], chance
        self._sentences = [sentence for section in row["sections"] for sentence in section["sentences"]]
        self._headings = [section["heading"] for section in row["sections"] for _ in section["sentences"]]

    def pairs(self, row: Mapping[str, Any]) -> Iterator[ClaimPair]:
        claim, groups, near = row["claim"], row["support"], row["near"]
        used = {number for group in groups for number in group} | set(near)
        others = [number for number in self._by_words(claim) if number not in used]
        if groups:
            for group in groups[:2]:
                yield self._pair(claim, group, True)
            yield self._pair(claim, self._chance.choice(groups) + self._some(others), True)
            if others and self._chance.random() < _OTHER:
                yield self._pair(claim, others[:1], False)
            if len(others) > _TEMPTING and self._chance.random() < _OTHERS:
                yield self._pair(claim, self._chance.sample(others[1:_TEMPTING], 2), False)
        else:
            yield self._pair(claim, near, False, is_near=True)
            if self._chance.random() < _NEAR_AND_OTHERS:
                yield self._pair(claim, near + self._some(others), False, is_near=True)

    def _pair(self, claim: str, numbers: Sequence[int], is_supported: bool, is_near: bool = False) -> ClaimPair:
        numbers = sorted(set(numbers))
        context = ": ".join(filter(None, (self._title, self._headings[numbers[0]])))
        text = " ".join(self._sentences[number] for number in numbers)
        return ClaimPair(claim, context, text, is_supported, self._source, is_near)

    def _some(self, others: Sequence[int]) -> list[int]:
        tempting = others[:_TEMPTING]
        return self._chance.sample(tempting, min(len(tempting), self._chance.choice((1, 2))))

    def _by_words(self, claim: str) -> list[int]:
        """Return the numbers of all sentences, those that share most words with a claim first."""
        words = set(_WORD.findall(claim.lower()))
        shared = [len(words & set(_WORD.findall(sentence.lower()))) for sentence in self._sentences]
        return sorted(range(len(shared)), key=lambda number: -shared[number] - self._chance.random() / 2)


def _fever(folder: Path) -> Iterator[ClaimPair]:
    seen = set()
    for name in ("full", "dev", "test"):
        for line in (folder / f"fever_symmetric_{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            evidence = row.get("evidence_sentence") or row["evidence"]
            if (row["claim"], evidence) not in seen:
                seen.add((row["claim"], evidence))
                supported = row["label"] == "SUPPORTS"
                yield ClaimPair(_written(row["claim"]), "", _written(evidence), supported, f"fever {row['id']}")


def _begin(file: Path) -> Iterator[ClaimPair]:
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["begin_label"] != "Generic":
                supported = row["begin_label"] == "Fully attributable"
                text = _written(row["knowledge"])[:_LONGEST_TEXT]
                yield ClaimPair(_written(row["response"]), "", text, supported, row["knowledge"][:60])


def _wice(file: Path) -> Iterator[ClaimPair]:
    for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        groups = [group for group in row["supporting_sentences"] if group]
        shortest: list[int] = min(groups, key=len, default=[])
        if 0 < len(shortest) <= _LONGEST_GROUP:
            first = row["evidence"][0]
            title = first.removeprefix("(meta data) TITLE: ") if first.startswith("(meta data) TITLE") else ""
            text = " ".join(row["evidence"][number] for number in shortest)
            yield ClaimPair(row["claim"], title, text, row["label"] == "supported", row["claim"][:30])


def _written(text: str) -> str:
    for treebank, usual in _TREEBANK:
        text = text.replace(treebank, usual)
    for pattern, usual in _SPACED:
        text = pattern.sub(usual, text)
    return text.strip()
