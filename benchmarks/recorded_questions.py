"""The questions about ``examples/spaceflight``, and how much of what they need a context shows."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmarks.data import data_folder
from benchmarks.recorded_contexts import RECORDED
from polyadic.generation.context import lay_out
from polyadic.model.identity import normal_text
from polyadic.model.types import Item, Knowledge
from polyadic.text.sentences import sentences

UNANSWERABLE = "unanswerable"
_SOURCE = re.compile(r"From “.*?”(?: \([^()]*\))?(?:, page \d+)?: ")


@dataclass(frozen=True, slots=True)
class RequiredPieces:
    """A question and patterns of the pieces of information that its answer requires; some require no certain ones."""

    kind: str
    question: str
    patterns: tuple[re.Pattern[str], ...]
    id: str = ""

    def retrieved(self, knowledge: Knowledge) -> float:
        """Return the share of the pieces that occur within one retrieved sentence or fact."""
        return self.share(text for item in knowledge.items for text in _texts(item))

    def shown(self, knowledge: Knowledge, context_tokens: int) -> float:
        """Return the share of the pieces that occur within one sentence of the context that a model sees."""
        return self.in_context(piece.text for piece in lay_out(knowledge, context_tokens).pieces)

    def in_context(self, pieces: Iterable[str]) -> float:
        """Return the share of the pieces that occur within one sentence of the numbered pieces of a context."""
        texts = (_SOURCE.sub("", piece, count=1) for piece in pieces)
        return self.share(normal_text(text[span.start : span.end]) for text in texts for span in sentences(text, "en"))

    def share(self, texts: Iterable[str]) -> float:
        """Return the share of the patterns that match any of the texts."""
        searched = list(texts)
        return sum(any(pattern.search(text) for text in searched) for pattern in self.patterns) / len(self.patterns)


def recorded_questions() -> Iterator[RequiredPieces]:
    """Yield all 30 questions."""
    for line in (data_folder() / RECORDED / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield RequiredPieces(row["kind"], row["question"], tuple(map(re.compile, row["needed"])), row["id"])


def _texts(item: Item) -> Iterator[str]:
    yield normal_text(item.text)
    for place in item.shown_places:
        yield from (normal_text(place.quote[span.start : span.end]) for span in sentences(place.quote, "en"))
