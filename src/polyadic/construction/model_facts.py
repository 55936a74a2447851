"""The extractor with a language model: one call a chunk brings its facts, with the sentences each rests on.

HyperGraphRAG (arXiv 2503.21322), Eq. 4-5 and Algorithm 1. The sentences of the chunk are numbered in the request; the
numbers that come back give every fact its exact characters. A fact that names none rests on the whole chunk.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from polyadic.construction.extractor import Extraction
from polyadic.construction.replies.read import read_reply
from polyadic.construction.replies.stated import ReadReply, Stated
from polyadic.errors import NoReply
from polyadic.identity import digest, normal_text
from polyadic.knowledge import Chunk, Document, Evidence, Participation, Span
from polyadic.models.language_model import Message, Reply, Request, Schema
from polyadic.models.remembering import Remembering
from polyadic.prompts.library import Prompts
from polyadic.settings import ExtractionSettings
from polyadic.text.language import detect_language
from polyadic.text.sentences import sentences

NO_FACTS = "no facts in the reply"
# Another look is worth its price where more than this share of the sentences that say something is in no fact.
_UNREAD_SHARE = 0.25
_SAYS_SOMETHING = 25

_TEXT: dict[str, object] = {"type": "string"}
_NUMBER: dict[str, object] = {"type": "number"}


def _record(**properties: dict[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: dict[str, object]) -> dict[str, object]:
    return {"type": "array", "items": items}


_ENTITY = _record(name=_TEXT, type=_TEXT, description=_TEXT, score=_NUMBER)
_FACT = _record(text=_TEXT, score=_NUMBER, sentences=_list({"type": "integer"}), entities=_list(_ENTITY))
FACTS = Schema("facts", _record(facts=_list(_FACT)))
"""What a reply has to look like, for endpoints that can be held to a schema."""


@dataclass(frozen=True)
class _Passage:
    """The new sentences of a chunk, numbered from 1 by their place in ``spans``, and what comes before them."""

    chunk: Chunk
    title: str
    before: str
    spans: tuple[Span, ...]
    texts: tuple[str, ...]

    def names(self, participant: Participation, fact: str) -> bool:
        """Whether a name is in the fact or in the passage: a name from nowhere is the model's invention."""
        key = participant.key
        return bool(key) and (key in normal_text(fact).casefold() or key in self.folded)

    @cached_property
    def folded(self) -> str:
        return normal_text(f"{self.title} {self.chunk.text}").casefold()


class ModelExtractor:
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
    """

    paid = True

    def __init__(self, model: Remembering, prompts: Prompts, settings: ExtractionSettings, language: str) -> None:
        self._model = model
        self._extract, self._glean = prompts.get("extract"), prompts.get("glean")
        self._settings = settings
        self._language = language
        asked = settings.model_dump(exclude={"extractor"})
        marks = digest(self._extract.fingerprint, self._glean.fingerprint, *map(str, asked.values()))[:8]
        self.name = f"{model.model.name} {self._extract.version} {marks}"

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        passage = self._passage(document, chunk)
        if not passage.spans:
            return Extraction(())
        request = self.request(passage)
        reply = await self._model.ask(request, _is_usable)
        read = read_reply(reply.text)
        if not _holds_facts(read):
            raise NoReply(f'{self._model.model.name} gave no facts that can be read ("{_beginning(reply.text)}")')
        problems = Counter(read.problems)
        problems["reply cut off at output_tokens"] += not reply.complete
        stated = [*read.stated]
        for _ in range(self._settings.gleanings):
            unread = _unread(passage, stated)
            if len(unread) <= _UNREAD_SHARE * len(passage.spans):
                break
            more, request = await self._more(request, reply, unread, problems)
            if not more:
                break
            stated += more
        evidence = tuple(self._evidence(passage, fact, problems) for fact in stated)
        return Extraction(evidence, +problems)

    def first_request(self, document: Document, chunk: Chunk) -> Request | None:
        """What would be asked of the model first for a chunk; None where there is nothing to ask."""
        passage = self._passage(document, chunk)
        return self.request(passage) if passage.spans else None

    def empty_request(self) -> Request:
        """What is sent with every chunk, without a chunk."""
        chunk = Chunk("", Span(0, 0), "", 0, 0)
        return self.request(_Passage(chunk, "", "", (), ()))

    def request(self, passage: _Passage) -> Request:
        settings = self._settings
        messages = self._extract.messages(
            title=passage.title or "(without a title)",
            before=f"What stands before, for context only:\n{passage.before}\n" if passage.before else "",
            sentences="\n".join(f"[{n}] {text}" for n, text in enumerate(passage.texts, 1)),
            types=f"one of {', '.join(settings.entity_types)}"
            if settings.entity_types
            else "its kind, in a word or two",
            language=f"in {settings.language}" if settings.language else "in the language of the passage",
            domain=f"The documents are about: {settings.domain}" if settings.domain else "",
        )
        return Request("extract", messages, FACTS)

    def _passage(self, document: Document, chunk: Chunk) -> _Passage:
        start = max(chunk.fresh, chunk.span.start)
        text = document.text[start : chunk.span.end]
        language = detect_language(document.text) if self._language == "auto" else self._language
        spans = tuple(Span(start + s.start, start + s.end) for s in sentences(text, language))
        texts = tuple(normal_text(document.text[span.start : span.end]) for span in spans)
        return _Passage(chunk, document.title, normal_text(document.text[chunk.span.start : start]), spans, texts)

    async def _more(
        self, request: Request, reply: Reply, unread: Sequence[int], problems: Counter[str]
    ) -> tuple[list[Stated], Request]:
        """What another look brings, and the conversation so far."""
        numbers = ", ".join(map(str, unread))
        turns = (*request.messages, Message("assistant", reply.text), *self._glean.messages(numbers=numbers))
        again = Request("glean", turns, FACTS)
        try:
            further = read_reply((await self._model.ask(again, _is_usable)).text)
        except NoReply:
            problems["another look without a reply"] += 1
            return [], again
        problems.update(further.problems)
        return [*further.stated], again

    def _evidence(self, passage: _Passage, fact: Stated, problems: Counter[str]) -> Evidence:
        spans = tuple(_spans(passage, fact.sentences, problems))
        kept = tuple(p for p in fact.participants if passage.names(p, fact.text))
        problems["entity that stands neither in its fact nor in the passage"] += len(fact.participants) - len(kept)
        return Evidence(fact.text, fact.score, kept, spans, self.name)


def _is_usable(reply: Reply) -> bool:
    return _holds_facts(read_reply(reply.text))


def _holds_facts(read: ReadReply) -> bool:
    """Whether there are facts, or the reply says in the asked form that there are none."""
    return bool(read.stated) or NO_FACTS not in read.problems


def _spans(passage: _Passage, numbers: Sequence[int], problems: Counter[str]) -> Iterator[Span]:
    """The characters of these sentences; neighbours are one stretch."""
    known = sorted({number for number in numbers if 1 <= number <= len(passage.spans)})
    problems["sentence number that does not exist"] += len(set(numbers) - set(known))
    first = 0
    for i, number in enumerate(known):
        if i + 1 == len(known) or known[i + 1] != number + 1:
            yield Span(passage.spans[known[first] - 1].start, passage.spans[number - 1].end)
            first = i + 1


def _unread(passage: _Passage, stated: Sequence[Stated]) -> list[int]:
    """The numbers of sentences that say something and are in no fact."""
    read = {number for fact in stated for number in fact.sentences}
    return [n for n, text in enumerate(passage.texts, 1) if n not in read and len(text) >= _SAYS_SOMETHING]


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"
