"""Extract facts with a language model: one call per window returns its facts and the sentences that support each.

HyperGraphRAG (arXiv 2503.21322), Eq. 4-5 and Algorithm 1. The request numbers the sentences of the window; the
numbers in the reply give each fact its exact character spans.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache

from polyadic.config import ExtractionSettings
from polyadic.errors import NoReply
from polyadic.extraction.call_bound import MIN_SENTENCES, most_calls, most_splits, most_usage
from polyadic.extraction.extractor import Extraction
from polyadic.extraction.fact_location import locate
from polyadic.extraction.fact_support import WindowText, why_unsupported
from polyadic.extraction.numbered_window import NumberedWindow
from polyadic.llm.batch_model import ReplyPending
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.json_schema import TEXT, list_of, record
from polyadic.llm.language_model import ChatMessage, ModelReply, ModelRequest, ReplySchema
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.replies.parsed_reply import ParsedFact
from polyadic.llm.replies.parser import read_reply
from polyadic.loaders.error_isolation import on_one_document
from polyadic.model.identity import digest, normal_text, without_qualifier
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span, Usage
from polyadic.text.stopwords import PRONOUNS
from polyadic.text.tokens import count_tokens

NO_FACTS = "no facts in the reply"
UNFOUND_ENTITY = "entity found neither in its fact nor in the text"
PRONOUN_ENTITY = "pronoun given as an entity"
# Another gleaning pass is worth its price if more than this share of the sentences have content and are in no fact.
_MAX_UNREAD_SHARE = 0.25
_MIN_CONTENT_CHARACTERS = 25
# A reply is parsed once to decide whether to cache it and again, soon after, to use it.
_read = lru_cache(maxsize=16)(read_reply)

FACTS = ReplySchema("facts", record(facts=list_of(TEXT), entities=list_of(TEXT)))
"""The reply schema, for endpoints that support structured output."""


@dataclass(frozen=True, slots=True)
class _FactFormat:
    """Whether facts are to cite sentences by number, and whether they may be in another language than the text."""

    has_sentences: bool
    is_translated: bool


@dataclass(slots=True)
class _WindowFacts:
    """The facts parsed so far from the replies about one window, each once."""

    window: NumberedWindow
    extractor: str
    format: _FactFormat
    use_unsupported: bool = False
    evidence: dict[tuple[str, tuple[str, ...]], Evidence] = field(default_factory=dict)
    problems: Counter[str] = field(default_factory=Counter)
    _read: set[int] = field(default_factory=set)

    def take(self, reply: ModelReply) -> bool:
        """Add the facts of a reply; return whether any of them is new."""
        before = len(self.evidence)
        with on_one_document():
            parsed = _read(reply.text)
            self.problems.update(parsed.problems)
            self.problems["reply cut off at output_tokens"] += not reply.complete
            for fact in parsed.stated:
                self._enter(fact, self.format.has_sentences and not parsed.is_delimited)
        return len(self.evidence) > before

    def joined(self, other: "_WindowFacts") -> "_WindowFacts":
        """Merge in the facts of another window of the same chunk."""
        self.problems.update(other.problems)
        self.problems["same fact twice"] += len(self.evidence.keys() & other.evidence.keys())
        self.evidence = self.evidence | {key: e for key, e in other.evidence.items() if key not in self.evidence}
        return self

    def unread(self) -> list[int]:
        """Return the numbers of the sentences that have content but support no fact."""
        texts = enumerate(self.window.texts, 1)
        return [n for n, text in texts if n not in self._read and len(text) >= _MIN_CONTENT_CHARACTERS]

    def _enter(self, fact: ParsedFact, is_to_cite: bool) -> None:
        self._read.update(fact.sentences)
        named = self._without_pronouns(self._grounded(fact))
        spans = self._spans(fact, is_to_cite)
        is_cited = bool(spans) or not (fact.sentences or is_to_cite)
        why = why_unsupported(named, self.window.text, is_cited, self.format.is_translated)
        unsupported = "" if self.use_unsupported else why
        evidence = Evidence(fact.text, fact.score, named.participants, spans, self.extractor, unsupported)
        key = normal_text(fact.text), evidence.keys
        # One chunk supports a fact once, however often the model repeats it.
        if self.evidence.setdefault(key, evidence) is not evidence:
            self.problems["same fact twice"] += 1

    def _spans(self, fact: ParsedFact, is_to_cite: bool) -> tuple[Span, ...]:
        """Return the spans of the sentences that a fact cites; if it cites none but is to, of those with its words."""
        if fact.sentences or not is_to_cite:
            return self.window.spans_of(fact.sentences, self.problems)
        located = locate(fact.text, self.window.texts)
        self._read.update(located)
        return self.window.spans_of(located, self.problems)

    def _grounded(self, fact: ParsedFact) -> ParsedFact:
        """Leave out participants that neither the window nor the fact names; the model made them up.

        A name may be put together from the words of the window ("market square of Osk"), and may stand for another in
        the fact ("American" for the United States).
        """
        own, window = WindowText(fact.text), self.window.text

        def is_named(participant: Participation) -> bool:
            name, form = without_qualifier(participant.key), fact.form(participant)
            in_window = window.contains(name) or window.has_words(name)
            return in_window or own.contains(name) or (window.contains(form) and not form.islower())

        kept = tuple(filter(is_named, fact.participants))
        self.problems[UNFOUND_ENTITY] += len(fact.participants) - len(kept)
        return replace(fact, participants=kept)

    def _without_pronouns(self, fact: ParsedFact) -> ParsedFact:
        """Leave out participants that are pronouns; a work called "It" is capitalized within the text."""
        kept = tuple(
            p for p in fact.participants if p.key not in PRONOUNS or (p.name.istitle() and f" {p.name}" in fact.text)
        )
        self.problems[PRONOUN_ENTITY] += len(fact.participants) - len(kept)
        return replace(fact, participants=kept)


class LLMExtractor:
    """Extractor that asks a language model for the facts of each window.

    Parameters
    ----------
    model
        The language model, with its response cache.
    prompts
        The prompt library; ``extract`` and ``glean`` are used. Replies in the paper's format have no sentence
        numbers, so their facts cite whole chunks.
    settings
        Entity types, domain, language of the facts, and number of gleaning passes.
    language
        Language of the documents (ISO 639-1), or ``auto`` to detect it per document.
    at_once
        Maximum number of windows that wait for a reply concurrently.
    """

    paid = True

    def __init__(
        self, model: CachedModel, prompts: PromptLibrary, settings: ExtractionSettings, language: str, at_once: int
    ) -> None:
        self.at_once = at_once
        self._model = model
        self._extract, self._glean = prompts.get("extract"), prompts.get("glean")
        self._settings = settings
        self._language = language
        self._format = _FactFormat(self._extract.asks_for_sentences, bool(settings.language))
        options = settings.model_dump(exclude={"extractor"})
        versions = [prompt.fingerprint for prompt in (self._extract, self._glean)]
        configuration = digest(*versions, *map(str, options.values()))[:8]
        self.name = f"{model.model.name} {self._extract.version} {configuration}"

    @property
    def gleanings(self) -> int:
        """The maximum number of gleaning passes per window after the first request."""
        return self._settings.gleanings

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        with on_one_document():
            window = NumberedWindow.of(document, chunk, self._language)
        if not window.spans:
            return Extraction(())
        facts = await self._facts_of(window)
        return Extraction(tuple(facts.evidence.values()), +facts.problems)

    async def _facts_of(self, window: NumberedWindow, splits: int | None = None) -> _WindowFacts:
        """Extract the facts of a window; split it in halves if its facts do not fit into one reply.

        ``splits`` is the number of times that it may still be split; None if it has not been split.
        """
        request = self.request(window)
        reply = await self._model.complete(request, is_usable)
        if not reply.complete and len(window.spans) > 1:
            left = self._most_splits(window, request) if splits is None else splits
            if left:
                return await self._facts_of_halves(window, left - 1)
        facts = _WindowFacts(window, self.name, self._format, self._settings.use_unsupported)
        if not facts.take(reply) and NO_FACTS in facts.problems:
            raise NoReply(self._describe_unusable(reply), usage=reply.usage)
        await self._glean_more(facts, request, reply)
        return facts

    async def _facts_of_halves(self, window: NumberedWindow, splits: int) -> _WindowFacts:
        first, second = window.halves()
        try:
            facts = await self._facts_of(first, splits)
        except ReplyPending as pending:
            # Put the requests for both halves into the same batch file.
            try:
                await self._facts_of(second, splits)
            except ReplyPending as pending_second:
                raise ReplyPending(*pending.requests, *pending_second.requests) from None
            raise
        return facts.joined(await self._facts_of(second, splits))

    def _most_splits(self, window: NumberedWindow, request: ModelRequest) -> int:
        longest = self._model.model.max_usage(request).completion_tokens
        return most_splits(sum(count_tokens([window.running_text])), longest)

    def most_usage(self, document: Document, chunk: Chunk) -> Usage:
        """Return the maximum usage for a window, without prices; raises NoReply if its request would not be sent."""
        window = NumberedWindow.of(document, chunk, self._language)
        if not window.spans:
            return Usage()
        request, settings = self.request(window), self._settings
        calls = most_calls(len(window.spans), self._most_splits(window, request), settings.gleanings)
        numbers = ", ".join(str(n) for n in range(1, len(window.spans) + 1))
        again = replace(request, messages=self._glean.messages(numbers=numbers))
        return most_usage(request, again, calls, settings.gleanings, self._model.model)

    def first_request(self, document: Document, chunk: Chunk) -> ModelRequest | None:
        """Return the first request for a window; None if it has no new sentences."""
        window = NumberedWindow.of(document, chunk, self._language)
        return self.request(window) if window.spans else None

    def empty_request(self) -> ModelRequest:
        """Return the request without a window, that is, the overhead sent with every window."""
        chunk = Chunk("", Span(0, 0), "", 0, 0)
        return self.request(NumberedWindow(Document("", "", ""), chunk, "", "", "", "", (), (), ()))

    def request(self, window: NumberedWindow) -> ModelRequest:
        """Build the extraction request for a window."""
        settings = self._settings
        section = f"Section: {window.section}\n" if window.section else ""
        before = f"What stands before, for context only:\n{window.before}\n" if window.before else ""
        messages = self._extract.messages(
            title=window.title or "(without a title)",
            before=section + before,
            sentences=window.numbered,
            text=window.running_text,
            types=f"one of {', '.join(settings.entity_types)}"
            if settings.entity_types
            else "its kind, in a word or two",
            language=f"in {settings.language}" if settings.language else "in the language of the passage",
            domain=f"The documents are about: {settings.domain}" if settings.domain else "",
        )
        schema = FACTS if self._extract.asks_for_json else None
        return ModelRequest("extract", messages, schema, window.chunk.document_id)

    async def _glean_more(self, facts: _WindowFacts, request: ModelRequest, reply: ModelReply) -> None:
        """Ask for missing facts (gleaning) until a pass adds nothing or the passes in the settings are used up.

        If no fact was found in a window of several sentences, there is one pass whatever the settings say.
        """
        overlooked = not facts.evidence and len(facts.unread()) >= MIN_SENTENCES
        for _ in range(max(self._settings.gleanings, overlooked)):
            unread = facts.unread()
            if len(unread) <= _MAX_UNREAD_SHARE * len(facts.window.spans):
                return
            numbers = ", ".join(map(str, unread))
            turns = (*request.messages, ChatMessage("assistant", reply.text), *self._glean.messages(numbers=numbers))
            request = replace(request, purpose="glean", messages=turns)
            try:
                reply = await self._model.complete(request, is_usable)
            except NoReply:
                facts.problems["gleaning pass without a reply"] += 1
                return
            if not facts.take(reply):
                return

    def _describe_unusable(self, reply: ModelReply) -> str:
        name, beginning = self._model.model.name, _beginning(reply.text)
        if not reply.complete:
            return f'{name} reached output_tokens before its first fact was complete ("{beginning}")'
        return f'{name} gave no facts that can be read ("{beginning}")'


def is_usable(reply: ModelReply) -> bool:
    """Return whether a reply has facts, or states in the requested format that there are none."""
    return NO_FACTS not in _read(reply.text).problems


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"
