"""What indexing would cost, before anything is spent: calls, tokens, money and time.

Requests are made as indexing makes them and counted, so what is sent is known. How long replies will be is not: it is
taken from the calls that this workspace has paid for, and before the first one from a rule of thumb.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from polyadic.construction.chunk import chunk_document
from polyadic.construction.extractor import Extractor
from polyadic.construction.index_report import IndexReport
from polyadic.construction.indexing import language_of, readable
from polyadic.construction.model_facts import ModelExtractor
from polyadic.construction.reading.skipped import Skipped
from polyadic.construction.recipe import NOTHING_TO_DO, Recipe, Work
from polyadic.construction.windows import windows
from polyadic.knowledge import Chunk, Document, Usage
from polyadic.models.embedder import Embedder
from polyadic.models.endpoint_model import price, prompt_tokens
from polyadic.settings import ChunkingSettings, ModelSettings
from polyadic.store.protocol import Stamp

# Tokens of a reply for each token of new text, in the recorded replies of a large model for short encyclopaedic
# passages (the even-numbered half of 2Wiki-101). Prose brings less.
_REPLY_RATIO = 6.2
# Seconds a token of a reply takes, before any call has been timed.
_SECONDS_A_TOKEN = 1 / 60
# Texts to embed for each token of text: facts, and entities with their descriptions; measured on the same passages.
_TEXTS_A_TOKEN = {"model": 0.17, "sentences": 0.12}
_SAMPLE = 48


@dataclass(slots=True)
class Estimate:
    """What is to be expected. ``usage`` is what a language model would be paid, ``seconds`` what the run would take.

    ``documents`` need work, ``unchanged`` and ``outdated`` ones none; for ``remembered`` chunks the reply is known
    already. ``basis`` says where the length of replies was taken from; empty without a model.
    """

    extractor: str = ""
    documents: int = 0
    unchanged: int = 0
    outdated: int = 0
    chunks: int = 0
    remembered: int = 0
    usage: Usage = field(default_factory=Usage)
    texts_to_embed: int = 0
    seconds: float = 0.0
    basis: str = ""
    skipped: list[Skipped] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Known:
    """What a workspace knows already: of documents, of requests, of earlier calls (by purpose and model)."""

    stamp: Callable[[str], Stamp | None] = lambda document_id: None
    is_remembered: Callable[[str], bool] = lambda key: False
    spent: Mapping[tuple[str, str], tuple[Usage, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Estimator:
    """What an indexing run would work with; as Indexer."""

    extractor: Extractor
    embedder: Embedder
    chunking: ChunkingSettings
    model: ModelSettings
    known: Known
    anew: bool = False

    async def estimate(self, sources: Iterable[Document | Skipped]) -> Estimate:
        """Read the documents as indexing would, and ask nothing of any language model.

        A sample of the texts is embedded, to see how fast this machine is.
        """
        report = IndexReport()
        found = Estimate(self.extractor.name)
        recipe = Recipe.of(self.extractor, self.chunking)
        sample: list[str] = []
        totals = _Totals()
        for document in readable(sources, report):
            work = recipe.work_for(document.content, self.known.stamp(document.id), self.anew)
            found.unchanged += work in NOTHING_TO_DO
            found.outdated += work is Work.OUTDATED
            if work not in NOTHING_TO_DO:
                found.documents += 1
                self._add(document, found, totals, sample)
        found.skipped = report.skipped
        found.usage = self._usage(totals, found)
        found.texts_to_embed = round(totals.texts)
        found.seconds = self._model_seconds(found.usage) + await self._embedding_seconds(found.texts_to_embed, sample)
        return found

    def _add(self, document: Document, found: Estimate, totals: "_Totals", sample: list[str]) -> None:
        chunks = chunk_document(document, self.chunking)
        found.chunks += len(chunks)
        for chunk in chunks:
            self._add_request(document, chunk, found, totals)
        texts = windows(document, chunks, language_of(document, self.chunking), self.embedder)
        some = [text for each in texts.values() for text in each]
        kind = "model" if self.extractor.paid else "sentences"
        totals.texts += len(some) + _TEXTS_A_TOKEN[kind] * sum(chunk.tokens for chunk in chunks)
        sample += some[: _SAMPLE - len(sample)]

    def _add_request(self, document: Document, chunk: Chunk, found: Estimate, totals: "_Totals") -> None:
        if not isinstance(self.extractor, ModelExtractor):
            return
        request = self.extractor.first_request(document, chunk)
        if request is None:
            return
        if self.known.is_remembered(request.key(self.model.name)):
            found.remembered += 1
            return
        totals.calls += 1
        totals.sent += prompt_tokens(request)

    def _usage(self, totals: "_Totals", found: Estimate) -> Usage:
        if not isinstance(self.extractor, ModelExtractor) or not totals.calls:
            return Usage()
        around = prompt_tokens(self.extractor.empty_request())
        before, _ = self.known.spent.get(("extract", self.model.name), (Usage(), 0.0))
        ratio = _REPLY_RATIO
        found.basis = f"replies {ratio:g} times as long as the text, a rule of thumb: prose brings less"
        if before.calls:
            ratio = before.completion_tokens / max(1, before.prompt_tokens - before.calls * around)
            found.basis = f"replies {ratio:.1f} times as long as the text, as in {before.calls:,} calls before"
        received = round(min(ratio * (totals.sent - totals.calls * around), totals.calls * self.model.output_tokens))
        return Usage(totals.calls, totals.sent, received, price(totals.sent, received, self.model))

    def _model_seconds(self, usage: Usage) -> float:
        """How long the calls take, so many at once, within the limits of the settings."""
        before, seconds = self.known.spent.get(("extract", self.model.name), (Usage(), 0.0))
        a_token = seconds / before.completion_tokens if before.completion_tokens else _SECONDS_A_TOKEN
        at_once = max(1, min(self.model.at_once, usage.calls))
        waits = [usage.completion_tokens * a_token / at_once]
        if self.model.requests_per_minute:
            waits.append(60 * usage.calls / self.model.requests_per_minute)
        if self.model.tokens_per_minute:
            waits.append(60 * usage.tokens / self.model.tokens_per_minute)
        return max(waits)

    async def _embedding_seconds(self, texts: int, sample: Sequence[str]) -> float:
        if not sample:
            return 0.0
        await self.embedder.embed(sample[:1])  # loads the model
        started = time.perf_counter()
        await self.embedder.embed(sample)
        return texts * (time.perf_counter() - started) / len(sample)


@dataclass(slots=True)
class _Totals:
    calls: int = 0
    sent: int = 0
    texts: float = 0.0
