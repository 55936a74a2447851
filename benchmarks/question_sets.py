"""The question sets for development, from which the ranking of passages and sentences is learned.

No held-out kind of document, and no held-out small collection, is among them.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.data import data_folder, filled, load
from benchmarks.ordinary.documents import fetched
from benchmarks.ordinary.questions import OWN, OrdinaryQuestion, Split, load_questions
from benchmarks.recorded_workspace import recorded_workspace
from benchmarks.small.collections import small_collections
from polyadic.config import EmbeddingSettings, Settings
from polyadic.evaluation.answer_checks import can_be_quoted, holds_an_answer
from polyadic.evaluation.dataset_formats import load_beir
from polyadic.evaluation.datasets import DatasetQuestion, corpus_id
from polyadic.model.types import SourceSpan
from polyadic.workspace import Workspace

MULTI_HOP = ("hotpotqa-100", "2wiki-101")
RECORDED = "2wiki-101 recorded"
SMALL = ("small alone", "small together")
HASHING = Settings(embedding=EmbeddingSettings(model="hashing"))
# Questions of the first are asked of the documents of the second, which do not answer them.
UNANSWERABLE = (
    ("hotpotqa-100", "2wiki-101"),
    ("2wiki-101", "hotpotqa-100"),
    ("2wiki-101", "hotpotqa-100 hashing"),
    ("hotpotqa-100", "ordinary-debian"),
    ("xquad-de", "ordinary-debian"),
    ("xquad-zh", "ordinary-debian"),
)


@dataclass(frozen=True, slots=True)
class Asking:
    """A question, the workspace to ask, and whether a passage (``holds``) or a sentence (``in_a_sentence``) answers."""

    text: str
    workspace: Workspace
    is_answerable: bool
    holds: Callable[[SourceSpan], bool]
    in_a_sentence: Callable[[str], bool]


QuestionSet = Sequence[Asking]


def question_sets(
    folder: Path, stack: ExitStack, only: Collection[str] | None = None
) -> Iterator[tuple[str, QuestionSet]]:
    """Yield the question sets by name; their workspaces are kept below a folder, and open as long as the stack.

    With ``only``, the others are left out, and their documents are not indexed.
    """
    for name, build in _builders(folder, stack):
        if only is None or name in only:
            yield name, build()


def _builders(folder: Path, stack: ExitStack) -> Iterator[tuple[str, Callable[[], QuestionSet]]]:
    for name in MULTI_HOP:
        yield name, partial(_multi_hop, name, folder, stack)
    yield RECORDED, partial(_recorded, folder, stack)
    for language in ("de", "zh"):
        corpus = data_folder() / "xquad" / language
        for name, settings in ((f"xquad-{language}", None), (f"xquad-{language} hashing", HASHING)):
            yield name, partial(_beir, corpus, folder / name.replace(" ", "-"), stack, settings)
    corpus = data_folder() / MULTI_HOP[0]
    yield f"{MULTI_HOP[0]} hashing", partial(_beir, corpus, folder / f"{MULTI_HOP[0]}-hashing", stack, HASHING)
    yield "ordinary-shared", partial(_ordinary_shared, folder, stack)
    yield "ordinary-debian", partial(_ordinary_debian, folder, stack)
    yield SMALL[0], partial(_small_alone, folder, stack)
    yield SMALL[1], partial(_small_together, folder, stack)


def _multi_hop(name: str, folder: Path, stack: ExitStack) -> QuestionSet:
    dataset = load(name)
    return _of_dataset(stack.enter_context(filled(dataset, folder)), dataset.questions)


def _recorded(folder: Path, stack: ExitStack) -> QuestionSet:
    return _of_dataset(stack.enter_context(recorded_workspace(folder)), load(MULTI_HOP[1]).questions)


def _beir(data: Path, folder: Path, stack: ExitStack, settings: Settings | None) -> QuestionSet:
    dataset = load_beir(data)
    return _of_dataset(_indexed(folder, dataset.corpus, stack, settings), dataset.questions)


def _ordinary_shared(folder: Path, stack: ExitStack) -> QuestionSet:
    shared = data_folder() / "ordinary"
    workspace = _indexed(folder / "ordinary-shared", shared / "documents", stack)
    return _ordinary(workspace, load_questions(shared / "questions.tsv"))


def _ordinary_debian(folder: Path, stack: ExitStack) -> QuestionSet:
    return _ordinary(_indexed(folder / "ordinary-debian", fetched(folder), stack), load_questions(OWN))


def unanswerable_sets(sets: Mapping[str, QuestionSet]) -> Iterator[tuple[str, QuestionSet]]:
    """Yield sets of questions that are asked of the documents of another set, which do not answer them."""
    for one, other in UNANSWERABLE:
        if one not in sets or other not in sets:
            continue
        workspace = sets[other][0].workspace
        yield (
            f"{one} asked of {other}",
            [Asking(asking.text, workspace, False, _never, _never) for asking in sets[one]],
        )


def _small_alone(folder: Path, stack: ExitStack) -> QuestionSet:
    """The small collections, each in a workspace of its own."""
    collections = list(small_collections(Split.DEVELOPMENT))
    alone = [(stack.enter_context(one.workspace(folder / "small")), one.questions) for one in collections]
    return [asking for workspace, questions in alone for asking in _ordinary(workspace, questions)]


def _small_together(folder: Path, stack: ExitStack) -> QuestionSet:
    """The small collections in one workspace; their documents are written when each has one of its own."""
    collections = list(small_collections(Split.DEVELOPMENT))
    for one in collections:
        stack.enter_context(one.workspace(folder / "small"))
    together = _indexed(folder / "small-together", folder / "small" / "documents", stack)
    # What one collection does not answer, another may.
    answerable = [question for one in collections for question in one.questions if question.is_answerable]
    return _ordinary(together, answerable)


def _indexed(folder: Path, documents: Path, stack: ExitStack, settings: Settings | None = None) -> Workspace:
    workspace = stack.enter_context(Workspace(folder, settings))
    workspace.index([documents])
    return workspace


def _of_dataset(workspace: Workspace, questions: Sequence[DatasetQuestion]) -> list[Asking]:
    return [_with_gold(workspace, question) for question in questions]


def _with_gold(workspace: Workspace, question: DatasetQuestion) -> Asking:
    answers = question.answers if can_be_quoted(question) else ()
    return Asking(
        question.text,
        workspace,
        True,
        lambda place: corpus_id(place.source) in question.gold,
        lambda text: bool(answers) and (holds_an_answer(text, answers) or _unspaced(text, answers)),
    )


def _unspaced(text: str, answers: Sequence[str]) -> bool:
    """Return whether an answer in a script without spaces occurs in a text."""
    return any(not answer.isascii() and len(answer) > 1 and answer in text for answer in answers)


def _ordinary(workspace: Workspace, questions: Sequence[OrdinaryQuestion]) -> list[Asking]:
    return [
        Asking(
            one.text,
            workspace,
            one.is_answerable,
            lambda place, one=one: one.is_answered_by(place.quote),  # type: ignore[misc]
            one.is_answered_by,
        )
        for one in questions
        if one.split is Split.DEVELOPMENT
    ]


def _never(_: object) -> bool:
    return False
