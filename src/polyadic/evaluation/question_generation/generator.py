"""From a workspace to a set of questions about it: facts are drawn, a model writes, what it wrote is checked."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from polyadic.errors import NotFound, SettingsError
from polyadic.evaluation.batch import EvaluationBatch
from polyadic.evaluation.judge_requests import replies
from polyadic.evaluation.question_generation import question_writer
from polyadic.evaluation.question_generation.review_file import (
    FILE_NAME,
    FactOrigin,
    GeneratedQuestion,
    add_to_review,
    write_whole,
)
from polyadic.evaluation.question_generation.sampling import (
    Arity,
    FactSample,
    FactSampling,
    SamplingStratum,
    sampled,
    strata,
)
from polyadic.llm.batch_model import ReplyPending
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.loading import load_language_model
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.store_cache import StoreResponseCache
from polyadic.model.identity import loose_name
from polyadic.query.engine import NO_MODEL
from polyadic.storage.protocol import Reader
from polyadic.workspace import Workspace

CONTEXTS_NAME = "contexts.json"
MOST_HOPS = 5


@dataclass(frozen=True, slots=True)
class QuestionQuota:
    """How many questions of what kind.

    ``count`` is how many are asked for, shared out as :func:`strata` says; fewer come out, since not every question
    that a model writes can be used.
    """

    count: int = 512
    arities: tuple[Arity, ...] = ("binary", "n-ary")
    hops: tuple[int, ...] = (1, 2, 3)
    sampling: FactSampling = FactSampling.CHAIN
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.hops or min(self.hops) < 1 or max(self.hops) > MOST_HOPS:
            raise SettingsError("a question is made from one to five facts", "give --hops such as 1,2,3")
        for given in (self.hops, self.arities):
            if len(set(given)) < len(given):
                raise SettingsError("a kind or a number of hops is named twice", "name it once")


@dataclass(frozen=True, slots=True)
class DrawnSamples:
    """How many samples of a stratum there are; fewer than wanted where the workspace has no more."""

    stratum: SamplingStratum
    samples: int


@dataclass(frozen=True, slots=True)
class QuestionGenerationReport:
    """What came of it: ``dropped`` counts questions that cannot be used by why, ``kept`` those that were in the review
    file already and stayed as they were."""

    drawn: tuple[DrawnSamples, ...]
    made: int
    kept: int
    dropped: Mapping[str, int]
    review: Path
    contexts: Path
    asked: int
    recalled: int


@dataclass(slots=True)
class _Checked:
    made: list[GeneratedQuestion] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def draw(kb: Workspace, wanted: QuestionQuota) -> list[tuple[SamplingStratum, list[FactSample]]]:
    """The facts that questions are to be made from.

    Raises
    ------
    NotFound
        There is no workspace, or no such facts in it.
    """
    shares = strata(wanted.count, wanted.arities, wanted.hops)
    with kb.store().read() as reader:
        drawn = [(stratum, sampled(reader, wanted.sampling, stratum, wanted.seed)) for stratum in shares]
    if not any(samples for _, samples in drawn):
        raise NotFound("no facts of this kind are in the workspace", "ask for others, or index documents first")
    return drawn


async def make_questions(
    kb: Workspace, wanted: QuestionQuota, folder: Path, by_file: EvaluationBatch | None = None
) -> QuestionGenerationReport:
    """Have a model write a question from each draw of facts, and write what can be used to a file for review.

    Replies are remembered by the workspace, so the same call goes on where it was stopped, and costs nothing again.
    The texts of all documents are written beside it, so that the questions can be put to anyone's method.

    Parameters
    ----------
    folder
        Where the files are written; made if it is not there.
    by_file
        Has the model asked by batch files instead of calls.

    Raises
    ------
    NotFound
        There is no workspace, or no such facts in it.
    SettingsError
        No language model is named.
    ModelUnavailable
        It is not to be had; what it wrote until then is remembered.
    ReplyPending
        Replies are to come from batch files; no file is written yet.
    """
    drawn = draw(kb, wanted)
    samples = list({sample.id: sample for _, several in drawn for sample in several}.values())
    prompt = PromptLibrary(kb.folder).get(question_writer.PROMPT)
    requests = [question_writer.request(sample, prompt) for sample in samples]
    async with _writer(kb, by_file) as model:
        said = await replies(model, requests, question_writer.is_readable, kb.settings.model.at_once)
    if by_file is not None and by_file.awaited:
        raise ReplyPending(*by_file.awaited)
    checked = _checked(samples, said, wanted.sampling)
    folder.mkdir(parents=True, exist_ok=True)
    with kb.store().read() as reader:
        texts = json.dumps(list(_texts(reader)), ensure_ascii=False, indent=1)
    write_whole(folder / CONTEXTS_NAME, f"{texts}\n")
    kept = add_to_review(checked.made, folder / FILE_NAME)
    return QuestionGenerationReport(
        tuple(DrawnSamples(stratum, len(several)) for stratum, several in drawn),
        len(checked.made),
        kept,
        dict(checked.dropped),
        folder / FILE_NAME,
        folder / CONTEXTS_NAME,
        len(requests) - model.recalled,
        model.recalled,
    )


@asynccontextmanager
async def _writer(kb: Workspace, by_file: EvaluationBatch | None) -> AsyncIterator[CachedModel]:
    """The model that writes questions: that of the settings, or the same one asked by batch files."""
    if by_file is not None:
        yield by_file.remembering()
        return
    model = load_language_model(kb.settings.model)
    if model is None:
        raise NO_MODEL
    model.check()
    try:
        yield CachedModel(model, StoreResponseCache(kb.store()))
    finally:
        await model.close()


def _checked(samples: Sequence[FactSample], said: Sequence[str | None], sampling: FactSampling) -> _Checked:
    checked, seen = _Checked(), set[str]()
    for sample, reply in zip(samples, said, strict=True):
        draft = None if reply is None else question_writer.read(reply)
        why = problem(draft, sample, sampling)
        if not why and draft is not None and loose_name(draft.question) in seen:
            why = "asked already"
        if why or draft is None:
            checked.dropped[why] += 1
        else:
            seen.add(loose_name(draft.question))
            checked.made.append(_made(draft, sample, sampling))
    return checked


def problem(draft: question_writer.DraftQuestion | None, sample: FactSample, sampling: FactSampling) -> str:
    """Why a question cannot be used; empty where it can."""
    if draft is None:
        return "no question could be read"
    if not set(draft.facts) <= set(range(1, len(sample.facts) + 1)):
        return "it names facts that are not there"
    if sampling is FactSampling.CHAIN and 0 < len(draft.facts) < len(sample.facts):
        return "it does not need all the facts"
    answers = question_writer.found_answers(draft, sample)
    if not answers:
        return "its answer does not stand in the facts"
    if any(question_writer.says(draft.question, answer) for answer in answers):
        return "it tells its own answer"
    return ""


def _made(draft: question_writer.DraftQuestion, sample: FactSample, sampling: FactSampling) -> GeneratedQuestion:
    numbers = sorted(draft.facts) or range(1, len(sample.facts) + 1)
    needed = [sample.facts[number - 1] for number in numbers]
    places = [sample.places[number - 1] for number in numbers]
    return GeneratedQuestion(
        sample.id,
        None,
        draft.question,
        question_writer.found_answers(draft, sample),
        tuple(fact.text for fact in needed),
        max(len(fact.entities) for fact in needed),
        len(needed),
        str(sampling),
        sample.joints,
        tuple(FactOrigin(place.source, place.span.start, place.span.end, place.quote) for place in places),
    )


def _texts(reader: Reader) -> Iterator[str]:
    """The text of every document, below its title where it does not begin with it."""
    for record in reader.documents():
        document = reader.document(record.id)
        begins = document.text.lstrip("# \t\n").startswith(document.title)
        yield document.text if begins else f"{document.title}\n\n{document.text}"
