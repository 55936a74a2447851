"""Corpora of a question set: passages unchanged, without titles, and concatenated into long documents."""

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
from polyadic.evaluation.question_record import QuestionOutcome
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Document, Item, SourceSpan, Span
from polyadic.retrieval.token_budget import truncate_to_budget
from polyadic.workspace import Workspace

EVERYTHING = 10**6
"""Token budget larger than any method can fill."""
RANKED_TOKENS = 4000
"""Passages are ranked by their first appearance within this number of tokens."""
RUN_TOGETHER = 20
_SEED = 1
# Source prefix of generated documents, which have no file.
_SOURCE_PREFIX = "mem:"


class PassageForm(StrEnum):
    """Form in which passages are indexed."""

    PLAIN = "as they are"
    UNTITLED = "titles withheld"
    CONCATENATED = f"{RUN_TOGETHER} in a document"


@dataclass(frozen=True, slots=True)
class Corpus:
    """A question set, a workspace with its passages, and the passages' spans by document source."""

    name: str
    form: PassageForm
    questions: tuple[DatasetQuestion, ...]
    workspace: Workspace
    passages: Mapping[str, tuple[tuple[str, Span], ...]]

    def outcome(self, question: DatasetQuestion, items: Sequence[Item]) -> QuestionOutcome:
        """Convert retrieved items to an outcome; a passage is retrieved if any character of it is."""
        kept, _ = truncate_to_budget(items, RANKED_TOKENS)
        passages = (passage for item in kept for place in item.places for passage, _ in self._parts(place))
        return QuestionOutcome(question, tuple(dict.fromkeys(passages)))

    def covered(self, question: DatasetQuestion, items: Sequence[Item], tokens: int) -> float:
        """Return the share of gold passages that overlap the items within a token budget."""
        kept, _ = truncate_to_budget(items, tokens)
        passages = {passage for item in kept for place in item.places for passage, _ in self._parts(place)}
        return len(question.gold & passages) / len(question.gold)

    def read(self, question: DatasetQuestion, items: Sequence[Item], tokens: int) -> float:
        """Return the mean share of a gold passage's characters within a token budget."""
        kept, _ = truncate_to_budget(items, tokens)
        shown: dict[str, set[int]] = {passage: set() for passage in question.gold}
        for place in (place for item in kept for place in item.places):
            for passage, span in self._parts(place):
                if passage in shown:
                    shown[passage].update(range(span.start, span.end))
        lengths = {passage: span.end - span.start for parts in self.passages.values() for passage, span in parts}
        return sum(len(characters) / lengths[passage] for passage, characters in shown.items()) / len(shown)

    def _parts(self, place: SourceSpan) -> Iterator[tuple[str, Span]]:
        """Yield the passages that a span overlaps, and the overlaps."""
        for passage, span in self.passages[place.source]:
            start, end = max(span.start, place.span.start), min(span.end, place.span.end)
            if start < end:
                yield passage, Span(start, end)


def corpus(name: str, form: PassageForm, folder: Path) -> Corpus:
    """Return a corpus with a workspace below ``folder``, which is filled, without a model, if necessary."""
    dataset = load(name)
    documents = _documents(dataset)
    if form is PassageForm.PLAIN:
        return Corpus(name, form, dataset.questions, filled(dataset, folder), _single_passage_spans(documents))
    if form is PassageForm.UNTITLED:
        documents_to_add = [
            Document(f"{_SOURCE_PREFIX}#{corpus_id(document.source)}", "", document.text) for document in documents
        ]
        places = _single_passage_spans(documents_to_add)
    else:
        concatenated = list(_concatenated(documents))
        documents_to_add = [document for document, _ in concatenated]
        places = {document.source: parts for document, parts in concatenated}
    workspace = Workspace(folder / f"{name}-{form.name.lower()}")
    workspace.add(documents_to_add)
    return Corpus(f"{name}, {form}", form, dataset.questions, workspace, places)


@contextmanager
def corpora(wanted: Sequence[tuple[str, PassageForm]], folder: Path) -> Iterator[list[Corpus]]:
    """Open corpora; the last one has the recorded facts of a language model."""
    with ExitStack() as stack:
        opened = [corpus(name, form, folder) for name, form in wanted]
        for opened_corpus in opened:
            stack.enter_context(opened_corpus.workspace)
        workspace = stack.enter_context(recorded_workspace(folder))
        dataset = load(RECORDED)
        passages = _single_passage_spans(_documents(dataset))
        yield [
            *opened,
            Corpus(f"{RECORDED}, recorded facts", PassageForm.PLAIN, dataset.questions, workspace, passages),
        ]


def _documents(dataset: Dataset) -> list[Document]:
    loaded = read_documents([dataset.corpus], ReadingSettings())
    return [document for document in loaded if isinstance(document, Document)]


def _single_passage_spans(documents: Sequence[Document]) -> dict[str, tuple[tuple[str, Span], ...]]:
    return {document.source: ((corpus_id(document.source), _stripped_span(document.text)),) for document in documents}


def _stripped_span(text: str) -> Span:
    """Return the span of a text without surrounding white space."""
    start = len(text) - len(text.lstrip())
    return Span(start, start + len(text.strip()))


def _concatenated(documents: Sequence[Document]) -> Iterator[tuple[Document, tuple[tuple[str, Span], ...]]]:
    """Yield documents of many passages in random order, one per line, and the spans of the passages."""
    drawn = sorted(documents, key=lambda document: corpus_id(document.source))
    random.Random(_SEED).shuffle(drawn)  # noqa: S311
    for first in range(0, len(drawn), RUN_TOGETHER):
        text, parts = "", []
        for document in drawn[first : first + RUN_TOGETHER]:
            passage = document.text.strip()
            parts.append((corpus_id(document.source), Span(len(text), len(text) + len(passage))))
            text += f"{passage}\n"
        yield Document(f"{_SOURCE_PREFIX}cat#{first}", "", text), tuple(parts)
