"""Read the examples for answer sentence selection: questions, sentences that answer them, and sentences that do not.

Four public data sets are read from a folder, as they are published:

- SQuAD 1.1 (arXiv 1606.05250, CC BY-SA 4.0) as the pairs of sentence and question of arXiv 1705.00106:
  ``src-dev.txt``, ``tgt-dev.txt``, ``src-test.txt``, ``tgt-test.txt``;
- COVID-QA (Apache-2.0): ``200423_covidQA.json``;
- QED (arXiv 2009.06354, CC BY-SA 3.0), questions of Natural Questions: ``qed-dev.jsonlines``;
- SelQA (arXiv 1606.08513, Apache-2.0), half of whose questions are paraphrases that share few words with the answer:
  ``selqa-ass-dev.json``, ``selqa-ass-test.json``.

``documents/`` has invented documents of everyday kinds, with questions; none is of a kind that ``benchmarks.ordinary``
or ``benchmarks.small`` holds out.
"""

import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.answer_selection.distractors import Pooled, found_elsewhere
from polyadic.text.stopwords import function_words

DOCUMENTS = Path(__file__).parent / "documents"
MOST_WRONG = 9
_NEIGHBOURS = 70
_ELSEWHERE, _SAME_SUBJECT = 12, 800
_NAMED = re.compile(r"\s[A-Z]\w+")
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z0-9\"'(\[])|\n+")
_SHORTEST = 16
# Brackets and quotation marks as the Penn Treebank writes them, and spaces before punctuation.
_TREEBANK = (("-lrb-", "("), ("-rrb-", ")"), ("-lsb-", "["), ("-rsb-", "]"), ("``", '"'), ("''", '"'))
_SPACED = (
    (re.compile(r" ([.,;:?!%)\]])"), r"\1"),
    (re.compile(r"([(\[$]) "), r"\1"),
    (re.compile(r" ('s|n't)"), r"\1"),
)


@dataclass(frozen=True, slots=True)
class Example:
    """A question, sentences that answer it (none for an unanswerable one), and others; each with its context.

    ``wrong`` are of the same document, ``elsewhere`` of others. ``source`` names the document, and ``place`` is where
    the question's sentence stands in a source that has many.
    """

    question: str
    right: Sequence[tuple[str, str]]
    wrong: Sequence[tuple[str, str]]
    source: str
    place: int = 0
    elsewhere: Sequence[tuple[str, str]] = ()


def public_examples(folder: Path, chance: random.Random) -> Iterator[Example]:
    """Yield the examples of the public data sets."""
    for part in ("dev", "test"):
        yield from _squad(folder, part, chance)
    yield from _covid(folder / "200423_covidQA.json", chance)
    yield from _qed(folder / "qed-dev.jsonlines")
    for part in ("dev", "test"):
        yield from _selqa(folder / f"selqa-ass-{part}.json", chance)


def own_examples(chance: random.Random) -> Iterator[Example]:
    """Yield the examples of the invented documents."""
    for file in sorted(DOCUMENTS.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield from _document(json.loads(line), chance)


def with_distractors(public: Sequence[Example], own: Sequence[Example]) -> tuple[list[Example], list[Example]]:
    """Add to each example the sentences of other documents that a search finds for its question.

    Another invented document may answer a question that names nothing: for these, only public ones are searched.
    """
    everywhere = [*public, *(one for one in own if _NAMED.search(one.question))]
    apart = [one for one in own if not _NAMED.search(one.question)]
    found = {}
    for examples, pool in ((everywhere, _pool([*public, *own])), (apart, _pool(public))):
        asked = [(one.question, one.source, one.place) for one in examples]
        for one, elsewhere in zip(examples, found_elsewhere(asked, pool, _ELSEWHERE, _SAME_SUBJECT), strict=True):
            found[id(one)] = replace(one, elsewhere=elsewhere)
    return [found[id(one)] for one in public], [found[id(one)] for one in own]


def _pool(examples: Sequence[Example]) -> list[Pooled]:
    pooled = {pair: Pooled(pair, one.source, one.place) for one in examples for pair in (*one.right, *one.wrong)}
    return list(pooled.values())


def _document(document: Mapping[str, Any], chance: random.Random) -> Iterator[Example]:
    sentences = [
        (" : ".join(filter(None, (document["title"], section["heading"]))), sentence)
        for section in document["sections"]
        for sentence in section["sentences"]
    ]
    rarity = _rarity([text for _, text in sentences])
    for asked in document["questions"]:
        right = [sentences[number] for number in asked["answers"]]
        others = [pair for pair in sentences if pair not in right]
        yield Example(asked["q"], right, _tempting(asked["q"], others, rarity, chance), document["title"])


def _squad(folder: Path, part: str, chance: random.Random) -> Iterator[Example]:
    sentences, questions = (
        [_spaced(line) for line in (folder / f"{side}-{part}.txt").read_text(encoding="utf-8").splitlines()]
        for side in ("src", "tgt")
    )
    rarity = _rarity(list(dict.fromkeys(sentences)))
    for place, (right, question) in enumerate(zip(sentences, questions, strict=True)):
        around = dict.fromkeys(sentences[max(0, place - _NEIGHBOURS) : place + _NEIGHBOURS + 1])
        others = [("", sentence) for sentence in around if sentence != right]
        yield Example(question, [("", right)], _tempting(question, others, rarity, chance), f"squad {part}", place)


def _covid(file: Path, chance: random.Random) -> Iterator[Example]:
    for number, article in enumerate(json.loads(file.read_text(encoding="utf-8"))["data"]):
        for paragraph in article["paragraphs"]:
            text = paragraph["context"]
            spans = [(start, end) for start, end in _spans(text) if end - start >= _SHORTEST]
            rarity = _rarity([text[start:end] for start, end in spans])
            for asked in paragraph["qas"]:
                answers = [(one["answer_start"], one["answer_start"] + len(one["text"])) for one in asked["answers"]]
                right = [span for span in spans if any(span[0] < end and span[1] > start for start, end in answers)]
                if right:
                    others = [("", text[start:end]) for start, end in spans if (start, end) not in right]
                    wrong = _tempting(asked["question"], others, rarity, chance)
                    pairs = [("", text[start:end]) for start, end in right[:2]]
                    yield Example(asked["question"], pairs, wrong, f"covid {number}")


def _qed(file: Path) -> Iterator[Example]:
    for line in file.read_text(encoding="utf-8").splitlines():
        found = json.loads(line)
        text, starts = found["paragraph_text"], found["sentence_starts"]
        answers = [part["start"] for answer in found["original_nq_answers"] for part in answer]
        right: list[tuple[str, str]] = []
        wrong: list[tuple[str, str]] = []
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            answered = any(start <= answer < end for answer in answers)
            (right if answered else wrong).append((found["title_text"], text[start:end].strip()))
        if right and wrong:
            yield Example(found["question_text"], right[:2], wrong[:MOST_WRONG], found["title_text"])


def _selqa(file: Path, chance: random.Random) -> Iterator[Example]:
    for asked in json.loads(file.read_text(encoding="utf-8")):
        context = f"{asked['article']} : {asked['section']}"
        pairs = [(context, sentence) for sentence in asked["candidates"]]
        right = [pairs[number] for number in asked["answers"]]
        others = [pair for pair in pairs if pair not in right]
        if right and others:
            wrong = _tempting(asked["question"], others, _rarity(asked["candidates"]), chance)
            yield Example(asked["question"], right[:2], wrong, asked["article"])


def _tempting(
    question: str, sentences: Sequence[tuple[str, str]], rarity: Mapping[str, float], chance: random.Random
) -> list[tuple[str, str]]:
    """Choose sentences that do not answer: two of three share rare words with the question."""
    asked = _words(question) - function_words("en")

    def shared(pair: tuple[str, str]) -> float:
        common = sum(rarity.get(word, 0.0) for word in asked & _words(pair[1]))
        return common / (1 + len(pair[1]) / 500) + chance.random() / 2

    ranked = sorted(sentences, key=shared, reverse=True)
    near, rest = ranked[: 2 * MOST_WRONG], ranked[2 * MOST_WRONG :]
    chance.shuffle(near)
    chance.shuffle(rest)
    most_near = max(2 * MOST_WRONG // 3, MOST_WRONG - len(rest))
    return [*near[:most_near], *rest][:MOST_WRONG]


def _rarity(sentences: Sequence[str]) -> dict[str, float]:
    holding = Counter(word for sentence in sentences for word in _words(sentence))
    return {word: math.log1p(len(sentences) / (count + 1)) for word, count in holding.items()}


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _SENTENCE_END.finditer(text):
        yield start, end.start()
        start = end.end()
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
