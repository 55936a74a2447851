"""Ask a language model which sentences support the claims of an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from polyadic.errors import NoReply
from polyadic.generation.citation_attribution import Attribution
from polyadic.generation.citation_parser import without_markers
from polyadic.generation.cited_claims import CitedClaim, Marker, cited_claims
from polyadic.generation.cited_sentences import CitedItem, CitedSentence
from polyadic.generation.context import ContextPiece, prompt_room
from polyadic.llm.json_schema import INTEGER, TEXT, record
from polyadic.llm.json_schema import list_of as schema_list_of
from polyadic.llm.language_model import LanguageModel, ModelReply, ModelRequest, ReplySchema
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.replies.json_fields import list_of, numbers_in, record_of, reply_values, text_of
from polyadic.llm.replies.parsed_reply import Problems
from polyadic.model.identity import normal_text
from polyadic.model.types import Citation, Claim, ItemKind, SourceSpan
from polyadic.text.headings import path_after
from polyadic.text.language import detect_language

CHECK_CLAIMS = "check-claims"
"""Purpose of the requests."""
MOST_CLAIMS = 100
"""Maximum number of claims of an answer that are checked."""
_MOST_SENTENCES = 5  # of a marker

_CLAIM = record(claim=INTEGER, lacks=TEXT, sentences=schema_list_of(INTEGER))
_SCHEMA = ReplySchema("check_claims", record(claims=schema_list_of(_CLAIM)))


@dataclass(frozen=True, slots=True)
class _Source:
    """A cited item: its number, its piece of the context, and its sentences, the first of which is ``first``."""

    number: int
    piece: ContextPiece
    sentences: tuple[CitedSentence, ...]
    first: int

    @property
    def shown(self) -> str:
        """Its numbered sentences, below the title, date and headings of each, and what the item says as a fact."""
        numbered = list(enumerate(self.sentences, self.first))
        lines: list[str] = []
        for above, group in groupby(numbered, lambda pair: self._above(pair[1].place)):
            lines.append(f"[{self.number}] {above}".rstrip())
            lines += [f"{number}: {_one_line(sentence.place.quote)}" for number, sentence in group]
        return "\n".join(lines)

    def _above(self, place: SourceSpan) -> str:
        whole = next(one for one in self.piece.places if one.contains(place))
        headings = path_after(whole.headings, whole.quote[: place.span.start - whole.span.start])
        title = f"{place.title} ({place.date})" if place.date else place.title
        item = self.piece.item
        stated = (item.text, *map(str, item.details)) if item.kind is ItemKind.FACT else ()
        return _one_line(" · ".join(filter(None, (title, *headings, *stated))))


def _one_line(text: str) -> str:
    """Return text of a document in which nothing looks like a line or a number of the request."""
    return without_markers(normal_text(text))


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """A request to check the claims of an answer, and what the numbers in its reply refer to.

    Parameters
    ----------
    request
        The request.
    claims
        The claims, at most ``MOST_CLAIMS``.
    sources
        The cited items, by the number of their marker.
    """

    request: ModelRequest
    claims: tuple[CitedClaim, ...]
    sources: Mapping[int, _Source]

    def read(self, reply: str) -> dict[int, tuple[CitedSentence, ...]] | None:
        """Read a reply.

        Returns
        -------
        dict
            For each claim that the reply decides, by its index from 0, the sentences that support it; none if it is
            unsupported. None if the reply decides no claim.
        """
        entries = [record_of(one) for value in reply_values(reply, Problems()) for one in _entries(value)]
        supporting: dict[int, tuple[CitedSentence, ...]] = {}
        for entry in (entry for entry in entries if "sentences" in entry):
            problems = Problems()
            numbers = numbers_in(list_of(entry, "claim", "number"), {}, problems)[:1]
            listed = numbers_in(list_of(entry, "sentences"), {}, problems)
            for number in numbers if not problems else ():
                if 1 <= number <= len(self.claims):
                    # A sentence of a source that the claim does not cite supports nothing.
                    known = self._sentences_of(self.claims[number - 1])
                    found = () if text_of(entry, "lacks") else (known[one] for one in listed if one in known)
                    supporting[number - 1] = tuple(found)
        return supporting or None

    def _sentences_of(self, claim: CitedClaim) -> dict[int, CitedSentence]:
        sources = (self.sources[marker.number] for marker in claim.markers)
        return {number: one for source in sources for number, one in enumerate(source.sentences, source.first)}


def _entries(value: object) -> list[object]:
    """Return the entries of a reply: those of a record, a list, or one alone."""
    if isinstance(value, list):
        return value
    whole = record_of(value)
    return list_of(whole, "claims") if "claims" in whole else [value]


def plan_check(prompts: PromptLibrary, question: str, text: str, cited: Sequence[ContextPiece]) -> ClaimCheck:
    """Return the request to check the claims of an answer.

    Parameters
    ----------
    prompts
        Provides ``check_claims``.
    question
        The question.
    text
        The answer, with markers from ``[1]``.
    cited
        For each marker in turn, the piece of the context that it cites.

    Raises
    ------
    SettingsError
        The workspace's own ``check_claims.txt`` is invalid.
    """
    language = detect_language(text)
    claims = tuple(cited_claims(text, len(cited), language)[:MOST_CLAIMS])
    sources: dict[int, _Source] = {}
    first = 1
    for number in sorted({marker.number for claim in claims for marker in claim.markers}):
        sentences = CitedItem.of(cited[number - 1], language).sentences
        sources[number] = _Source(number, cited[number - 1], sentences, first)
        first += len(sentences)
    prompt = prompts.get("check_claims")
    messages = prompt.messages(
        sources="\n\n".join(source.shown for source in sources.values()),
        question=question,
        answer=text,
        claims="\n".join(f"{number}. {_shown(claim)}" for number, claim in enumerate(claims, 1)),
    )
    schema = _SCHEMA if prompt.asks_for_json else None
    return ClaimCheck(ModelRequest(CHECK_CLAIMS, messages, schema), claims, sources)


async def check_claims(
    model: LanguageModel, check: ClaimCheck, attribution: Attribution
) -> tuple[Attribution, ModelReply]:
    """Ask a model, and return the attribution with the sentences that it names, and its reply.

    Claims that the reply does not decide stay as they are.

    Raises
    ------
    ModelUnavailable, NoReply
        As LanguageModel.complete; NoReply also if the sentences do not fit into the model's context, or the reply
        cannot be read.
    """
    if not prompt_room(check.request, model, 1):
        raise NoReply(f"the cited sentences do not fit into the context of {model.name}")
    reply = await model.complete(check.request)
    supporting = check.read(reply.text)
    if supporting is None:
        raise NoReply(f"the reply of {model.name} cannot be read", usage=reply.usage, seconds=reply.seconds)
    return with_supporting_sentences(attribution, check, supporting), reply


def with_supporting_sentences(
    attribution: Attribution, check: ClaimCheck, supporting: Mapping[int, Sequence[CitedSentence]]
) -> Attribution:
    """Return an attribution with other sentences for some claims.

    Parameters
    ----------
    attribution
        The claims of an answer and their citations.
    check
        The check of the same answer.
    supporting
        The sentences that support a claim, by its position; none if it is unsupported.
    """
    claims: list[Claim] = []
    citations: list[Citation] = []
    for place, claim in enumerate(attribution.claims):
        own = [attribution.citations[n] for n in claim.citations]
        supported = claim.supported
        if place in supporting:
            supported = bool(supporting[place])
            markers = check.claims[place].markers
            own = [one for marker in markers for one in _citations(marker, own, check, supporting[place])]
        first = len(citations)
        citations += own
        claims.append(Claim(claim.span, supported, tuple(range(first, len(citations)))))
    return Attribution(tuple(claims), tuple(citations))


def _citations(
    marker: Marker, before: Sequence[Citation], check: ClaimCheck, supporting: Sequence[CitedSentence]
) -> list[Citation]:
    """Return what a marker cites: the supporting sentences of its item, or the item as a whole if there are none."""
    source = check.sources[marker.number]
    own = [one for one in source.sentences if one in supporting][:_MOST_SENTENCES]
    if own:
        return [Citation(marker.number, sentence.place, 1.0, marker.span) for sentence in own]
    known = next(one for one in before if one.at == marker.span)
    whole = next(place for place in source.piece.places if place.contains(known.place))
    return [Citation(marker.number, whole, known.score, marker.span, whole_item=True)]


def _shown(claim: CitedClaim) -> str:
    return f"cites {''.join(f'[{marker.number}]' for marker in claim.markers)}: {claim.text}"
