"""What indexing would cost, before anything is spent: calls, tokens, money and time.

With a model, requests are made as indexing makes them and counted, so what is sent is known. How long replies will be
is not: it is taken from the calls that this workspace has paid for, and before the first one from a rule of thumb.
Without one, a sample is indexed (see trial_run.py). How fast this machine embeds is measured.
"""

import heapq
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from polyadic.chunking.chunker import chunk_document
from polyadic.chunking.embedding_windows import windows
from polyadic.config import ChunkingSettings, ModelSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.extraction.extractor import Extractor
from polyadic.extraction.llm_extractor import LLMExtractor
from polyadic.indexing.batching import readable
from polyadic.indexing.fingerprint import NOTHING_TO_DO, PipelineConfig, ReindexAction
from polyadic.indexing.publisher import language_of
from polyadic.indexing.report import IndexReport
from polyadic.indexing.trial_run import run_trial
from polyadic.llm.endpoint_model import price, prompt_tokens
from polyadic.llm.language_model import ModelRequest
from polyadic.loaders.error_isolation import DocumentDefect, on_one_document, skipped_because
from polyadic.loaders.skipped import SkippedInput
from polyadic.model.types import Chunk, Document, Usage
from polyadic.storage.protocol import Fingerprint

# Tokens of a reply for each token that a request adds to what is sent with every request, in the recorded replies of a
# large model for short encyclopaedic passages (the even-numbered half of 2Wiki-101): completion tokens / (prompt tokens
# - calls x tokens of an empty request). Prose brings less.
_REPLY_RATIO = 5.63
# Seconds a token of a reply takes, before any call has been timed.
_SECONDS_A_TOKEN = 1 / 60
# Replies differ in length about half as much as passages do, in the same recording: long ones are told more briefly.
_ALIKE = 0.5
# Texts to embed for each token of text: facts, and entities with their descriptions; measured on the same passages.
_TEXTS_A_TOKEN = 0.17
# Tokens and words of such a text, on the same passages.
_TOKENS_A_TEXT, _WORDS_A_TEXT = 15.5, 11
_SAMPLE, _RUN = 192, 4
# Embedding is timed with ever more texts until it has taken so many seconds.
_TIMED_SECONDS, _MOST_TIMED = 0.5, 256
# What an endpoint embeds, as a rule of thumb: timing it would cost money.
_TEXTS_A_SECOND = 1000


@dataclass(slots=True)
class IndexingEstimate:
    """What is to be expected. ``usage`` is what a language model would be paid, ``embedding_usage`` what an endpoint
    would be paid for embedding, ``seconds`` what the run would take.

    ``documents`` need work, ``unchanged`` and ``outdated`` ones none; for ``remembered`` chunks the reply is known
    already, or is that to another chunk. ``basis`` says where the length of replies was taken from; empty without a
    model.
    """

    extractor: str = ""
    documents: int = 0
    unchanged: int = 0
    outdated: int = 0
    chunks: int = 0
    remembered: int = 0
    usage: Usage = field(default_factory=Usage)
    embedding_usage: Usage = field(default_factory=Usage)
    texts_to_embed: int = 0
    seconds: float = 0.0
    basis: str = ""
    skipped: list[SkippedInput] = field(default_factory=list)
    unsupported: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class KnownWork:
    """What a workspace knows already: of documents, of requests, of earlier calls (by purpose and model)."""

    stamp: Callable[[str], Fingerprint | None] = lambda document_id: None
    is_remembered: Callable[[str], bool] = lambda key: False
    spent: Mapping[tuple[str, str], tuple[Usage, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IndexingEstimator:
    """What an indexing run would work with; as Indexer."""

    extractor: Extractor
    embedder: Embedder
    chunking: ChunkingSettings
    model: ModelSettings
    known: KnownWork
    anew: bool = False

    async def estimate(self, sources: Iterable[Document | SkippedInput]) -> IndexingEstimate:
        """Read the documents as indexing would, and ask nothing of any endpoint.

        A sample of the texts is embedded to see how fast this machine is, where it is this machine that embeds.
        """
        started = time.perf_counter()
        report = IndexReport()
        found = IndexingEstimate(self.extractor.name)
        recipe = PipelineConfig.of(self.extractor, self.chunking)
        totals = _Totals()
        for document in readable(sources, report):
            work = recipe.work_for(document.content, self.known.stamp(document.id), self.anew)
            found.unchanged += work in NOTHING_TO_DO
            found.outdated += work is ReindexAction.OUTDATED
            if work in NOTHING_TO_DO:
                continue
            try:
                self._add(document, found, totals)
                found.documents += 1
            except DocumentDefect as defect:
                report.skipped.append(skipped_because(document.source, defect))
        found.skipped, found.unsupported = report.skipped, report.unsupported
        if totals.calls:
            self._add_calls(found, totals)
        if self.extractor.paid:
            texts: Sequence[str] = self._guessed(totals)
        else:
            # Reading and cutting are done once more.
            found.seconds += time.perf_counter() - started
            texts = await self._tried(found, totals)
        found.texts_to_embed = round(totals.texts)
        found.embedding_usage = self.embedder.cost(found.texts_to_embed, round(totals.embedded))
        found.seconds += await self._embedding_seconds(totals, texts)
        return found

    def _add(self, document: Document, found: IndexingEstimate, totals: "_Totals") -> None:
        with on_one_document():
            chunks = chunk_document(document, self.chunking)
            texts = windows(document, chunks, language_of(document, self.chunking), self.embedder)
        found.chunks += len(chunks)
        if isinstance(self.extractor, LLMExtractor):
            for chunk in chunks:
                with on_one_document():
                    request = self.extractor.first_request(document, chunk)
                found.remembered += self._is_remembered(request, totals)
        some = [text for each in texts.values() for text in each]
        totals.texts += len(some)
        totals.tokens += sum(chunk.tokens for chunk in chunks)
        if not self._embeds_here:
            totals.embedded += sum(min(tokens, self.embedder.window) for tokens in self.embedder.lengths(some))
        for chunk in chunks:
            totals.sample.add((document, chunk))

    def _guessed(self, totals: "_Totals") -> list[str]:
        """Add the texts that a model's replies will bring; returns texts of such lengths, to be timed."""
        others = _TEXTS_A_TOKEN * totals.tokens
        each = round(others / max(1.0, totals.texts))
        totals.texts += others
        totals.embedded += _TOKENS_A_TEXT * others
        texts = []
        for document, chunk in totals.sample.kept:
            language = language_of(document, self.chunking)
            for window in (
                one for some in windows(document, [chunk], language, self.embedder).values() for one in some
            ):
                words = window.split()
                cut = [" ".join(words[at : at + _WORDS_A_TEXT]) for at in range(0, len(words), _WORDS_A_TEXT)]
                texts += [window, *cut[:each]]
        return texts

    async def _tried(self, found: IndexingEstimate, totals: "_Totals") -> Sequence[str]:
        """Add what indexing a sample tells of the whole; returns the texts of the sample, to be timed."""
        halves = [
            [Document(f"{document.source}#{chunk.id}", document.title, chunk.text) for document, chunk in half]
            for half in totals.sample.in_halves()
        ]
        sample = [one for half in halves for one in half]
        if not sample:
            return ()
        trial = await run_trial(sample, len(halves[0]), self.extractor, self.embedder, self.chunking)
        times = totals.tokens / max(1, sum(chunk.tokens for _, chunk in totals.sample.kept))
        others = trial.facts * times + trial.forms_in(times)
        found.seconds += trial.seconds * len(sample) * times
        totals.texts += others
        if not self._embeds_here:
            lengths = [min(tokens, self.embedder.window) for tokens in self.embedder.lengths(trial.others)]
            totals.embedded += others * sum(lengths) / max(1, len(lengths))
        return trial.texts

    @property
    def _embeds_here(self) -> bool:
        """Whether embedding makes no calls."""
        return not self.embedder.cost(1, 1).calls

    def _is_remembered(self, request: ModelRequest | None, totals: "_Totals") -> bool:
        """Whether the reply is known, or will be by then; if not, the call is counted."""
        if request is None:
            return False
        key = request.key(self.model.name)
        if key in totals.asked or self.known.is_remembered(key):
            return True
        totals.asked.add(key)
        totals.sent += (tokens := prompt_tokens(request))
        totals.new.append(tokens)
        return False

    def _add_calls(self, found: IndexingEstimate, totals: "_Totals") -> None:
        """Enter what the calls will cost."""
        ratio, second = self._experience(found)
        around = self._around()
        lengths = [min(ratio * max(1, tokens - around), self.model.output_tokens) for tokens in totals.new]
        first = sum(lengths)
        looks = self._further_looks(found, totals.calls)
        sent, received = totals.sent + looks.prompt_tokens, round(first) + looks.completion_tokens
        found.usage = Usage(totals.calls + looks.calls, sent, received, price(sent, received, self.model))
        second *= received / max(1, first)
        alike = _ALIKE * first / totals.calls
        times = [second * (alike + (1 - _ALIKE) * length) for length in lengths]
        found.seconds = max(_time_of(times, self.model.at_once), self._least_seconds(found.usage))

    def _experience(self, found: IndexingEstimate) -> tuple[float, float]:
        """How many tokens a reply has for each that is new in its request, and how many seconds each of them takes."""
        before, seconds = self._spent("extract")
        if not before.completion_tokens:
            found.basis = f"replies {_REPLY_RATIO:.1f} times as long as the text, a rule of thumb: prose brings less"
            return _REPLY_RATIO, _SECONDS_A_TOKEN
        ratio = before.completion_tokens / max(1, before.prompt_tokens - before.calls * self._around())
        found.basis = f"replies {ratio:.1f} times as long as the text, as in {before.calls:,} calls before"
        # Replies that came by batch files took no time that could be measured.
        return ratio, seconds / before.completion_tokens or _SECONDS_A_TOKEN

    def _around(self) -> int:
        """The tokens that are in every request."""
        assert isinstance(self.extractor, LLMExtractor)  # noqa: S101 - there are no calls without it
        return prompt_tokens(self.extractor.empty_request())

    def _further_looks(self, found: IndexingEstimate, calls: int) -> Usage:
        """What gleaning will cost for so many first looks, if it costs what it did before."""
        assert isinstance(self.extractor, LLMExtractor)  # noqa: S101 - as above
        if not self.extractor.further_looks:
            return Usage()
        (first, _), (further, _) = self._spent("extract"), self._spent("glean")
        if not further.calls:
            found.basis += f"; up to {self.extractor.further_looks} further looks a chunk come on top"
            return Usage()
        share = calls / max(1, first.calls)
        return Usage(
            round(share * further.calls), round(share * further.prompt_tokens), round(share * further.completion_tokens)
        )

    def _spent(self, purpose: str) -> tuple[Usage, float]:
        return self.known.spent.get((purpose, self.model.name), (Usage(), 0.0))

    def _least_seconds(self, usage: Usage) -> float:
        """How long so much takes at least, by the limits of the settings."""
        calls, tokens = self.model.requests_per_minute, self.model.tokens_per_minute
        return max(60 * usage.calls / calls if calls else 0.0, 60 * usage.tokens / tokens if tokens else 0.0)

    async def _embedding_seconds(self, totals: "_Totals", texts: Sequence[str]) -> float:
        """How long embedding takes, by a few of these texts, which are such as all of them are."""
        if not self._embeds_here:
            return totals.texts / _TEXTS_A_SECOND
        if not texts:
            return 0.0
        await self.embedder.embed(texts[:1])  # loads the model
        # Short and long ones as there are of each.
        by_length = sorted(texts, key=len)
        seconds, number = 0.0, 16
        while True:
            some = _spread(by_length, number)
            started = time.perf_counter()
            await self.embedder.embed(some)
            seconds = time.perf_counter() - started
            if seconds >= _TIMED_SECONDS or number >= min(len(texts), _MOST_TIMED):
                return totals.texts * seconds / len(some)
            number *= 2


@dataclass(slots=True)
class _Sample:
    """Runs of chunks at equal distances from all that are added, however many: 192 to 384 chunks, or all.

    In runs, as neighbours name the same things: of chunks far apart one would expect far more names in the whole.
    """

    kept: list[tuple[Document, Chunk]] = field(default_factory=list)
    _runs: list[int] = field(default_factory=list)
    _added: int = 0
    _stride: int = 1

    def add(self, one: tuple[Document, Chunk]) -> None:
        run = self._added // _RUN
        if run % self._stride == 0:
            self.kept.append(one)
            self._runs.append(run)
            if len(self.kept) > 2 * _SAMPLE:
                self._stride *= 2
                kept = [(one, of) for one, of in zip(self.kept, self._runs, strict=True) if of % self._stride == 0]
                self.kept, self._runs = [one for one, _ in kept], [of for _, of in kept]
        self._added += 1

    def in_halves(self) -> tuple[list[tuple[Document, Chunk]], list[tuple[Document, Chunk]]]:
        """Every other run, and those between them."""
        numbered = list(zip(self.kept, self._runs, strict=True))
        first = [one for one, run in numbered if run // self._stride % 2 == 0]
        return first, [one for one, run in numbered if run // self._stride % 2]


@dataclass(slots=True)
class _Totals:
    """What has been counted so far; ``new`` are the tokens of each request that has to be paid for.

    ``tokens`` are those of all chunks; ``embedded`` the tokens to embed, counted only where an endpoint embeds.
    """

    sent: int = 0
    texts: float = 0.0
    embedded: float = 0.0
    new: list[int] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    tokens: int = 0
    sample: _Sample = field(default_factory=_Sample)

    @property
    def calls(self) -> int:
        return len(self.asked)


def _spread(texts: Sequence[str], number: int) -> list[str]:
    """So many of the texts, at equal distances.

    >>> _spread("abcdefgh", 4), _spread("ab", 4)
    (['b', 'd', 'f', 'h'], ['a', 'b'])
    """
    number = min(number, len(texts))
    return [texts[(2 * place + 1) * len(texts) // (2 * number)] for place in range(number)]


def _time_of(calls: Sequence[float], at_once: int) -> float:
    """The seconds that calls of these lengths take, each begun as soon as there is room for it.

    >>> _time_of([2, 1, 1, 3], 2)
    5.0
    """
    ends = [0.0] * at_once
    for seconds in calls:
        heapq.heapreplace(ends, ends[0] + seconds)
    return max(ends)
