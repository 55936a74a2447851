"""The passages of a question set as they are, with their titles withheld, and run together into long documents."""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from benchmarks.data import filled, load
from benchmarks.recorded_workspace import RECORDED, recorded_workspace
from polyadic.config import ReadingSettings
from polyadic.evaluation.datasets import Dataset, DatasetQuestion, corpus_id
from polyadic.evaluation.outcome import QuestionOutcome
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Document, Item, SourceSpan, Span
from polyadic.retrieval.token_budget import truncate_to_budget
from polyadic.workspace import Workspace

EVERYTHING = 10**6
"""Tokens; more than any method finds."""
RANKED_TOKENS = 4000
"""Passages are ranked by where they first appear within so many tokens."""
RUN_TOGETHER = 20
_SEED = 1
# Made here and named after no file.
_MADE = "mem:"


class Telling(StrEnum):
    """How a workspace is told the passages."""

    PLAIN = "as they are"
    UNTITLED = "titles withheld"
    CONCATENATED = f"{RUN_TOGETHER} in a document"


@dataclass(frozen=True, slots=True)
class Corpus:
    """A question set, a workspace that holds its passages, and by source which passage stands where in a document."""

    name: str
    telling: Telling
    questions: tuple[DatasetQuestion, ...]
    workspace: Workspace
    passages: Mapping[str, tuple[tuple[str, Span], ...]]

    def outcome(self, question: DatasetQuestion, items: Sequence[Item]) -> QuestionOutcome:
        """What was retrieved, as measures take it; a passage is there as soon as a character of it is."""
        kept, _ = truncate_to_budget(items, RANKED_TOKENS)
        found = (passage for item in kept for place in item.places for passage, _ in self._parts(place))
        return QuestionOutcome(question, tuple(dict.fromkeys(found)))

    def covered(self, question: DatasetQuestion, items: Sequence[Item], tokens: int) -> float:
        """The share of the gold passages of which something is among what fits into so many tokens."""
        kept, _ = truncate_to_budget(items, tokens)
        found = {passage for item in kept for place in item.places for passage, _ in self._parts(place)}
        return len(question.gold & found) / len(question.gold)

    def read(self, question: DatasetQuestion, items: Sequence[Item], tokens: int) -> float:
        """The share of their characters that is among what fits, a mean over the gold passages."""
        kept, _ = truncate_to_budget(items, tokens)
        shown: dict[str, set[int]] = {passage: set() for passage in question.gold}
        for place in (place for item in kept for place in item.places):
            for passage, span in self._parts(place):
                if passage in shown:
                    shown[passage].update(range(span.start, span.end))
        lengths = {passage: span.end - span.start for parts in self.passages.values() for passage, span in parts}
        return sum(len(characters) / lengths[passage] for passage, characters in shown.items()) / len(shown)

    def _parts(self, place: SourceSpan) -> Iterator[tuple[str, Span]]:
        """The passages that a place reaches into, and what part of the document each shares with it."""
        for passage, span in self.passages[place.source]:
            start, end = max(span.start, place.span.start), min(span.end, place.span.end)
            if start < end:
                yield passage, Span(start, end)


def corpus(name: str, telling: Telling, folder: Path) -> Corpus:
    """The workspace below ``folder``, filled now if it is not yet; without a language model."""
    dataset = load(name)
    documents = _documents(dataset)
    if telling is Telling.PLAIN:
        return Corpus(name, telling, dataset.questions, filled(dataset, folder), _alone(documents))
    if telling is Telling.UNTITLED:
        told = [Document(f"{_MADE}#{corpus_id(document.source)}", "", document.text) for document in documents]
        places = _alone(told)
    else:
        together = list(_together(documents))
        told = [document for document, _ in together]
        places = {document.source: parts for document, parts in together}
    workspace = Workspace(folder / f"{name}-{telling.name.lower()}")
    workspace.add(told)
    return Corpus(f"{name}, {telling}", telling, dataset.questions, workspace, places)


@contextmanager
def corpora(wanted: Sequence[tuple[str, Telling]], folder: Path) -> Iterator[list[Corpus]]:
    """Corpora that are closed in the end; the last is that with recorded facts of a language model."""
    with ExitStack() as stack:
        found = [corpus(name, telling, folder) for name, telling in wanted]
        for one in found:
            stack.enter_context(one.workspace)
        workspace = stack.enter_context(recorded_workspace(folder))
        dataset = load(RECORDED)
        passages = _alone(_documents(dataset))
        yield [*found, Corpus(f"{RECORDED}, recorded facts", Telling.PLAIN, dataset.questions, workspace, passages)]


def _documents(dataset: Dataset) -> list[Document]:
    found = read_documents([dataset.corpus], ReadingSettings())
    return [document for document in found if isinstance(document, Document)]


def _alone(documents: Sequence[Document]) -> dict[str, tuple[tuple[str, Span], ...]]:
    return {document.source: ((corpus_id(document.source), _inner(document.text)),) for document in documents}


def _inner(text: str) -> Span:
    """A text without the white space around it."""
    start = len(text) - len(text.lstrip())
    return Span(start, start + len(text.strip()))


def _together(documents: Sequence[Document]) -> Iterator[tuple[Document, tuple[tuple[str, Span], ...]]]:
    """Documents of many passages in a drawn order, each on a line, and where each of them stands."""
    drawn = sorted(documents, key=lambda document: corpus_id(document.source))
    random.Random(_SEED).shuffle(drawn)  # noqa: S311
    for first in range(0, len(drawn), RUN_TOGETHER):
        text, parts = "", []
        for document in drawn[first : first + RUN_TOGETHER]:
            passage = document.text.strip()
            parts.append((corpus_id(document.source), Span(len(text), len(text) + len(passage))))
            text += f"{passage}\n"
        yield Document(f"{_MADE}cat#{first}", "", text), tuple(parts)
