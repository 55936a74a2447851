"""The extractor with a language model: one call a chunk brings its facts, with the sentences each rests on.

HyperGraphRAG (arXiv 2503.21322), Eq. 4-5 and Algorithm 1. The sentences of the chunk are numbered in the request; the
numbers that come back give every fact its exact characters. A fact that names none rests on the whole chunk.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from polyadic.config import ExtractionSettings
from polyadic.errors import NoReply
from polyadic.extraction.extractor import Extraction
from polyadic.llm.batch_model import ReplyPending
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.json_schema import INTEGER, NUMBER, TEXT, list_of, record
from polyadic.llm.language_model import ChatMessage, ModelReply, ModelRequest, ReplySchema
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.replies.model import ParsedStatement
from polyadic.llm.replies.parser import read_reply
from polyadic.loaders.error_isolation import on_one_document
from polyadic.model.identity import digest, normal_text
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.text.headings import is_heading
from polyadic.text.language import detect_language
from polyadic.text.sentences import sentences

NO_FACTS = "no facts in the reply"
FROM_NOWHERE = "entity that stands neither in its fact nor in the passage"
# Another look is worth its price where more than this share of the sentences say something and are in no fact.
_UNREAD_SHARE = 0.25
_SAYS_SOMETHING = 25
_NOT_A_LETTER = re.compile(r"[\W_]+")
_NO_LETTERS = dict.fromkeys(code for code in range(128) if not chr(code).isalnum())
# A reply is read to see whether it is worth remembering, and again, soon after, for what it says.
_read = lru_cache(maxsize=16)(read_reply)

# Of the first half of a passage, so many sentences stand before the second, to say what it is about.
_SENTENCES_BEFORE = 3
_LONGEST_TITLE = 300

_ENTITY = record(name=TEXT, type=TEXT, description=TEXT, score=NUMBER)
_FACT = record(text=TEXT, score=NUMBER, sentences=list_of(INTEGER), entities=list_of(_ENTITY))
FACTS = ReplySchema("facts", record(facts=list_of(_FACT)))
"""What a reply has to look like, for endpoints that can be held to a schema."""


@dataclass(frozen=True)
class _Passage:
    """The new sentences of a chunk, numbered from 1 by their place in ``spans``, and what comes before them."""

    chunk: Chunk
    title: str
    before: str
    spans: tuple[Span, ...]
    texts: tuple[str, ...]
    headings: tuple[str, ...]

    @property
    def numbered(self) -> str:
        """The sentences, each after its number, under their headings."""
        lines = zip(self.headings, self.texts, strict=True)
        return "\n".join(f"{heading}[{n}] {text}" for n, (heading, text) in enumerate(lines, 1))

    def halves(self) -> tuple["_Passage", "_Passage"]:
        """The passage as two of about as many sentences, of which the second knows the end of the first."""
        middle = len(self.spans) // 2
        ending = self.texts[max(0, middle - _SENTENCES_BEFORE) : middle]
        before = " ".join((self.before, *ending)).strip()
        return self._part(slice(0, middle), self.before), self._part(slice(middle, None), before)

    def _part(self, part: slice, before: str) -> "_Passage":
        return replace(
            self, before=before, spans=self.spans[part], texts=self.texts[part], headings=self.headings[part]
        )

    def names(self, participant: Participation) -> bool:
        """Whether a name stands in the passage."""
        letters = _letters_of_name(participant.key)
        return bool(letters) and letters in self._letters

    @cached_property
    def _letters(self) -> str:
        return _letters(f"{self.title} {self.chunk.text}")


@dataclass(slots=True)
class _Found:
    """What the replies about one passage have said so far, each fact once."""

    passage: _Passage
    extractor: str
    evidence: dict[tuple[str, tuple[str, ...]], Evidence] = field(default_factory=dict)
    problems: Counter[str] = field(default_factory=Counter)
    _read: set[int] = field(default_factory=set)

    def take(self, reply: ModelReply) -> bool:
        """Enter what a reply says; whether there was a fact in it that is new."""
        before = len(self.evidence)
        with on_one_document():
            said = _read(reply.text)
            self.problems.update(said.problems)
            self.problems["reply cut off at output_tokens"] += not reply.complete
            for fact in said.stated:
                self._enter(fact)
        return len(self.evidence) > before

    def joined(self, other: "_Found") -> "_Found":
        """With what another passage of the same chunk says."""
        self.problems.update(other.problems)
        self.problems["same fact twice"] += len(self.evidence.keys() & other.evidence.keys())
        self.evidence = self.evidence | {key: e for key, e in other.evidence.items() if key not in self.evidence}
        return self

    def unread(self) -> list[int]:
        """The numbers of sentences that say something and are in no fact."""
        texts = enumerate(self.passage.texts, 1)
        return [n for n, text in texts if n not in self._read and len(text) >= _SAYS_SOMETHING]

    def _enter(self, fact: ParsedStatement) -> None:
        self._read.update(fact.sentences)
        kept = self._from_somewhere(fact)
        self.problems[FROM_NOWHERE] += len(fact.participants) - len(kept)
        spans = tuple(_spans(self.passage, fact.sentences, self.problems))
        evidence = Evidence(fact.text, fact.score, kept, spans, self.extractor)
        same = normal_text(fact.text), evidence.keys
        # One chunk supports a fact once, however often the model says it.
        if self.evidence.setdefault(same, evidence) is not evidence:
            self.problems["same fact twice"] += 1

    def _from_somewhere(self, fact: ParsedStatement) -> tuple[Participation, ...]:
        """Those who stand in the passage or in the fact; a name from nowhere is the model's invention."""
        named = tuple(p for p in fact.participants if self.passage.names(p))
        if len(named) == len(fact.participants):
            return named
        letters = _letters(fact.text)
        said = ((p, _letters_of_name(p.key)) for p in fact.participants)
        return tuple(p for p, name in said if p in named or (name and name in letters))


class LLMExtractor:
    """Implements Extractor with a language model.

    Parameters
    ----------
    model
        Asked for the facts of each chunk.
    prompts
        Of which ``extract`` and ``glean`` are used.
    settings
        Entity types, domain, language of the facts, further looks.
    language
        Of the documents (ISO 639-1), or ``auto``.
    at_once
        How many chunks may wait for their replies at the same time.
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
        asked = settings.model_dump(exclude={"extractor"})
        words = [prompt.fingerprint for prompt in (self._extract, self._glean)[: 1 + bool(settings.gleanings)]]
        marks = digest(*words, *map(str, asked.values()))[:8]
        self.name = f"{model.model.name} {self._extract.version} {marks}"

    @property
    def further_looks(self) -> int:
        """How many there may be at a chunk after the first."""
        return self._settings.gleanings

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        with on_one_document():
            passage = self._passage(document, chunk)
        if not passage.spans:
            return Extraction(())
        found = await self._found(passage)
        return Extraction(tuple(found.evidence.values()), +found.problems)

    async def _found(self, passage: _Passage) -> _Found:
        """What the model says of a passage; of one with more facts than a reply can hold, of its halves."""
        request = self.request(passage)
        reply = await self._model.ask(request, is_usable)
        if not reply.complete and len(passage.spans) > 1:
            return await self._found_in_halves(passage)
        found = _Found(passage, self.name)
        if not found.take(reply) and NO_FACTS in found.problems:
            raise NoReply(self._useless(reply), usage=reply.usage)
        await self._look_again(found, request, reply)
        return found

    async def _found_in_halves(self, passage: _Passage) -> _Found:
        first, second = passage.halves()
        try:
            found = await self._found(first)
        except ReplyPending as awaited:
            # Both halves are asked for in the same batch file.
            try:
                await self._found(second)
            except ReplyPending as further:
                raise ReplyPending(*awaited.requests, *further.requests) from None
            raise
        return found.joined(await self._found(second))

    def first_request(self, document: Document, chunk: Chunk) -> ModelRequest | None:
        """What would be asked of the model first for a chunk; None where there is nothing to ask."""
        passage = self._passage(document, chunk)
        return self.request(passage) if passage.spans else None

    def empty_request(self) -> ModelRequest:
        """What is sent with every chunk, without a chunk."""
        chunk = Chunk("", Span(0, 0), "", 0, 0)
        return self.request(_Passage(chunk, "", "", (), (), ()))

    def request(self, passage: _Passage) -> ModelRequest:
        settings = self._settings
        messages = self._extract.messages(
            title=passage.title or "(without a title)",
            before=f"What stands before, for context only:\n{passage.before}\n" if passage.before else "",
            sentences=passage.numbered,
            types=f"one of {', '.join(settings.entity_types)}"
            if settings.entity_types
            else "its kind, in a word or two",
            language=f"in {settings.language}" if settings.language else "in the language of the passage",
            domain=f"The documents are about: {settings.domain}" if settings.domain else "",
        )
        return ModelRequest("extract", messages, FACTS, passage.chunk.document_id)

    def _passage(self, document: Document, chunk: Chunk) -> _Passage:
        start = max(chunk.fresh, chunk.span.start)
        text = document.text[start : chunk.span.end]
        language = detect_language(document.text) if self._language == "auto" else self._language
        spans, texts, headings = [], [], []
        above = ""
        for span in sentences(text, language):
            said = normal_text(text[span.start : span.end])
            if is_heading(text, span.start, span.end):
                above += f"{said}\n"
                continue
            spans.append(Span(start + span.start, start + span.end))
            texts.append(said)
            headings.append(above)
            above = ""
        before = normal_text(document.text[chunk.span.start : start])
        title = normal_text(document.title)[:_LONGEST_TITLE]
        return _Passage(chunk, title, before, tuple(spans), tuple(texts), tuple(headings))

    async def _look_again(self, found: _Found, request: ModelRequest, reply: ModelReply) -> None:
        """Ask for what is missing, as long as that brings something and the settings allow."""
        for _ in range(self._settings.gleanings):
            unread = found.unread()
            if len(unread) <= _UNREAD_SHARE * len(found.passage.spans):
                return
            numbers = ", ".join(map(str, unread))
            turns = (*request.messages, ChatMessage("assistant", reply.text), *self._glean.messages(numbers=numbers))
            request = replace(request, purpose="glean", messages=turns)
            try:
                reply = await self._model.ask(request, is_usable)
            except NoReply:
                found.problems["another look without a reply"] += 1
                return
            if not found.take(reply):
                return

    def _useless(self, reply: ModelReply) -> str:
        name, beginning = self._model.model.name, _beginning(reply.text)
        if not reply.complete:
            return f'{name} reached output_tokens before its first fact was whole ("{beginning}")'
        return f'{name} gave no facts that can be read ("{beginning}")'


def is_usable(reply: ModelReply) -> bool:
    """Whether there are facts, or the reply says in the asked form that there are none."""
    return NO_FACTS not in _read(reply.text).problems


def _spans(passage: _Passage, numbers: Sequence[int], problems: Counter[str]) -> Iterator[Span]:
    """The characters of these sentences; neighbours are one stretch."""
    known = sorted({number for number in numbers if 1 <= number <= len(passage.spans)})
    problems["sentence number that does not exist"] += len(set(numbers) - set(known))
    first = 0
    for i, number in enumerate(known):
        if i + 1 == len(known) or known[i + 1] != number + 1:
            yield Span(passage.spans[known[first] - 1].start, passage.spans[number - 1].end)
            first = i + 1


def _letters(text: str) -> str:
    """Letters and digits alone, without accents and case: models write names with other quotes, dashes and spaces.

    >>> _letters("O’Brien, Zoë") == _letters("o'brien zoe")
    True
    """
    if text.isascii():
        return text.lower().translate(_NO_LETTERS)
    return _NOT_A_LETTER.sub("", unicodedata.normalize("NFKD", text).casefold())


# The same names come up in one fact after the other.
_letters_of_name = lru_cache(maxsize=4_096)(_letters)


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"
