"""The question sets for development, from which the ranking of passages and sentences is learned.

No held-out kind of document, and no held-out small collection, is among them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import data_folder, filled, load
from benchmarks.ordinary.documents import fetched
from benchmarks.ordinary.questions import OWN, OrdinaryQuestion, Split, load_questions
from benchmarks.recorded_workspace import recorded_workspace
from benchmarks.small.collections import small_collections
from polyadic.config import EmbeddingSettings, Settings
from polyadic.evaluation.answer_checks import can_be_quoted, holds_an_answer
from polyadic.evaluation.datasets import DatasetQuestion, corpus_id, load_beir
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


def question_sets(folder: Path, stack: ExitStack) -> Iterator[tuple[str, QuestionSet]]:
    """Yield the question sets by name; their workspaces are kept below a folder, and open as long as the stack."""
    for name in MULTI_HOP:
        dataset = load(name)
        yield name, _of_dataset(stack.enter_context(filled(dataset, folder)), dataset.questions)
    yield RECORDED, _of_dataset(stack.enter_context(recorded_workspace(folder)), load(MULTI_HOP[1]).questions)
    for language in ("de", "zh"):
        dataset = load_beir(data_folder() / "xquad" / language)
        for name, settings in ((f"xquad-{language}", None), (f"xquad-{language} hashing", HASHING)):
            workspace = _indexed(folder / name.replace(" ", "-"), dataset.corpus, stack, settings)
            yield name, _of_dataset(workspace, dataset.questions)
    dataset = load(MULTI_HOP[0])
    hashing = _indexed(folder / f"{MULTI_HOP[0]}-hashing", dataset.corpus, stack, HASHING)
    yield f"{MULTI_HOP[0]} hashing", _of_dataset(hashing, dataset.questions)
    shared = data_folder() / "ordinary"
    workspace = _indexed(folder / "ordinary-shared", shared / "documents", stack)
    yield "ordinary-shared", _ordinary(workspace, load_questions(shared / "questions.tsv"))
    yield (
        "ordinary-debian",
        _ordinary(_indexed(folder / "ordinary-debian", fetched(folder), stack), load_questions(OWN)),
    )
    yield from _small(folder, stack)


def unanswerable_sets(sets: Mapping[str, QuestionSet]) -> Iterator[tuple[str, QuestionSet]]:
    """Yield sets of questions that are asked of the documents of another set, which do not answer them."""
    for one, other in UNANSWERABLE:
        workspace = sets[other][0].workspace
        yield (
            f"{one} asked of {other}",
            [Asking(asking.text, workspace, False, _never, _never) for asking in sets[one]],
        )


def _small(folder: Path, stack: ExitStack) -> Iterator[tuple[str, QuestionSet]]:
    """Yield the small collections, each in a workspace of its own, and all in one."""
    collections = list(small_collections(Split.DEVELOPMENT))
    alone = [(stack.enter_context(one.workspace(folder / "small")), one.questions) for one in collections]
    yield SMALL[0], [asking for workspace, questions in alone for asking in _ordinary(workspace, questions)]
    together = _indexed(folder / "small-together", folder / "small" / "documents", stack)
    # What one collection does not answer, another may.
    answerable = [question for one in collections for question in one.questions if question.is_answerable]
    yield SMALL[1], _ordinary(together, answerable)


def _indexed(folder: Path, documents: Path, stack: ExitStack, settings: Settings | None = None) -> Workspace:
    workspace = stack.enter_context(Workspace(folder, settings))
    workspace.index([documents])
    return workspace


def _of_dataset(workspace: Workspace, questions: Sequence[DatasetQuestion]) -> list[Asking]:
    return [_with_gold(workspace, question) for question in questions]


def _with_gold(workspace: Workspace, question: DatasetQuestion) -> Asking:
    golden = question.answers if can_be_quoted(question) else ()
    return Asking(
        question.text,
        workspace,
        True,
        lambda place: corpus_id(place.source) in question.gold,
        lambda text: bool(golden) and (holds_an_answer(text, golden) or _unspaced(text, golden)),
    )


def _unspaced(text: str, golden: Sequence[str]) -> bool:
    """Return whether an answer in a script without spaces occurs in a text."""
    return any(not answer.isascii() and len(answer) > 1 and answer in text for answer in golden)


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
