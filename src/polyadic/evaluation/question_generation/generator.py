"""Generate questions about a workspace: sample facts, have a model write questions, and check them."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from polyadic.errors import NO_MODEL, NotFound, SettingsError
from polyadic.evaluation.batch import EvaluationBatch
from polyadic.evaluation.measures.judge import replies
from polyadic.evaluation.question_generation import question_writer
from polyadic.evaluation.question_generation.fact_sampling import (
    Arity,
    FactSample,
    FactSampling,
    SamplingStratum,
    sampled,
    strata,
)
from polyadic.evaluation.question_generation.review_file import (
    CONTEXTS_NAME,
    FILE_NAME,
    FactOrigin,
    GeneratedQuestion,
    add_to_review,
    write_whole,
)
from polyadic.llm.batch_model import ReplyPending
from polyadic.llm.cached_model import CachedModel, StoreResponseCache
from polyadic.llm.loading import load_language_model
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.identity import loose_name
from polyadic.storage.protocol import Reader
from polyadic.workspace import Workspace

MOST_HOPS = 5


@dataclass(frozen=True, slots=True)
class QuestionQuota:
    """Number and types of questions to generate.

    ``count`` questions are requested, distributed by :func:`strata`; fewer result, since not every question that a
    model writes is usable.
    """

    count: int = 512
    arities: tuple[Arity, ...] = ("binary", "n-ary")
    hops: tuple[int, ...] = (1, 2, 3)
    sampling: FactSampling = FactSampling.CHAIN
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.hops or min(self.hops) < 1 or max(self.hops) > MOST_HOPS:
            raise SettingsError("a question needs one to five facts", "give --hops such as 1,2,3")
        for values in (self.hops, self.arities):
            if len(set(values)) < len(values):
                raise SettingsError("an arity or a number of hops is given twice", "give it once")


@dataclass(frozen=True, slots=True)
class DrawnSamples:
    """Number of samples of a stratum; fewer than wanted if the workspace has no more."""

    stratum: SamplingStratum
    samples: int


@dataclass(frozen=True, slots=True)
class QuestionGenerationReport:
    """Outcome of question generation.

    Attributes
    ----------
    made
        Number of usable questions.
    kept
        Number of these that were already in the review file.
    dropped
        Unusable questions, counted by reason.
    requests_sent, cache_hits
        Number of requests that were sent, and that were answered from the cache.
    """

    drawn: tuple[DrawnSamples, ...]
    made: int
    kept: int
    dropped: Mapping[str, int]
    review: Path
    contexts: Path
    requests_sent: int
    cache_hits: int


@dataclass(slots=True)
class _Checked:
    made: list[GeneratedQuestion] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def draw(kb: Workspace, wanted: QuestionQuota) -> list[tuple[SamplingStratum, list[FactSample]]]:
    """Sample facts for questions.

    Raises
    ------
    NotFound
        There is no workspace, or it has no such facts.
    """
    quotas = strata(wanted.count, wanted.arities, wanted.hops)
    with kb.store().read() as reader:
        drawn = [(stratum, sampled(reader, wanted.sampling, stratum, wanted.seed)) for stratum in quotas]
    if not any(samples for _, samples in drawn):
        raise NotFound("no facts of this kind in the workspace", "choose another kind, or index documents first")
    return drawn


async def make_questions(
    kb: Workspace, wanted: QuestionQuota, folder: Path, by_file: EvaluationBatch | None = None
) -> QuestionGenerationReport:
    """Have a model write a question for each sample of facts, and write the usable ones to a review file.

    Replies are cached in the workspace, so an interrupted call resumes and a repeated call costs nothing. The texts of
    all documents are written to the same folder, so that the questions can be used with other systems.

    Parameters
    ----------
    kb
        Workspace to sample facts from.
    wanted
        Number and types of questions.
    folder
        Output folder; created if necessary.
    by_file
        Sends requests by batch files instead of online calls.

    Raises
    ------
    NotFound
        There is no workspace, or it has no such facts.
    SettingsError
        No language model is configured.
    ModelUnavailable
        The model is unavailable; earlier replies are cached.
    ReplyPending
        Replies from batch files are missing; no file is written yet.
    """
    drawn = draw(kb, wanted)
    samples = list({sample.id: sample for _, group in drawn for sample in group}.values())
    prompt = PromptLibrary(kb.folder).get(question_writer.PROMPT)
    requests = [question_writer.request(sample, prompt) for sample in samples]
    async with _writer(kb, by_file) as model:
        reply_texts = await replies(
            model, requests, question_writer.is_readable, kb.settings.model.of_role("judging").at_once
        )
    if by_file is not None and by_file.pending:
        raise ReplyPending(*by_file.pending)
    checked = _check_drafts(samples, reply_texts, wanted.sampling)
    folder.mkdir(parents=True, exist_ok=True)
    with kb.store().read() as reader:
        texts = json.dumps(list(_texts(reader)), ensure_ascii=False, indent=1)
    write_whole(folder / CONTEXTS_NAME, f"{texts}\n")
    kept = add_to_review(checked.made, folder / FILE_NAME)
    return QuestionGenerationReport(
        tuple(DrawnSamples(stratum, len(group)) for stratum, group in drawn),
        len(checked.made),
        kept,
        dict(checked.dropped),
        folder / FILE_NAME,
        folder / CONTEXTS_NAME,
        len(requests) - model.cache_hits,
        model.cache_hits,
    )


@asynccontextmanager
async def _writer(kb: Workspace, by_file: EvaluationBatch | None) -> AsyncIterator[CachedModel]:
    """Provide the configured model, online or by batch files."""
    if by_file is not None:
        yield by_file.judge()
        return
    model = load_language_model(kb.settings.model, "judging")
    if model is None:
        raise NO_MODEL
    model.check()
    try:
        yield CachedModel(model, StoreResponseCache(kb.store()))
    finally:
        await model.close()


def _check_drafts(samples: Sequence[FactSample], reply_texts: Sequence[str | None], sampling: FactSampling) -> _Checked:
    checked, seen = _Checked(), set[str]()
    for sample, reply in zip(samples, reply_texts, strict=True):
        draft = None if reply is None else question_writer.read(reply)
        reason = problem(draft, sample, sampling)
        if not reason and draft is not None and loose_name(draft.question) in seen:
            reason = "duplicate question"
        if reason or draft is None:
            checked.dropped[reason] += 1
        else:
            seen.add(loose_name(draft.question))
            checked.made.append(_question(draft, sample, sampling))
    return checked


def problem(draft: question_writer.DraftQuestion | None, sample: FactSample, sampling: FactSampling) -> str:
    """Return why a question is unusable, or an empty string."""
    if draft is None:
        return "no question could be read"
    if not set(draft.facts) <= set(range(1, len(sample.facts) + 1)):
        return "it refers to facts that were not given"
    if sampling is FactSampling.CHAIN and 0 < len(draft.facts) < len(sample.facts):
        return "it does not need all the facts"
    answers = question_writer.found_answers(draft, sample)
    if not answers:
        return "its answer does not occur in the facts"
    if any(question_writer.says(draft.question, answer) for answer in answers):
        return "it contains its own answer"
    return ""


def _question(draft: question_writer.DraftQuestion, sample: FactSample, sampling: FactSampling) -> GeneratedQuestion:
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
    """Yield the text of every document, preceded by its title unless it starts with it."""
    for record in reader.records.documents():
        document = reader.records.document(record.id)
        starts_with_title = document.text.lstrip("# \t\n").startswith(document.title)
        yield document.text if starts_with_title else f"{document.title}\n\n{document.text}"
