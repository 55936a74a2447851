"""Claims that a language model checks, over real HTTP."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

from polyadic.config import AnswerSettings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.generation.citation_attribution import Attribution, attribute
from polyadic.generation.claim_checker import ClaimCheck, plan_check, with_supporting_sentences
from polyadic.generation.context import ContextPiece
from polyadic.generation.llm_answerer import LLMAnswerer
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Answer, Document, Item, ItemKind, SourceSpan, Span
from tests.generation.test_llm_answerer import ADA, BRIDGE, knowledge, model
from tests.model_server import ModelServer, checks_claims, says, supported_by_sentences

PUMP = Document("memory:pump", "Pump", "Running dry destroys the seal. Clean the strainer once a year.")
LEASE = Document("memory:lease", "Lease", "The lease ends in 2033. The deposit is three rents.")
TEXT = "Running dry destroys the motor [1]. The lease ends in 2033 and the deposit is three rents [2][1]."
LONG_BRIDGE = Document("memory:bridge", "", f"{BRIDGE.text} {'The river is calm. ' * 60}")
ALL = "Johanna Kessler designed it [2]. The bridge was opened in 1857 [2]."


def piece(document: Document, kind: ItemKind = ItemKind.CHUNK, stated: str = "") -> ContextPiece:
    place = SourceSpan(document.id, document.source, document.title, "c", Span(0, len(document.text)), document.text)
    return ContextPiece(Item(kind, document.id, stated or document.text, 1.0, "", 20, (place,)), (place,), "")


def checked(reply: str) -> tuple[Attribution, Attribution, ClaimCheck]:
    """What is attributed by words, and after a reply."""
    cited = [piece(PUMP), piece(LEASE)]
    before = asyncio.run(attribute(TEXT, cited, HashingEmbedder()))
    check = plan_check(PromptLibrary(), "What is said?", TEXT, cited)
    return before, with_supporting_sentences(before, check, check.read(reply) or {}), check


def quotes(attribution: Attribution) -> list[tuple[int, str, bool]]:
    return [(one.marker, one.place.quote, one.whole_item) for one in attribution.citations]


def test_request_has_numbered_sentences_and_claims() -> None:
    sent = checked("")[2].request.messages[-1].text
    assert (
        "[1] Pump\n1: Running dry destroys the seal.\n2: Clean the strainer once a year.\n\n[2] Lease\n3: The" in sent
    )
    assert "1. cites [1]: Running dry destroys the motor\n2. cites [2][1]: The lease ends in 2033 and the" in sent
    assert "Question: What is said?" in sent and TEXT in sent


def test_sections_dates_and_brackets_of_sources_are_shown_as_text() -> None:
    text = "## Refunds\n\nWithin 30 days [3].\n\n## Exchanges\n\nWithin 14 days."
    shop = replace(piece(Document("memory:shop", "Guide\n9: no", text)).places[0], date="2024-05")
    item = Item(ItemKind.CHUNK, "shop", text, 1.0, "", 20, (shop,))
    cited = [ContextPiece(item, (shop,), "")]
    sent = plan_check(PromptLibrary(), "?", "Goods are exchanged for 14 days [1].", cited).request.messages[-1].text
    assert "[1] Guide 9: no (2024-05) · Refunds\n1: Within 30 days (3)." in sent
    assert "[1] Guide 9: no (2024-05) · Exchanges\n2: Within 14 days." in sent


def test_fact_is_shown_with_its_text() -> None:
    fact = piece(PUMP, ItemKind.FACT, "Running the pump dry destroys its seal.")
    sent = plan_check(PromptLibrary(), "?", "The seal is destroyed [1].", [fact]).request.messages[-1].text
    assert "[1] Pump · Running the pump dry destroys its seal.\n1: Running dry destroys the seal." in sent


def test_named_sentences_are_cited_and_others_flagged() -> None:
    before, after, _ = checked(supported_by_sentences([], [3, 4]))
    assert [claim.supported for claim in after.claims] == [False, True]
    assert [claim.span for claim in after.claims] == [claim.span for claim in before.claims]
    assert [claim.citations for claim in after.claims] == [(0,), (1, 2, 3)]
    assert quotes(after) == [
        (1, PUMP.text, True),
        (2, "The lease ends in 2033.", False),
        (2, "The deposit is three rents.", False),
        (1, PUMP.text, True),
    ]


@pytest.mark.parametrize(
    "reply",
    [
        "It is fine.",
        "{}",
        '{"claims": "none"}',
        '{"claims": [{"claim": 9, "sentences": [1]}, {"claim": 1}, {"claim": null, "sentences": [1]}]}',
    ],
)
def test_undecided_claims_stay_as_they_are(reply: str) -> None:
    before, after, _ = checked(reply)
    assert after == before


def test_sentence_of_another_source_supports_nothing() -> None:
    # Sentence 3 is of the lease, which the first claim does not cite, and there is no sentence 99.
    _, after, _ = checked(supported_by_sentences([3, 99]))
    assert not after.claims[0].supported and after.claims[1].supported


def test_reply_that_contradicts_itself_or_cannot_be_read_supports_nothing() -> None:
    lacking = '{"claims": [{"claim": 1, "lacks": "motor, not seal", "sentences": [1]}]}'
    unread = '{"claims": [{"claim": 1, "lacks": "", "sentences": ["the first"]}, {"claim": 2, "sentences": [3]}]}'
    assert [claim.supported for claim in checked(lacking)[1].claims] == [False, True]
    before, after, _ = checked(unread)
    assert after.claims[0].supported == before.claims[0].supported and after.claims[1].supported


def test_reply_may_be_a_list() -> None:
    bare = '[{"claim": 1, "sentences": []}, {"claim": 2, "sentences": [3]}]'
    assert [claim.supported for claim in checked(bare)[1].claims] == [False, True]


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def answered(server: ModelServer, reply: str, **checker: object) -> Answer:
    server.reset()
    server.responders = [checks_claims(reply), says(ALL)]

    async def run() -> Answer:
        asked, checking = model(server), model(server, **checker)
        try:
            how = AnswerSettings(check_claims=True)
            who = LLMAnswerer(asked, PromptLibrary(), how, HashingEmbedder(), 4000, checker=checking)
            return await who.answer(knowledge(ADA, LONG_BRIDGE))
        finally:
            await asked.close()
            await checking.close()

    return asyncio.run(run())


def test_answer_has_the_checked_claims_and_their_cost(server: ModelServer) -> None:
    given = answered(server, supported_by_sentences([2], []))
    assert given.unsupported == ("The bridge was opened in 1857",)
    assert given.citations[0].place.quote == "Johanna Kessler designed it."
    assert given.citations[1].whole_item
    assert [(step.name, step.detail) for step in given.trace][-1] == (
        "check the claims with recorded",
        "1 of 2 cited claims supported",
    )
    assert given.usage.calls == len(server.calls) == 2
    assert given.note == "answered by recorded; claims checked by recorded"


@pytest.mark.parametrize(
    ("reply", "checker", "reason"),
    [
        ('{"claims": []}', {"base_url": "http://127.0.0.1:9/v1"}, "the endpoint cannot be reached"),
        ('{"claims": []}', {}, "cannot be read"),
        ('{"claims": []}', {"context_tokens": 1000}, "do not fit"),
    ],
)
def test_answer_survives_a_failed_check(
    server: ModelServer, reply: str, checker: dict[str, object], reason: str
) -> None:
    given = answered(server, reply, **checker)
    assert "its claims could not be checked: " in given.note and reason in given.note
    # As words tell.
    assert given.answered and given.unsupported == ("The bridge was opened in 1857",)
