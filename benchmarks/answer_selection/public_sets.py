"""Read public data sets as examples for answer sentence selection.

A folder has their files as they are published:

- SQuAD 1.1 (arXiv 1606.05250, CC BY-SA 4.0) as the pairs of sentence and question of arXiv 1705.00106:
  ``src-dev.txt``, ``tgt-dev.txt``, ``src-test.txt``, ``tgt-test.txt``;
- COVID-QA (Apache-2.0): ``200423_covidQA.json``;
- QED (arXiv 2009.06354, CC BY-SA 3.0), questions of Natural Questions: ``qed-dev.jsonlines``;
- SelQA (arXiv 1606.08513, Apache-2.0), half of whose questions are paraphrases that share few words with the answer:
  ``selqa-ass-dev.json``, ``selqa-ass-test.json``;
- PolicyQA (arXiv 2010.02557, MIT), about privacy policies: ``policyqa-dev.json``, ``policyqa-test.json``;
- TAT-QA (arXiv 2105.07624, CC BY 4.0), about tables and text of financial reports: ``tatqa_dataset_dev.json``,
  ``tatqa_dataset_test_gold.json``;
- FeTaQA (arXiv 2104.00369, CC BY-SA 4.0), about tables of Wikipedia: ``fetaQA-v1_dev.jsonl``, ``fetaQA-v1_test.jsonl``;
- WikiTableQuestions (arXiv 1508.00305, CC BY-SA 4.0): the folder ``WikiTableQuestions`` with ``data`` and ``csv``.
"""

import csv
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.answer_selection.examples import MOST_WRONG, Example, Pair, rarity_of, tempting

_NEIGHBOURS = 70
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z0-9\"'(\[])|\n+")
_SHORTEST = 16
_MOST_RIGHT = 2
# Questions whose answer takes more than the row that holds it.
_SEVERAL_ROWS = re.compile(
    r"\b(\w+est|most|least|last|first|more|less|fewer|total|before|after|next|previous|difference|average|how many|"
    r"number of|above|below|between|only|also|other|besides|same|consecutive)\b"
)
# Brackets and quotation marks as the Penn Treebank writes them, and spaces before punctuation.
_TREEBANK = (("-lrb-", "("), ("-rrb-", ")"), ("-lsb-", "["), ("-rsb-", "]"), ("``", '"'), ("''", '"'))
_SPACED = (
    (re.compile(r" ([.,;:?!%)\]])"), r"\1"),
    (re.compile(r"([(\[$]) "), r"\1"),
    (re.compile(r" ('s|n't)"), r"\1"),
)


def public_examples(folder: Path, chance: random.Random) -> Iterator[Example]:
    """Yield the examples of the public data sets."""
    for part in ("dev", "test"):
        yield from _squad(folder, part, chance)
        yield from _selqa(folder / f"selqa-ass-{part}.json", chance)
        yield from _policyqa(folder / f"policyqa-{part}.json", chance)
        yield from _fetaqa(folder / f"fetaQA-v1_{part}.jsonl", chance)
    yield from _covid(folder / "200423_covidQA.json", chance)
    yield from _qed(folder / "qed-dev.jsonlines")
    for name in ("tatqa_dataset_dev.json", "tatqa_dataset_test_gold.json"):
        yield from _tatqa(folder / name, chance)
    yield from _table_questions(folder / "WikiTableQuestions", chance)


def _squad(folder: Path, part: str, chance: random.Random) -> Iterator[Example]:
    sentences, questions = (
        [_spaced(line) for line in (folder / f"{side}-{part}.txt").read_text(encoding="utf-8").splitlines()]
        for side in ("src", "tgt")
    )
    rarity = rarity_of(list(dict.fromkeys(sentences)))
    for place, (right, question) in enumerate(zip(sentences, questions, strict=True)):
        around = dict.fromkeys(sentences[max(0, place - _NEIGHBOURS) : place + _NEIGHBOURS + 1])
        others = [("", sentence) for sentence in around if sentence != right]
        yield Example(question, [("", right)], tempting(question, others, rarity, chance), f"squad {part}", place)


def _selqa(file: Path, chance: random.Random) -> Iterator[Example]:
    for asked in json.loads(file.read_text(encoding="utf-8")):
        context = f"{asked['article']} : {asked['section']}"
        pairs = [(context, sentence) for sentence in asked["candidates"]]
        right = [pairs[number] for number in asked["answers"]]
        yield from _of_pairs(asked["question"], pairs, right, asked["article"], chance)


def _policyqa(file: Path, chance: random.Random) -> Iterator[Example]:
    for policy in json.loads(file.read_text(encoding="utf-8"))["data"]:
        title, texts = policy["title"], [paragraph["context"] for paragraph in policy["paragraphs"]]
        pairs = [(title, text[start:end]) for text in texts for start, end in _spans(text)]
        # The same question is asked about each segment that answers it.
        right: dict[str, list[Pair]] = {}
        for paragraph in policy["paragraphs"]:
            for asked in paragraph["qas"]:
                answering = _answering(paragraph["context"], asked["answers"])
                right.setdefault(asked["question"], []).extend((title, text) for text in answering)
        for question, answers in right.items():
            yield from _of_pairs(question, pairs, answers, title, chance)


def _covid(file: Path, chance: random.Random) -> Iterator[Example]:
    for number, article in enumerate(json.loads(file.read_text(encoding="utf-8"))["data"]):
        for paragraph in article["paragraphs"]:
            text = paragraph["context"]
            pairs = [("", text[start:end]) for start, end in _spans(text)]
            for asked in paragraph["qas"]:
                right = [("", sentence) for sentence in _answering(text, asked["answers"])]
                yield from _of_pairs(asked["question"], pairs, right, f"covid {number}", chance)


def _qed(file: Path) -> Iterator[Example]:
    for line in file.read_text(encoding="utf-8").splitlines():
        found = json.loads(line)
        text, starts = found["paragraph_text"], found["sentence_starts"]
        answers = [part["start"] for answer in found["original_nq_answers"] for part in answer]
        right: list[Pair] = []
        wrong: list[Pair] = []
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            answered = any(start <= answer < end for answer in answers)
            (right if answered else wrong).append((found["title_text"], text[start:end].strip()))
        if right and wrong:
            yield Example(found["question_text"], right[:_MOST_RIGHT], wrong[:MOST_WRONG], found["title_text"])


def _fetaqa(file: Path, chance: random.Random) -> Iterator[Example]:
    for line in file.read_text(encoding="utf-8").splitlines():
        found = json.loads(line)
        title, rows = found["table_page_title"], found["table_array"]
        pairs = _table_pairs(f"{title} : {found['table_section_title']}", rows[0], rows[1:])
        marked = {row - 1 for row, _ in found["highlighted_cell_ids"] if row > 0}
        # Answers that sum up several rows are no single row's.
        if len(marked) == 1:
            yield from _of_pairs(found["question"], pairs, [pairs[row] for row in marked], title, chance)


def _tatqa(file: Path, chance: random.Random) -> Iterator[Example]:
    for number, report in enumerate(json.loads(file.read_text(encoding="utf-8"))):
        rows = report["table"]["table"]
        heads = next((place for place, row in enumerate(rows) if sum(map(bool, row)) > 2), 0)
        in_table = _table_pairs("", rows[heads], rows[heads + 1 :])
        texts = [paragraph["text"] for paragraph in report["paragraphs"]]
        in_text = [("", text[start:end]) for text in texts for start, end in _spans(text)]
        for asked in report["questions"]:
            answers = [str(one) for one in asked["answer"]] if asked["answer_type"] == "span" else []
            where = in_text if asked["answer_from"] == "text" else in_table
            right = [pair for pair in where if answers and answers[0] in pair[1]]
            if len(right) == 1:
                yield from _of_pairs(asked["question"], [*in_table, *in_text], right, f"tatqa {number}", chance)


def _table_questions(folder: Path, chance: random.Random) -> Iterator[Example]:
    for part in ("training", "pristine-unseen-tables"):
        with (folder / "data" / f"{part}.tsv").open(encoding="utf-8") as file:
            for asked in csv.DictReader(file, dialect="excel-tab", quoting=csv.QUOTE_NONE):
                if _SEVERAL_ROWS.search(asked["utterance"].lower()):
                    continue
                with (folder / asked["context"]).open(encoding="utf-8", newline="") as table:
                    head, *rows = csv.reader(table, doublequote=False, escapechar="\\")
                pairs = _table_pairs("", head, rows)
                holding = [place for place, row in enumerate(rows) if asked["targetValue"] in row]
                if len(holding) == 1:
                    right = [pairs[holding[0]]]
                    yield from _of_pairs(asked["utterance"], pairs, right, asked["context"], chance)


def _of_pairs(
    question: str, pairs: Sequence[Pair], right: Sequence[Pair], source: str, chance: random.Random
) -> Iterator[Example]:
    """Yield an example if there is a right sentence and a wrong one."""
    others = [pair for pair in dict.fromkeys(pairs) if pair not in right]
    if right and others:
        wrong = tempting(question, others, rarity_of([text for _, text in others]), chance)
        yield Example(question, right[:_MOST_RIGHT], wrong, source)


def _answering(text: str, answers: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the sentences of a text that overlap the spans of its answers."""
    marked = [(one["answer_start"], one["answer_start"] + len(one["text"])) for one in answers]
    return [
        text[start:end]
        for start, end in _spans(text)
        if any(start < answer_end and end > answer_start for answer_start, answer_end in marked)
    ]


def _table_pairs(context: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Pair]:
    """Write rows as table documents are read: each cell with its column's name."""
    lines = (
        "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(head, row, strict=False) if cell.strip())
        for row in rows
    )
    return [(context, line.replace("\n", " ")) for line in lines]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a text stand, without fragments."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if end.start() - start >= _SHORTEST:
            yield start, end.start()
        start = end.end()
    if len(text) - start >= _SHORTEST:
        yield start, len(text)


def _spaced(line: str) -> str:
    """Write a tokenized line as plain text.

    >>> _spaced("it 's a `` copy '' -lrb- 1858 -rrb- .")
    'it\\'s a " copy " (1858).'
    """
    for old, new in _TREEBANK:
        line = line.replace(old, new)
    for pattern, replacement in _SPACED:
        line = pattern.sub(replacement, line.strip())
    return line
